//! Random choices that depend only on a seed.

/// Mixes a number so that every bit of it affects every bit of the result; it is the final step of `SplitMix64`.
pub fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Converts a mixed number to a share, from 0 to just below 1.
pub fn share(mixed: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double")]
    let share = (mixed >> 11) as f64 / (1_u64 << 53) as f64;
    share
}

/// A number from 0 to 1 that depends only on the arguments.
pub fn draw(seed: u64, fault: u64, tool: &str, call: u32) -> f64 {
    let mut state = mix(seed ^ mix(fault));
    for byte in tool.bytes() {
        state = mix(state ^ u64::from(byte));
    }
    state = mix(state ^ u64::from(call));
    share(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_seeds_are_evenly_distributed() {
        let shares: Vec<f64> = (0..1000).map(|number| share(mix(number))).collect();
        let mean = shares.iter().sum::<f64>() / 1000.0;
        assert!((0.45..0.55).contains(&mean), "{mean}");
        assert!(shares.iter().all(|share| (0.0..1.0).contains(share)));
        assert!(shares.windows(2).filter(|pair| (pair[0] - pair[1]).abs() < 0.01).count() < 50);
    }
}
