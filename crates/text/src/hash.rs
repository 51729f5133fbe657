//! FNV-1a: hashes that are the same on every machine and in every version, which those of the standard library are not.

/// The 32-bit hash, short enough for names.
pub fn fnv1a_32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// The 64-bit hash of nothing, to be continued with [`fnv1a`].
pub const FNV1A: u64 = 0xcbf2_9ce4_8422_2325;

/// Continues a 64-bit hash with more bytes.
pub fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_values() {
        assert_eq!(fnv1a_32(b"foobar"), 0xbf9c_f968);
        assert_eq!(fnv1a(FNV1A, b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(fnv1a(fnv1a(FNV1A, b"foo"), b"bar"), fnv1a(FNV1A, b"foobar"));
    }
}
