//! Searches for values without an automaton, which takes longer to build than to search a text.
//!
//! Every value has at least six bytes. One pass over a text looks up every six-byte window in a small bit table; most
//! windows match no value, and only values whose first bytes occur are searched for.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// The number of bytes of a value's prefix. No value is shorter.
const BEGINNING: usize = 6;
/// The minimum size of the table.
const SMALLEST: usize = 1 << 12;
/// The number of table slots per prefix, so that collisions are rare.
const PLACES_EACH: usize = 16;

/// Values that are found anywhere in a text.
#[derive(Debug, Clone, Default)]
pub(super) struct RecentValues {
    values: Vec<Arc<str>>,
    /// The values by their prefix.
    by_beginning: HashMap<u64, Vec<usize>>,
    /// A slot for each prefix; the length is zero or a power of two.
    marks: Vec<bool>,
}

impl RecentValues {
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn add(&mut self, value: Arc<str>) {
        let mut unmarked = self.values.len();
        self.by_beginning.entry(beginning(value.as_bytes())).or_default().push(unmarked);
        self.values.push(value);
        let places = self.by_beginning.len() * PLACES_EACH;
        if places > self.marks.len() {
            self.marks = vec![false; (places * 2).max(SMALLEST).next_power_of_two()];
            unmarked = 0;
        }
        for value in &self.values[unmarked..] {
            let place = self.place(beginning(value.as_bytes()));
            self.marks[place] = true;
        }
    }

    /// The ranges of the values in a text, in no particular order: for each value those of `match_indices`.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Range<usize>>) {
        for value in self.within(text).into_iter().filter_map(|at| self.values.get(at)) {
            found.extend(text.match_indices(&**value).map(|(at, value)| at..at + value.len()));
        }
    }

    /// The values that occur in a text.
    fn within(&self, text: &str) -> BTreeSet<usize> {
        let mut within = BTreeSet::new();
        let bytes = text.as_bytes();
        if self.marks.is_empty() || bytes.len() < BEGINNING {
            return within;
        }
        let mut window = beginning(bytes) << 8;
        for (start, last) in bytes.iter().skip(BEGINNING - 1).enumerate() {
            // The first iteration takes the last byte of the first window again.
            window = ((window >> 8) & MASK) | (u64::from(*last) << (8 * (BEGINNING - 1)));
            if !self.marks[self.place(window)] {
                continue;
            }
            let Some(values) = self.by_beginning.get(&window) else { continue };
            let rest = &bytes[start..];
            let stands = |at: &&usize| self.values.get(**at).is_some_and(|value| rest.starts_with(value.as_bytes()));
            within.extend(values.iter().filter(|at| !within.contains(at)).filter(stands).copied().collect::<Vec<_>>());
        }
        within
    }

    /// The slot of a prefix in the table.
    fn place(&self, key: u64) -> usize {
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        usize::try_from(mixed).expect("the upper half has 32 bits") & (self.marks.len() - 1)
    }
}

/// The bits of a window.
const MASK: u64 = (1 << (8 * BEGINNING)) - 1;

/// The prefix as an integer, first byte lowest; missing bytes count as zero.
fn beginning(bytes: &[u8]) -> u64 {
    bytes.iter().take(BEGINNING).rev().fold(0, |key, byte| (key << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(values: &[String], text: &str) -> Vec<Range<usize>> {
        let mut recent = RecentValues::default();
        for value in values {
            recent.add(value.as_str().into());
        }
        let mut found = Vec::new();
        recent.find(text, &mut found);
        found.sort_by_key(|range| (range.start, range.end));
        found
    }

    fn one_by_one(values: &[String], text: &str) -> Vec<Range<usize>> {
        let each = |value: &String| text.match_indices(value.as_str()).map(|(at, it)| at..at + it.len()).collect();
        let mut found: Vec<Range<usize>> = values.iter().flat_map::<Vec<_>, _>(each).collect();
        found.sort_by_key(|range| (range.start, range.end));
        found
    }

    proptest! {
        /// Uses few letters, so that values overlap, repeat and share prefixes, and some multi-byte letters.
        #[test]
        fn finds_same_ranges_as_individual_searches(
            values in prop::collection::btree_set("[abä]{6,9}", 0..40),
            text in "[abä]{0,200}",
        ) {
            let values: Vec<String> = values.into_iter().collect();
            prop_assert_eq!(found(&values, &text), one_by_one(&values, &text));
        }

        #[test]
        fn finds_many_values_in_text(
            values in prop::collection::btree_set("[ -~]{6,20}", 0..400),
            pieces in prop::collection::vec("[ -~]{0,20}", 0..20),
            chosen in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
        ) {
            let values: Vec<String> = values.into_iter().collect();
            let mut text = pieces.concat();
            for index in chosen.iter().filter(|_| !values.is_empty()) {
                text.push_str(index.get(&values[..]).as_str());
            }
            prop_assert_eq!(found(&values, &text), one_by_one(&values, &text));
        }
    }

    #[test]
    fn finds_value_at_start_and_end_of_text() {
        let values = ["secret".to_owned(), "secret-1".to_owned()];
        assert_eq!(found(&values, "secret"), vec![0..6_usize; 1]);
        assert_eq!(found(&values, "a secret-1"), [2..8, 2..10]);
        assert!(found(&values, "secre").is_empty());
        assert!(found(&[], "secret").is_empty());
    }
}
