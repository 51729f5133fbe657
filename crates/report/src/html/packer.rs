//! Text that is compressed while it is made, as letters that mean nothing to a browser.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};

use crate::pieces::PIECE;

/// How hard to compress: a run with ten thousand cases is not to wait for its page, and more saves little.
const LEVEL: i32 = 1;
/// With the head and the checksum that zlib has.
const ZLIB: i32 = 15;

/// What is compressed.
pub(super) struct Packer {
    /// What was not compressed yet.
    pub(super) text: Vec<u8>,
    compressor: Box<CompressorOxide>,
    packed: Vec<u8>,
}

impl Default for Packer {
    fn default() -> Self {
        let flags = create_comp_flags_from_zip_params(LEVEL, ZLIB, 0);
        Self { text: Vec::new(), compressor: Box::new(CompressorOxide::new(flags)), packed: Vec::new() }
    }
}

impl Packer {
    /// Compresses what there is, if it is enough to be worth it.
    pub(super) fn go_on(&mut self) {
        if self.text.len() > PIECE {
            self.press(TDEFLFlush::None);
        }
    }

    /// All of it, packed; what comes next is a text of its own.
    pub(super) fn finish(&mut self) -> String {
        self.press(TDEFLFlush::Finish);
        self.compressor.reset();
        let letters = STANDARD.encode(&self.packed);
        self.packed.clear();
        letters
    }

    fn press(&mut self, flush: TDEFLFlush) {
        let mut rest = self.text.as_slice();
        loop {
            let keep = |bytes: &[u8]| {
                self.packed.extend_from_slice(bytes);
                true
            };
            let (status, taken) = compress_to_output(&mut self.compressor, rest, flush, keep);
            rest = rest.get(taken..).unwrap_or_default();
            if status != TDEFLStatus::Okay || (rest.is_empty() && flush == TDEFLFlush::None) {
                break;
            }
        }
        self.text.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_in_pieces_is_unpacked_as_one() {
        let mut packer = Packer::default();
        for lines in [0_usize, 1, 20_000] {
            let mut whole = Vec::new();
            for line in 0..lines {
                let text = format!("[{line},\"a case\"],");
                whole.extend_from_slice(text.as_bytes());
                packer.text.extend_from_slice(text.as_bytes());
                packer.go_on();
            }
            let bytes = STANDARD.decode(packer.finish()).unwrap();
            assert_eq!(miniz_oxide::inflate::decompress_to_vec_zlib(&bytes).unwrap(), whole);
            assert!(lines < 2 || bytes.len() < whole.len() / 2);
        }
    }
}
