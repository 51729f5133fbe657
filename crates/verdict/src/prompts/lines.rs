//! Compares two system prompts line by line.

use agentci_text::{common_subsequence, count_of, shorten};

use super::request_record::{PromptLine, SystemPrompt};

/// The maximum number of line pairs that are compared to find the changed lines; beyond that, all lines between the
/// first and the last difference count as changed.
const PAIRS: usize = 4_000_000;
/// The number of characters of a line that are shown.
const SHOWN: usize = 120;
/// The number of characters shown before the first difference of two long lines.
const BEFORE: usize = 30;

/// The first line that differs, with its number from 1.
#[derive(Debug, Clone, Copy)]
struct FirstDifference<'p> {
    number: usize,
    old: Option<PromptLine<'p>>,
    new: Option<PromptLine<'p>>,
}

/// `system prompt: 2 lines changed; line 3 was "..", is ".."`.
pub(super) fn system_change(old: &SystemPrompt, new: &SystemPrompt) -> String {
    let (one, other): (Vec<PromptLine<'_>>, Vec<PromptLine<'_>>) = (old.lines().collect(), new.lines().collect());
    let (kinds, first) = differing(&one, &other);
    let counts: Vec<String> = kinds
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, kind)| format!("{} {kind}", count_of(*count, "line")))
        .collect();
    let counts = if counts.is_empty() { "changed".to_owned() } else { counts.join(", ") };
    let first = first.map(first_words).unwrap_or_default();
    format!("system prompt: {counts}{first}")
}

fn first_words(first: FirstDifference<'_>) -> String {
    let FirstDifference { number, old, new } = first;
    match (old, new) {
        (Some(old), Some(new)) => match (old.text, new.text) {
            (Some(old), Some(new)) if old == new => {
                format!("; line {number} differs after the first {} bytes, which are kept", old.len())
            }
            (Some(old), Some(new)) => {
                let (old, new) = apart(old, new);
                format!("; line {number} was {old:?}, is {new:?}")
            }
            (None, Some(new)) => format!("; line {number} is {:?}", shorten(new, SHOWN)),
            (Some(old), None) => format!("; line {number} was {:?}", shorten(old, SHOWN)),
            (None, None) => format!("; the first is line {number}"),
        },
        (None, Some(new)) => format!("; line {number} is new{}", quoted(new)),
        (Some(old), None) => format!("; line {number} is gone{}", quoted(old)),
        (None, None) => String::new(),
    }
}

fn quoted(line: PromptLine<'_>) -> String {
    line.text.map(|text| format!(": {:?}", shorten(text, SHOWN))).unwrap_or_default()
}

/// Both lines, starting shortly before the first difference.
pub(super) fn apart(old: &str, new: &str) -> (String, String) {
    let equal = old.chars().zip(new.chars()).take_while(|(one, other)| one == other).count();
    if equal <= SHOWN / 2 {
        return (shorten(old, SHOWN).into_owned(), shorten(new, SHOWN).into_owned());
    }
    let from = |text: &str| {
        let start = text.char_indices().nth(equal - BEFORE).map_or(0, |(start, _)| start);
        // Do not start within a word.
        let start =
            text[start..].find(' ').filter(|skipped| *skipped < BEFORE).map_or(start, |skipped| start + skipped + 1);
        format!("...{}", shorten(&text[start..], SHOWN))
    };
    (from(old), from(new))
}

/// The number of changed, added and removed lines, and the first difference.
fn differing<'p>(
    old: &[PromptLine<'p>],
    new: &[PromptLine<'p>],
) -> ([(usize, &'static str); 3], Option<FirstDifference<'p>>) {
    let same = |one: &PromptLine<'_>, other: &PromptLine<'_>| one.is_same(other);
    let start = old.iter().zip(new).take_while(|(one, other)| same(one, other)).count();
    let (one, other) = (&old[start..], &new[start..]);
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| same(one, other)).count();
    let (one, other) = (&one[..one.len() - end], &other[..other.len() - end]);
    let (mut changed, mut added, mut removed, mut first) = (0, 0, 0, None);
    for (from, to) in hunks(one, other) {
        let both = from.len().min(to.len());
        changed += both;
        removed += from.len() - both;
        added += to.len() - both;
        first.get_or_insert_with(|| FirstDifference {
            number: start + if to.is_empty() { from.start } else { to.start } + 1,
            old: one[from.clone()].first().copied(),
            new: other[to.clone()].first().copied(),
        });
    }
    ([(changed, "changed"), (added, "added"), (removed, "removed")], first)
}

type Hunk = (std::ops::Range<usize>, std::ops::Range<usize>);

/// The differing ranges of two lists of lines, by their longest common subsequence.
fn hunks(old: &[PromptLine<'_>], new: &[PromptLine<'_>]) -> Vec<Hunk> {
    if old.len().saturating_mul(new.len()) > PAIRS {
        return vec![(0..old.len(), 0..new.len())];
    }
    let common = common_subsequence(old.len(), new.len(), |one, other| old[one].is_same(&new[other]));
    let (mut hunks, mut from) = (Vec::new(), (0, 0));
    for (one, other) in common.into_iter().chain([(old.len(), new.len())]) {
        if from != (one, other) {
            hunks.push((from.0..one, from.1..other));
        }
        from = (one + 1, other + 1);
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(lines: &str) -> SystemPrompt {
        let lines = lines
            .lines()
            .map(|line| format!("h{line} {line}").replacen(&format!("h{line}"), &line.replace(' ', "_"), 1));
        SystemPrompt { lines: lines.collect(), ..SystemPrompt::default() }
    }

    #[test]
    fn counts_changed_lines_and_shows_first() {
        for (old, new, words) in [
            ("a\nb\nc", "a\nB\nc", "1 line changed; line 2 was \"b\", is \"B\""),
            ("a\nb\nc\nd", "a\nB\nc\nD", "2 lines changed; line 2 was \"b\", is \"B\""),
            ("a\nc", "a\nb\nc", "1 line added; line 2 is new: \"b\""),
            ("a\nb\nc", "a\nc", "1 line removed; line 2 is gone: \"b\""),
            ("a\nb\nc\nd", "x\na\nb\nd", "1 line added, 1 line removed; line 1 is new: \"x\""),
        ] {
            assert_eq!(system_change(&prompt(old), &prompt(new)), format!("system prompt: {words}"));
        }
    }

    #[test]
    fn shows_long_line_around_difference() {
        let long = "word ".repeat(60);
        let (old, new) = (prompt(&format!("{long}never {long}")), prompt(&format!("{long}always {long}")));
        let words = system_change(&old, &new);
        assert!(words.contains("was \"...") && words.contains("never") && words.contains("always"), "{words}");
        assert!(words.len() < 400, "{words}");
    }
}
