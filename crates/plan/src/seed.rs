//! Random choices that depend only on a seed.

pub use agentci_statistics::{mix, share};

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
