//! Values that are removed wherever they occur, found in one pass regardless of their number.

use std::collections::BTreeSet;
use std::ops::{Bound, Range};
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::encoding::forms;
use super::marked::MarkedText;
use super::recent_values::RecentValues;
use super::redactor::PLACEHOLDER;

/// The minimum length of a value: a shorter one would match everywhere.
const SHORTEST: usize = 6;
/// The maximum number of values that are remembered, counting all forms.
const MOST: usize = 200_000;
/// The number of new values that are searched for without the automaton before it is rebuilt.
const FEW: usize = 512;
/// The marks of truncated text: the mark, the minimum length of a value's prefix before it, and the maximum length of
/// the text. Prose also contains three dots, and is truncated at a few hundred characters. The other mark only occurs
/// at the end of lines of this length, whose last characters are not missed.
const CUTS: [(&str, usize, usize); 2] = [("...", 8, 400), (" [cut]", 1, 2_000)];

/// Finds any of a few words, in any letter case.
pub(super) fn any_of(words: &[&str]) -> AhoCorasick {
    // The other kinds search faster, but take longer to build than most runs spend searching.
    let kind = Some(AhoCorasickKind::ContiguousNFA);
    let built = AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(words);
    built.expect("a few short words fit an automaton")
}

/// Values to remove.
#[derive(Debug, Clone, Default)]
pub(super) struct SecretValues {
    known: BTreeSet<Arc<str>>,
    /// Values that are not in the automaton yet.
    recent: RecentValues,
    automaton: Option<Arc<AhoCorasick>>,
}

impl SecretValues {
    /// Remembers a value in all its forms.
    pub(super) fn add(&mut self, value: &str) {
        if !self.lacks(value) {
            return;
        }
        for form in forms(value.trim()) {
            let form: Arc<str> = form.into();
            if self.known.insert(Arc::clone(&form)) {
                self.recent.add(form);
            }
        }
        self.build();
    }

    /// Rebuilds the automaton if many values are not in it.
    fn build(&mut self) {
        // Rebuilding in growing steps keeps the cost per value low.
        if self.recent.len() > FEW.max(self.known.len() / 4) {
            let built = AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(self.known.iter().map(|form| form.as_bytes()));
            if let Ok(automaton) = built {
                self.automaton = Some(Arc::new(automaton));
                self.recent.clear();
            }
        }
    }

    /// Adds all values of another list.
    pub(super) fn absorb(&mut self, other: &SecretValues) {
        for form in &other.known {
            if self.known.len() < MOST && self.known.insert(Arc::clone(form)) {
                self.recent.add(Arc::clone(form));
            }
        }
        self.build();
    }

    /// Whether a value is long enough to remember and not known yet.
    pub(super) fn lacks(&self, value: &str) -> bool {
        let value = value.trim();
        value.len() >= SHORTEST
            && !value.contains(PLACEHOLDER)
            && self.known.len() < MOST
            && !self.known.contains(value)
    }

    /// Whether another list has values that this one does not.
    pub(super) fn lacks_any_of(&self, other: &SecretValues) -> bool {
        !other.known.is_subset(&self.known)
    }

    /// Whether a text is one of the values.
    pub(super) fn holds(&self, text: &str) -> bool {
        self.known.contains(text)
    }

    /// Removes the values from a text.
    pub(super) fn remove(&self, text: &mut MarkedText) {
        if self.known.is_empty() {
            return;
        }
        let found = self.find(text.clean());
        text.remove(&found);
        let cut_off = self.cut_off(text.clean());
        text.remove(&cut_off);
    }

    /// The ranges of the values in a text, in no particular order.
    pub(super) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        if let Some(automaton) = &self.automaton {
            found.extend(automaton.find_iter(text).map(|found| found.range()));
        }
        self.recent.find(text, &mut found);
        found
    }

    /// The ranges of values that were truncated at the end of the text.
    fn cut_off(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for (mark, fragment, longest) in CUTS {
            let cuts = text.match_indices(mark);
            found.extend(cuts.filter_map(|(end, _)| Some(self.begun(&text[..end], fragment, longest)?..end)));
        }
        found
    }

    /// The position where a text ends with the prefix of a value.
    fn begun(&self, text: &str, fragment: usize, longest: usize) -> Option<usize> {
        let from = text.floor_char_boundary(text.len().saturating_sub(longest));
        let starts = text[from..].char_indices().map(|(at, _)| from + at);
        starts.take_while(|at| text.len() - at >= fragment).find(|at| {
            let rest = &text[*at..];
            // In sorted order, the values that start with `rest` follow it directly.
            let next = self.known.range::<str, _>((Bound::Excluded(rest), Bound::Unbounded)).next();
            next.is_some_and(|value| value.starts_with(rest))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removed(values: &SecretValues, text: &str) -> String {
        let mut text = MarkedText::new(text);
        values.remove(&mut text);
        text.into_clean().into_owned()
    }

    #[test]
    fn redacts_many_values() {
        let mut values = SecretValues::default();
        for number in 0..3_000 {
            values.add(&format!("secret-number-{number}"));
        }
        assert_eq!(removed(&values, "a secret-number-2999, secret-number-7 b"), "a [REDACTED], [REDACTED] b");
        assert_eq!(removed(&values, "nothing to see"), "nothing to see");
    }

    /// A value is removed whichever search finds it.
    #[test]
    fn redacts_values_inside_and_outside_automaton() {
        let mut values = SecretValues::default();
        let mut number = 0;
        while values.automaton.is_none() {
            values.add(&format!("secret-number-{number}"));
            number += 1;
        }
        values.add("the-last-one");
        assert!(values.recent.len() > 0);
        assert_eq!(removed(&values, "secret-number-0 the-last-one"), "[REDACTED] [REDACTED]");
    }

    #[test]
    fn number_of_known_values_is_limited() {
        let mut values = SecretValues::default();
        values.known.extend((0..MOST).map(|number| format!("value-{number}").into()));
        assert!(!values.lacks("one-more"));
        values.known.pop_first();
        assert!(values.lacks("one-more"));
    }

    #[test]
    fn redacts_url_encoded_and_base64_values() {
        let mut values = SecretValues::default();
        values.add("pass word/1");
        assert_eq!(removed(&values, "?p=pass%20word%2F1&"), "?p=[REDACTED]&");
        assert_eq!(removed(&values, "cGFzcyB3b3JkLzE="), "[REDACTED]");
    }

    #[test]
    fn redacts_truncated_value_by_its_prefix() {
        let mut values = SecretValues::default();
        values.add("quo\"te-secret-value");
        assert_eq!(removed(&values, "see quo\"te-sec..."), "see [REDACTED]...");
        assert_eq!(removed(&values, "x quo\"te-sec... y quo\"te-secre..."), "x [REDACTED]... y [REDACTED]...");
        assert_eq!(removed(&values, "see quo\"te-other..."), "see quo\"te-other...");
        assert_eq!(removed(&values, "see quo\"te-sec and more"), "see quo\"te-sec and more");
    }

    #[test]
    fn redacts_value_cut_at_end_of_line() {
        let mut values = SecretValues::default();
        values.add("swordfish-of-the-sea");
        let long = "x".repeat(1_990);
        assert_eq!(removed(&values, &format!("{long}sw [cut]")), format!("{long}[REDACTED] [cut]"));
        assert_eq!(
            removed(&values, &format!("{long}swordfish-of-the-s [cut]\nmore")),
            format!("{long}[REDACTED] [cut]\nmore")
        );
        assert_eq!(removed(&values, "see other [cut]"), "see other [cut]");
    }

    #[test]
    fn redacts_every_encoded_form_of_value() {
        let secret = "p\"a/ss wörd+1";
        let mut values = SecretValues::default();
        values.add(secret);
        for form in [
            r#"p\"a/ss wörd+1"#,
            r#"p\\\"a/ss wörd+1"#,
            r#"p\\\\\\\"a/ss wörd+1"#,
            r#"p\"a/ss w\u00f6rd+1"#,
            r#"p\"a\/ss wörd+1"#,
            "p%22a%2Fss%20w%C3%B6rd%2B1",
            "p%22a%2fss%20w%c3%b6rd%2b1",
            "p%22a/ss%20w%C3%B6rd%2B1",
            "p%22a%2Fss+w%C3%B6rd%2B1",
            "p%22a%2fss+w%c3%b6rd%2b1",
            "7022612f73732077c3b672642b31",
            "7022612F73732077C3B672642B31",
        ] {
            assert_eq!(removed(&values, &format!("<{form}>")), "<[REDACTED]>", "{form}");
        }
    }

    #[test]
    fn redacts_multiline_value_with_any_line_ending() {
        let mut values = SecretValues::default();
        values.add("first-line-1\nsecond-line-2\nend");
        for text in ["first-line-1\nsecond-line-2\nend", "first-line-1\r\nsecond-line-2\r\nend"] {
            assert_eq!(removed(&values, text), "[REDACTED]");
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(removed(&values, &json), "\"[REDACTED]\"");
            let twice = serde_json::to_string(&json).unwrap();
            assert_eq!(removed(&values, &twice), "\"\\\"[REDACTED]\\\"\"");
        }
        assert_eq!(removed(&values, r#"["first-line-1","second-line-2"]"#), r#"["[REDACTED]","[REDACTED]"]"#);
        // A short line by itself is not a secret.
        assert_eq!(removed(&values, "the end"), "the end");
    }

    #[test]
    fn value_resembling_placeholder_end_is_redacted() {
        let mut values = SecretValues::default();
        values.add("REDACTED]-and-more");
        assert_eq!(removed(&values, "see REDACTED]-and..."), "see [REDACTED]...");
    }
}
