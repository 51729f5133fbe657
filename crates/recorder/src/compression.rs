//! Decompresses bodies so that they can be read.

use miniz_oxide::inflate::{
    DecompressError, TINFLStatus, decompress_to_vec_with_limit, decompress_to_vec_zlib_with_limit,
};

/// Maximum size of a decompressed body, in bytes.
pub(crate) const LARGEST_UNPACKED: usize = 64 << 20;

/// The decompressed body. `None` if it is not compressed, if it exceeds [`LARGEST_UNPACKED`], or if the encoding is not
/// supported. A truncated body is decompressed as far as it goes.
pub(crate) fn unpacked(encoding: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let unpacked = match encoding.trim().to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" => decompress_to_vec_with_limit(after_gzip_header(bytes)?, LARGEST_UNPACKED),
        // `deflate` should have a zlib header, but some servers omit it.
        "deflate" => decompress_to_vec_zlib_with_limit(bytes, LARGEST_UNPACKED)
            .or_else(|_| decompress_to_vec_with_limit(bytes, LARGEST_UNPACKED)),
        _ => return None,
    };
    match unpacked {
        Ok(bytes) => Some(bytes),
        Err(error) if error.status == TINFLStatus::HasMoreOutput => None,
        Err(DecompressError { mut output, .. }) => {
            // The unused end of the output buffer.
            let filled = output.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            output.truncate(filled);
            (filled > 0).then_some(output)
        }
    }
}

/// Whether a body with this encoding can be read.
pub(crate) fn is_readable(encoding: &str) -> bool {
    matches!(encoding.trim().to_ascii_lowercase().as_str(), "" | "identity" | "gzip" | "x-gzip" | "deflate")
}

/// The bytes after the header, RFC 1952 section 2.3.
fn after_gzip_header(bytes: &[u8]) -> Option<&[u8]> {
    let [0x1f, 0x8b, 8, flags, _, _, _, _, _, _, rest @ ..] = bytes else { return None };
    let mut rest = rest;
    if flags & 4 != 0 {
        let [low, high, after @ ..] = rest else { return None };
        rest = after.get(usize::from(u16::from_le_bytes([*low, *high]))..)?;
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            rest = rest.get(memchr::memchr(0, rest)? + 1..)?;
        }
    }
    if flags & 2 == 0 { Some(rest) } else { rest.get(2..) }
}

#[cfg(test)]
mod tests {
    use miniz_oxide::deflate::{compress_to_vec, compress_to_vec_zlib};

    use super::*;

    const TEXT: &[u8] = b"a body that says a body that says a body that says";

    fn gzip(flags: u8, extra: &[u8]) -> Vec<u8> {
        let header = [0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3];
        [&header, extra, &compress_to_vec(TEXT, 6), b"12345678"].concat()
    }

    #[test]
    fn decompresses_every_supported_encoding() {
        assert_eq!(unpacked("gzip", &gzip(0, b"")).as_deref(), Some(TEXT));
        assert_eq!(unpacked("X-GZIP", &gzip(4 | 8 | 16 | 2, b"\x02\x00xxname\0comment\0hh")).as_deref(), Some(TEXT));
        assert_eq!(unpacked("deflate", &compress_to_vec_zlib(TEXT, 6)).as_deref(), Some(TEXT));
        assert_eq!(unpacked("deflate", &compress_to_vec(TEXT, 6)).as_deref(), Some(TEXT));
        for (encoding, bytes) in
            [("gzip", TEXT), ("br", TEXT), ("", TEXT), ("gzip", b"\x1f\x8b\x08\x08\0\0\0\0\0\0name")]
        {
            assert_eq!(unpacked(encoding, bytes), None, "{encoding}");
        }
    }

    #[test]
    fn truncated_body_is_decompressed_partially() {
        let words = (0..5_000).map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
        let whole = [&gzip(0, b"")[..10], &compress_to_vec(words.as_bytes(), 6)].concat();
        let part = unpacked("gzip", &whole[..whole.len() / 2]).unwrap();
        assert!(part.len() > 1_000 && words.as_bytes().starts_with(&part));
    }

    #[test]
    fn refuses_decompression_bomb() {
        let bomb = compress_to_vec(&vec![0; LARGEST_UNPACKED + 1], 6);
        assert!(bomb.len() < 1 << 20);
        assert_eq!(unpacked("deflate", &bomb), None);
    }
}
