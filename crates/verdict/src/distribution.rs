//! How often each value of a number occurred.

use std::collections::BTreeMap;

use crate::Spread;

/// How often each value of a number occurred: enough for exact percentiles, in the memory of the values that differ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Distribution(BTreeMap<OrderedBits, u64>);

/// The bits of a number, so that their order is that of [`f64::total_cmp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct OrderedBits(u64);

const SIGN: u64 = 1 << 63;

impl OrderedBits {
    fn of(value: f64) -> Self {
        let bits = value.to_bits();
        Self(if bits & SIGN == 0 { bits | SIGN } else { !bits })
    }

    fn value(self) -> f64 {
        f64::from_bits(if self.0 & SIGN == 0 { !self.0 } else { self.0 & !SIGN })
    }
}

impl Distribution {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        *self.0.entry(OrderedBits::of(value)).or_default() += 1;
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of values.
    pub fn count(&self) -> u64 {
        self.0.values().sum()
    }

    /// Each value with its number of occurrences, in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (f64, u64)> {
        self.0.iter().map(|(bits, count)| (bits.value(), *count))
    }

    /// The spread of the values, if there are any. The mean is the sum of all values in ascending order, so it does not
    /// depend on the order in which they were added.
    pub fn spread(&self) -> Option<Spread> {
        let (min, max) = (self.iter().next()?.0, self.iter().next_back()?.0);
        let count = self.count();
        let sum: f64 = self.iter().flat_map(|(value, count)| (0..count).map(move |_| value)).sum();
        let rank = |percent: u64| {
            let mut left = (count * percent).div_ceil(100).max(1);
            let found = self.iter().find(|(_, count)| {
                let reached = left <= *count;
                left = left.saturating_sub(*count);
                reached
            });
            found.map_or(max, |(value, _)| value)
        };
        #[expect(clippy::cast_precision_loss, reason = "there are fewer cases than a double can count")]
        let mean = sum / count as f64;
        Some(Spread { min, p50: rank(50), p95: rank(95), mean, max })
    }
}

impl Extend<f64> for Distribution {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.add(value));
    }
}

impl FromIterator<f64> for Distribution {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut all = Self::default();
        all.extend(values);
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn spread_is_that_of_the_sorted_values(values in prop::collection::vec(-1e6_f64..1e6, 1..200)) {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let rank = |percent: usize| sorted[(sorted.len() * percent).div_ceil(100).max(1) - 1];
            #[expect(clippy::cast_precision_loss, reason = "at most 200")]
            let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
            let expected =
                Spread { min: sorted[0], p50: rank(50), p95: rank(95), mean, max: sorted[sorted.len() - 1] };
            prop_assert_eq!(values.into_iter().collect::<Distribution>().spread(), Some(expected));
        }
    }

    #[test]
    fn equal_values_are_stored_once() {
        let many: Distribution = std::iter::repeat_n([-1.5, 0.0, 7.0], 1000).flatten().collect();
        assert_eq!(many.iter().collect::<Vec<_>>(), [(-1.5, 1000), (0.0, 1000), (7.0, 1000)]);
        assert_eq!((many.count(), Distribution::default().spread()), (3000, None));
    }
}
