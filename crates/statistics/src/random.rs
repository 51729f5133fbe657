//! Seeded random numbers for simulations: the same seed gives the same numbers, on any machine.

use crate::counts::real;

/// What `SplitMix64` adds to its state for each number.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes a number so that every bit of it affects every bit of the result; it is the final step of `SplitMix64`.
pub fn mix(value: u64) -> u64 {
    let mut mixed = value.wrapping_add(STEP);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Converts a mixed number to a share, from 0 to just below 1.
pub fn share(mixed: u64) -> f64 {
    real(mixed >> 11) / real(1 << 53)
}

/// The `SplitMix64` generator. Fast and good enough to simulate runs; not for secrets.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator whose numbers depend on the seed only.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number of 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let mixed = mix(self.state);
        self.state = self.state.wrapping_add(STEP);
        mixed
    }

    /// A number from 0 to below 1, evenly distributed.
    pub fn next_f64(&mut self) -> f64 {
        share(self.next_u64())
    }

    /// Whether a run passes that does so at this rate.
    pub fn passes(&mut self, rate: f64) -> bool {
        self.next_f64() < rate
    }

    /// How many of several runs pass.
    pub fn binomial(&mut self, runs: u64, rate: f64) -> u64 {
        (0..runs).map(|_| u64::from(self.passes(rate))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_reference_implementation() {
        let mut random = Random::new(1_234_567);
        let numbers: Vec<u64> = (0..3).map(|_| random.next_u64()).collect();
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn draws_at_the_given_rate() {
        // Over many seeds, since a single one may be far off by chance: the mean, and the spread around it.
        let counts: Vec<f64> = (0..200).map(|seed| real(Random::new(seed).binomial(1_000, 0.3)) - 300.0).collect();
        let mean = counts.iter().sum::<f64>() / 200.0;
        let variance = counts.iter().map(|off| off * off).sum::<f64>() / 200.0;
        assert!(mean.abs() < 4.0 && (150.0..270.0).contains(&variance), "{mean} {variance}, expected 0 and 210");
        let mut random = Random::new(1);
        assert_eq!((random.binomial(100, 0.0), random.binomial(100, 1.0)), (0, 100));
    }
}
