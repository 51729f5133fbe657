//! Generates unique ids that a replay reproduces.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

use agentci_plan::mix;

/// A random number, from the random keys of the standard library's hash maps.
pub fn random_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Generates UUIDs. Equal seeds give equal UUIDs, in the same order.
#[derive(Debug)]
pub struct UuidSource {
    seed: u64,
    made: u64,
}

impl UuidSource {
    /// The UUIDs of a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, made: 0 }
    }

    /// The next UUID.
    pub fn fresh(&mut self) -> String {
        let mut draw = || {
            self.made += 1;
            mix(self.seed ^ mix(self.made))
        };
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
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_unique_valid_uuids() {
        let ids: BTreeSet<String> = [1, 2, random_seed()]
            .into_iter()
            .flat_map(|seed| {
                let mut ids = UuidSource::new(seed);
                (0..1000).map(move |_| ids.fresh())
            })
            .collect();
        assert_eq!(ids.len(), 3000);
        for id in ids {
            let lengths: Vec<usize> = id.split('-').map(str::len).collect();
            assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
            assert_eq!(id.as_bytes()[14], b'4');
            assert!(matches!(id.as_bytes()[19], b'8' | b'9' | b'a' | b'b'), "{id}");
        }
    }

    #[test]
    fn same_seed_generates_same_ids() {
        let (mut one, mut other) = (UuidSource::new(7), UuidSource::new(7));
        assert!((0..9).all(|_| one.fresh() == other.fresh()));
    }
}
