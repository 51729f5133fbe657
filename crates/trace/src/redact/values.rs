//! Values that are removed wherever they stand, found in one pass however many there are.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};

use super::encoding::forms;
use super::redactor::PLACEHOLDER;

/// A shorter value is not looked for in text: it would be found everywhere.
const SHORTEST: usize = 6;
/// How many values are remembered, all forms of each counted.
const MOST: usize = 200_000;
/// So many new ones are looked for one by one before the automaton is built anew.
const FEW: usize = 48;
/// A text that was cut may end in the beginning of a secret; this much of it is enough to know it by.
const FRAGMENT: usize = 8;
/// What is cut is cut at a few hundred characters.
const LONGEST_CUT: usize = 400;

/// Values to remove.
#[derive(Debug, Clone, Default)]
pub(super) struct Values {
    known: BTreeSet<Arc<str>>,
    /// Those that the automaton does not know yet, longest first.
    recent: Vec<Arc<str>>,
    automaton: Option<Arc<AhoCorasick>>,
}

impl Values {
    /// Remembers a value in every form that it may be written in.
    pub(super) fn add(&mut self, value: &str) {
        let value = value.trim();
        if value.len() < SHORTEST
            || value.contains(PLACEHOLDER)
            || self.known.len() >= MOST
            || self.known.contains(value)
        {
            return;
        }
        for form in forms(value) {
            let form: Arc<str> = form.into();
            if self.known.insert(Arc::clone(&form)) {
                let at = self.recent.partition_point(|known| known.len() >= form.len());
                self.recent.insert(at, form);
            }
        }
        // In steps that grow with what is known, so that building it costs little for each value.
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

    /// Whether a text is one of the values.
    pub(super) fn holds(&self, text: &str) -> bool {
        self.known.contains(text)
    }

    /// The text without the values.
    pub(super) fn remove<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        if let Some(automaton) = &self.automaton {
            found.extend(automaton.find_iter(text).map(|found| (found.start(), found.end())));
        }
        for value in &self.recent {
            found.extend(text.match_indices(&**value).map(|(at, value)| (at, at + value.len())));
        }
        let clean = if found.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(without(text, found)) };
        match self.cut_off(&clean) {
            Some(cut) => Cow::Owned(cut),
            None => clean,
        }
    }

    /// The text with the beginning of a value removed where the text was cut in the middle of it, which three dots tell.
    fn cut_off(&self, text: &str) -> Option<String> {
        if self.known.is_empty() {
            return None;
        }
        let (end, start) = text.match_indices("...").find_map(|(end, _)| Some((end, self.begun(&text[..end])?)))?;
        let cleaned = format!("{}{PLACEHOLDER}{}", &text[..start], &text[end..]);
        // There may be another one further on.
        Some(self.cut_off(&cleaned).unwrap_or(cleaned))
    }

    /// Where a text ends in the beginning of a value.
    fn begun(&self, text: &str) -> Option<usize> {
        let from = text.len().saturating_sub(LONGEST_CUT);
        let starts = text.char_indices().map(|(at, _)| at).skip_while(|at| *at < from);
        starts.take_while(|at| text.len() - at >= FRAGMENT).find(|at| {
            let rest = &text[*at..];
            // The values that begin with what is left stand together, right behind it.
            let next = self.known.range::<str, _>((Bound::Excluded(rest), Bound::Unbounded)).next();
            next.is_some_and(|value| value.starts_with(rest))
        })
    }
}

/// The text with the placeholder for each stretch; stretches that overlap are one, so that no tail of a secret stays behind.
fn without(text: &str, mut found: Vec<(usize, usize)>) -> String {
    found.sort_unstable();
    let mut clean = String::with_capacity(text.len());
    let mut done = 0;
    for (start, end) in found {
        if start >= done {
            clean.push_str(&text[done..start]);
            clean.push_str(PLACEHOLDER);
        }
        done = done.max(end);
    }
    clean.push_str(&text[done..]);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_values_are_all_removed() {
        let mut values = Values::default();
        for number in 0..3_000 {
            values.add(&format!("secret-number-{number}"));
        }
        assert_eq!(values.remove("a secret-number-2999, secret-number-7 b"), "a [REDACTED], [REDACTED] b");
        assert!(matches!(values.remove("nothing to see"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_value_is_known_in_the_forms_it_travels_in() {
        let mut values = Values::default();
        values.add("pass word/1");
        assert_eq!(values.remove("?p=pass%20word%2F1&"), "?p=[REDACTED]&");
        assert_eq!(values.remove("cGFzcyB3b3JkLzE="), "[REDACTED]");
    }

    #[test]
    fn a_value_that_was_cut_is_known_by_its_beginning() {
        let mut values = Values::default();
        values.add("quo\"te-secret-value");
        assert_eq!(values.remove("see quo\"te-sec..."), "see [REDACTED]...");
        assert_eq!(values.remove("x quo\"te-sec... y quo\"te-secre..."), "x [REDACTED]... y [REDACTED]...");
        assert_eq!(values.remove("see quo\"te-other..."), "see quo\"te-other...");
        assert_eq!(values.remove("see quo\"te-sec and more"), "see quo\"te-sec and more");
    }
}
