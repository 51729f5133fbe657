//! SHA-256 digests.

use sha2::{Digest as _, Sha256};

/// The SHA-256 of bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    sha256_beginning(bytes, usize::MAX)
}

/// The SHA-256 of bytes.
pub fn sha256_bytes(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The first digits of the SHA-256, enough for names and fingerprints.
pub fn sha256_beginning(bytes: &[u8], length: usize) -> String {
    let mut digits = format!("{:x}", Sha256::digest(bytes));
    digits.truncate(length);
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_lowercase_hex() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let formatted = format!("{:x}", Sha256::digest(b""));
        assert_eq!(sha256(b""), formatted);
        assert_eq!(sha256_beginning(b"abc", 7), sha256(b"abc")[..7]);
    }
}
