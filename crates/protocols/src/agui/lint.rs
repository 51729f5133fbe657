//! Collects the protocol violations of an answer.

use std::collections::HashSet;
use std::fmt;

/// The maximum number of violations that are listed.
const LIMIT: usize = 20;

/// Collects violations without duplicates.
#[derive(Debug, Default)]
pub(super) struct Lint {
    seen: HashSet<String>,
    full: bool,
}

impl Lint {
    /// The message for a violation, unless it was already reported.
    pub(super) fn violation(&mut self, number: usize, event: &str, words: impl fmt::Display) -> Option<String> {
        if self.full {
            return None;
        }
        let rule = format!("`{event}`: {words}");
        if self.seen.contains(&rule) {
            return None;
        }
        if self.seen.len() == LIMIT {
            self.full = true;
            return Some(format!("event {number}, {rule}; more violations follow and are not listed"));
        }
        let sentence = format!("event {number}, {rule}");
        self.seen.insert(rule);
        Some(sentence)
    }
}

/// An untrusted id or name, in backticks and truncated.
pub(super) struct QuotedName<'n>(pub(super) &'n str);

impl fmt::Display for QuotedName<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(80) {
            Some((end, _)) => write!(formatter, "`{}...`", &self.0[..end]),
            None => write!(formatter, "`{}`", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_violation_is_reported_once_up_to_a_limit() {
        let mut lint = Lint::default();
        assert_eq!(lint.violation(3, "RAW", "x").unwrap(), "event 3, `RAW`: x");
        assert_eq!(lint.violation(4, "RAW", "x"), None);
        let said: Vec<_> = (0..100).filter_map(|id| lint.violation(5, "RAW", format!("y{id}"))).collect();
        assert_eq!(said.len(), 20);
        assert!(said[19].ends_with("; more violations follow and are not listed"), "{}", said[19]);
    }
}
