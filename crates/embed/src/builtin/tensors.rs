//! Reads the stored weights: a header with the offsets of the tensors, then their bytes. Matrices are 4-bit integers in
//! groups with a common scale; they are expanded to floats here.

use ndarray::{Array1, Array2};
use serde_json::Value;

/// The number of values that share a scale.
const GROUP: usize = 32;

/// A file in the safetensors format.
pub(super) struct Tensors {
    header: Value,
    data: &'static [u8],
}

/// A matrix of 4-bit values, expanded one row at a time or as a whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuantizedMatrix {
    numbers: &'static [u8],
    scales: &'static [u8],
    columns: usize,
}

impl Tensors {
    pub(super) fn read(file: &'static [u8]) -> Result<Self, String> {
        let (length, rest) = file.split_first_chunk::<8>().ok_or("it has no header")?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| "its header is too long")?;
        let (header, data) = rest.split_at_checked(length).ok_or("its header is cut off")?;
        let header = serde_json::from_slice(header).map_err(|error| format!("its header is not JSON: {error}"))?;
        Ok(Self { header, data })
    }

    /// A vector of 32-bit floats.
    pub(super) fn vector(&self, name: &str, length: usize) -> Result<Array1<f32>, String> {
        let bytes = self.bytes(name, length * 4)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    /// A matrix whose rows are expanded on demand.
    pub(super) fn packed(&self, name: &str, rows: usize, columns: usize) -> Result<QuantizedMatrix, String> {
        let numbers = self.bytes(&format!("{name}.q4"), rows * columns / 2)?;
        let scales = self.bytes(&format!("{name}.scales"), rows * columns / GROUP * 2)?;
        Ok(QuantizedMatrix { numbers, scales, columns })
    }

    fn bytes(&self, name: &str, length: usize) -> Result<&'static [u8], String> {
        let offsets = &self.header[name]["data_offsets"];
        let offset = |index: usize| offsets[index].as_u64().and_then(|offset| usize::try_from(offset).ok());
        let range = offset(0).zip(offset(1)).ok_or_else(|| format!("it has no tensor `{name}`"))?;
        let bytes = self.data.get(range.0..range.1).ok_or_else(|| format!("its tensor `{name}` is cut off"))?;
        if bytes.len() == length { Ok(bytes) } else { Err(format!("its tensor `{name}` has the wrong shape")) }
    }
}

impl QuantizedMatrix {
    /// Adds a row of the matrix to `to`.
    pub(super) fn add_row(&self, row: usize, to: &mut [f32]) {
        let first = row * self.columns / GROUP;
        let numbers = self.numbers[first * GROUP / 2..].chunks_exact(GROUP / 2);
        let scales = &self.scales.as_chunks::<2>().0[first..];
        for ((numbers, scale), to) in numbers.zip(scales).zip(to.chunks_exact_mut(GROUP)) {
            expand(numbers, *scale, to);
        }
    }

    /// All rows as a matrix.
    pub(super) fn whole(&self) -> Array2<f32> {
        matrix(&[*self])
    }
}

/// Matrices of the same width, one below the other.
pub(super) fn matrix(parts: &[QuantizedMatrix]) -> Array2<f32> {
    let columns = parts.first().map_or(1, |part| part.columns);
    let rows = || parts.iter().flat_map(|part| (0..part.numbers.len() * 2 / columns).map(move |row| (part, row)));
    let mut all = Array2::zeros((rows().count(), columns));
    for ((part, row), mut to) in rows().zip(all.rows_mut()) {
        part.add_row(row, to.as_slice_mut().expect("rows of a new matrix are contiguous"));
    }
    all
}

fn expand(numbers: &[u8], scale: [u8; 2], to: &mut [f32]) {
    let scale = half(u16::from_le_bytes(scale));
    for (byte, to) in numbers.iter().zip(to.as_chunks_mut::<2>().0) {
        to[0] += (f32::from(byte & 15) - 8.0) * scale;
        to[1] += (f32::from(byte >> 4) - 8.0) * scale;
    }
}

/// Converts a 16-bit float. Its exponent is moved unchanged and corrected by a multiplication, which is also right for
/// subnormal numbers; infinities do not occur.
fn half(bits: u16) -> f32 {
    let magnitude = f32::from_bits(u32::from(bits & 0x7fff) << 13) * f32::from_bits(0x7780_0000);
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_16_bit_floats() {
        let cases =
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (0x0001, 5.960_464_5e-8), (0x7bff, 65504.0)];
        for (bits, value) in cases {
            assert_eq!(half(bits).to_bits(), f32::to_bits(value), "{bits:04x}");
        }
    }

    #[test]
    fn refuses_truncated_file() {
        for (file, reason) in [
            (&b"abc"[..], "it has no header"),
            (b"\xff\0\0\0\0\0\0\0{}", "its header is cut off"),
            (b"\x02\0\0\0\0\0\0\0{]", "its header is not JSON: expected value at line 1 column 2"),
        ] {
            let Err(found) = Tensors::read(file) else { panic!("{reason}") };
            assert!(found.starts_with(reason.split(':').next().unwrap()), "{found}");
        }
        let tensors = Tensors::read(b"\x02\0\0\0\0\0\0\0{}").unwrap();
        assert_eq!(tensors.vector("bias", 4).unwrap_err(), "it has no tensor `bias`");
    }
}
