//! Ids that nobody else has.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

/// A random UUID. The numbers come from the keys that the standard library draws for its hash maps.
pub(crate) fn fresh_id() -> String {
    let draw = || RandomState::new().build_hasher().finish();
    let (high, low) = (draw(), draw());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        0x8000 | (low >> 48) & 0x3fff,
        low & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_are_alike_and_all_are_uuids() {
        let ids: HashSet<String> = (0..1000).map(|_| fresh_id()).collect();
        assert_eq!(ids.len(), 1000);
        for id in ids {
            let lengths: Vec<usize> = id.split('-').map(str::len).collect();
            assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
            assert_eq!(id.as_bytes()[14], b'4');
            assert!(matches!(id.as_bytes()[19], b'8' | b'9' | b'a' | b'b'), "{id}");
        }
    }
}
