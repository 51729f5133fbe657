//! Compares two texts word by word.

use std::ops::Range;

use agentci_text::common_subsequence;
use serde::Serialize;

/// A piece of a text that both have, or that only one has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WordPiece<'t> {
    /// Both have it.
    Same(&'t str),
    /// Only the old text has it.
    Old(&'t str),
    /// Only the new text has it.
    New(&'t str),
}

/// The maximum number of pairs of words that are compared; beyond that, everything between the first and the last
/// difference counts as changed.
const PAIRS: usize = 1_000_000;

/// The pieces of two texts. Words are compared with the white space before them.
pub fn word_pieces<'t>(old: &'t str, new: &'t str) -> Vec<WordPiece<'t>> {
    let (one, other) = (words(old), words(new));
    let start = one.iter().zip(&other).take_while(|(a, b)| old[(**a).clone()] == new[(**b).clone()]).count();
    let (rest, others) = (&one[start..], &other[start..]);
    let same = |(a, b): &(&Range<usize>, &Range<usize>)| old[(**a).clone()] == new[(**b).clone()];
    let end = rest.iter().rev().zip(others.iter().rev()).take_while(same).count();
    let (rest, others) = (&rest[..rest.len() - end], &others[..others.len() - end]);
    let mut pieces = Pieces { old, new, at: (0, 0), done: Vec::new() };
    let from = |words: &[Range<usize>], length: usize| words.first().map_or(length, |word| word.start);
    let common = old.len() - one[one.len() - end..].iter().map(Range::len).sum::<usize>();
    let common_new = new.len() - other[other.len() - end..].iter().map(Range::len).sum::<usize>();
    let head = if rest.is_empty() { common.min(old.len()) } else { from(rest, old.len()) };
    let head_new = if others.is_empty() { common_new.min(new.len()) } else { from(others, new.len()) };
    pieces.same(head, head_new);
    if rest.len().saturating_mul(others.len()) <= PAIRS {
        let same = |a: usize, b: usize| old[rest[a].clone()] == new[others[b].clone()];
        for (a, b) in common_subsequence(rest.len(), others.len(), same) {
            pieces.differ(rest[a].start, others[b].start);
            pieces.same(rest[a].end, others[b].end);
        }
    }
    pieces.differ(common, common_new);
    pieces.same(old.len(), new.len());
    pieces.done
}

/// Collects pieces up to positions in both texts.
struct Pieces<'t> {
    old: &'t str,
    new: &'t str,
    at: (usize, usize),
    done: Vec<WordPiece<'t>>,
}

impl Pieces<'_> {
    fn same(&mut self, old: usize, new: usize) {
        let text = &self.old[self.at.0..old];
        let start = self.at.0;
        self.at = (old, new);
        match self.done.last_mut() {
            _ if text.is_empty() => {}
            Some(WordPiece::Same(last)) => *last = &self.old[start - last.len()..old],
            _ => self.done.push(WordPiece::Same(text)),
        }
    }

    fn differ(&mut self, old: usize, new: usize) {
        let (gone, added) = (&self.old[self.at.0..old], &self.new[self.at.1..new]);
        let shared = gone.chars().zip(added.chars()).take_while(|(one, other)| one == other && one.is_whitespace());
        let shared: usize = shared.map(|(space, _)| space.len_utf8()).sum();
        self.same(self.at.0 + shared, self.at.1 + shared);
        let (gone, added) = (&self.old[self.at.0..old], &self.new[self.at.1..new]);
        self.at = (old, new);
        self.done.extend((!gone.is_empty()).then_some(WordPiece::Old(gone)));
        self.done.extend((!added.is_empty()).then_some(WordPiece::New(added)));
    }
}

/// The words of a text, each with the white space before it. Text without spaces, such as Chinese, is split into
/// characters.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let (mut has_letters, mut is_closed) = (false, false);
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        let is_wide = u32::from(character) >= 0x2e80;
        let begins = if character.is_whitespace() || is_wide { has_letters } else { is_closed };
        match words.last_mut() {
            Some(word) if !begins => word.end = end,
            _ => {
                words.push(at..end);
                (has_letters, is_closed) = (false, false);
            }
        }
        if !character.is_whitespace() {
            (has_letters, is_closed) = (true, is_wide);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn marked(old: &str, new: &str) -> String {
        let marked = |piece: &WordPiece<'_>| match piece {
            WordPiece::Same(text) => (*text).to_owned(),
            WordPiece::Old(text) => format!("[-{text}-]"),
            WordPiece::New(text) => format!("{{+{text}+}}"),
        };
        word_pieces(old, new).iter().map(marked).collect()
    }

    #[test]
    fn changed_words_are_found() {
        let shown = "[-never-]{+always+} refund a gift card";
        assert_eq!(marked("never refund a gift card", "always refund a gift card"), shown);
        assert_eq!(marked("a b c d", "a x c"), "a [-b-]{+x+} c[- d-]");
        assert_eq!(marked("a b", "a new b"), "a{+ new+} b");
        assert_eq!(marked("", "a"), "{+a+}");
        assert_eq!(marked("已退款", "未退款"), "[-已-]{+未+}退款");
        assert_eq!(marked("a a a", "a a"), "a a[- a-]");
    }

    proptest! {
        #[test]
        fn pieces_make_up_both_texts(old in "[ab \n数]{0,12}", new in "[ab \n数]{0,12}") {
            let pieces = word_pieces(&old, &new);
            let of = |skip: fn(&WordPiece<'_>) -> bool| pieces.iter().filter(|piece| !skip(piece)).map(|piece| match piece {
                WordPiece::Same(text) | WordPiece::Old(text) | WordPiece::New(text) => *text,
            }).collect::<String>();
            prop_assert_eq!(of(|piece| matches!(piece, WordPiece::New(_))), old.clone());
            prop_assert_eq!(of(|piece| matches!(piece, WordPiece::Old(_))), new.clone());
            prop_assert!(old != new || pieces.iter().all(|piece| matches!(piece, WordPiece::Same(_))));
        }
    }
}
