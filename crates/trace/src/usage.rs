//! The usage that the agent reports.

use serde::{Deserialize, Serialize};

/// Tokens and cost, as far as they are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// The number of input tokens.
    pub tokens_in: Option<u64>,
    /// The number of output tokens.
    pub tokens_out: Option<u64>,
    /// The cost in US dollars.
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// The sum of both; values that neither has stay unknown. Sums saturate, so that a limit is still exceeded.
    #[must_use]
    pub fn plus(self, other: Usage) -> Usage {
        fn sum<T>(a: Option<T>, b: Option<T>, add: fn(T, T) -> T) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(add(a, b)),
                (a, b) => a.or(b),
            }
        }
        Usage {
            tokens_in: sum(self.tokens_in, other.tokens_in, u64::saturating_add),
            tokens_out: sum(self.tokens_out, other.tokens_out, u64::saturating_add),
            cost_usd: sum(self.cost_usd, other.cost_usd, add_decimals),
        }
    }
}

/// Adds numbers as decimals: three times 0.1 is 0.3, unlike with binary fractions.
pub fn add_decimals(a: f64, b: f64) -> f64 {
    let exact = || {
        let ((a, a_digits), (b, b_digits)) = (decimal(a)?, decimal(b)?);
        let digits = a_digits.max(b_digits);
        let scaled = |number: i128, own: u32| number.checked_mul(10_i128.checked_pow(digits - own)?);
        let sum = scaled(a, a_digits)?.checked_add(scaled(b, b_digits)?)?;
        format!("{sum}e-{digits}").parse().ok()
    };
    exact().unwrap_or_else(|| (a + b).clamp(f64::MIN, f64::MAX))
}

/// A number as an integer and the number of its decimal places. `None` for numbers that are too large or too small.
fn decimal(number: f64) -> Option<(i128, u32)> {
    let written = number.to_string();
    let (whole, fraction) = written.split_once('.').unwrap_or((&written, ""));
    Some((format!("{whole}{fraction}").parse().ok()?, u32::try_from(fraction.len()).ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sums_are_exact_decimals() {
        let total = [0.1; 3].into_iter().reduce(add_decimals);
        assert_eq!(total, Some(0.3));
        assert_eq!([0.07; 100].into_iter().reduce(add_decimals), Some(7.0));
        assert_eq!(add_decimals(1e-9, 2e-9).to_string(), "0.000000003");
        assert_eq!(add_decimals(-0.3, 0.1).to_string(), "-0.2");
    }

    #[test]
    fn sums_saturate() {
        let most = Usage { tokens_in: Some(u64::MAX), tokens_out: Some(7), cost_usd: Some(f64::MAX) };
        let more = most.plus(Usage { tokens_in: Some(2), tokens_out: None, cost_usd: Some(f64::MAX) });
        assert_eq!(more, Usage { tokens_in: Some(u64::MAX), tokens_out: Some(7), cost_usd: Some(f64::MAX) });
    }

    proptest! {
        #[test]
        fn decimal_sum_is_close_to_binary_sum(a in -1e15..1e15_f64, b in -1e15..1e15_f64) {
            let (exact, binary) = (add_decimals(a, b), a + b);
            prop_assert!((exact - binary).abs() <= (a.abs() + b.abs()) * 1e-15, "{exact} {binary}");
        }
    }
}
