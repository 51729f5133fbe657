//! Splits words into the longest pieces of the vocabulary.

use std::collections::HashMap;

use super::clean::{clean, is_punctuation};

/// The marker at the beginning of every text.
pub const CLS: u16 = 101;
/// The marker at the end of every text.
pub const SEP: u16 = 102;
/// The id of a word that cannot be split into known pieces.
const UNKNOWN: u16 = 100;
/// The longest word, in characters; a longer one is unknown.
const LONGEST_WORD: usize = 100;
/// Markers that are recognised when a text contains them.
const MARKS: [(&str, u16); 5] = [("[PAD]", 0), ("[UNK]", UNKNOWN), ("[CLS]", CLS), ("[SEP]", SEP), ("[MASK]", 103)];

/// Splits texts with a vocabulary.
#[derive(Debug)]
pub struct Tokenizer {
    /// Pieces that begin a word.
    beginnings: HashMap<&'static str, u16>,
    /// Pieces that continue a word, without their `##`.
    continuations: HashMap<&'static str, u16>,
    /// The length of the longest piece, in bytes.
    longest: usize,
}

impl Tokenizer {
    /// Reads a vocabulary with one piece per line.
    pub fn new(vocabulary: &'static str) -> Self {
        let mut beginnings = HashMap::with_capacity(vocabulary.len() / 8);
        let mut continuations = HashMap::with_capacity(vocabulary.len() / 32);
        let mut longest = 0;
        for (id, piece) in (0..=u16::MAX).zip(vocabulary.lines()) {
            longest = longest.max(piece.len());
            match piece.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => continuations.insert(rest, id),
                _ => beginnings.insert(piece, id),
            };
        }
        Self { beginnings, continuations, longest }
    }

    /// The ids of a text, at most `limit` of them, without the markers at its beginning and end.
    pub fn ids(&self, text: &str, limit: usize) -> Vec<u16> {
        let mut ids = Vec::new();
        let mut rest = text;
        while !rest.is_empty() && ids.len() < limit {
            let (plain, mark, after) = until_mark(rest);
            self.cut(plain, limit, &mut ids);
            ids.extend(mark);
            rest = after;
        }
        ids.truncate(limit);
        ids
    }

    /// Splits text without markers.
    fn cut(&self, text: &str, limit: usize, ids: &mut Vec<u16>) {
        let mut word = String::new();
        for c in clean(text) {
            if ids.len() >= limit {
                return;
            }
            if c.is_whitespace() {
                self.cut_word(&mut word, ids);
            } else if is_punctuation(c) {
                self.cut_word(&mut word, ids);
                word.push(c);
                self.cut_word(&mut word, ids);
            } else {
                word.push(c);
            }
        }
        self.cut_word(&mut word, ids);
    }

    fn cut_word(&self, word: &mut String, ids: &mut Vec<u16>) {
        let before = ids.len();
        let mut rest = if word.chars().nth(LONGEST_WORD).is_some() { "" } else { word.as_str() };
        while !rest.is_empty() {
            let known = if ids.len() == before { &self.beginnings } else { &self.continuations };
            let Some((id, after)) = self.longest_piece(rest, known) else {
                ids.truncate(before);
                break;
            };
            ids.push(id);
            rest = after;
        }
        if ids.len() == before && !word.is_empty() {
            ids.push(UNKNOWN);
        }
        word.clear();
    }

    /// The longest known piece at the beginning of a text, and the rest.
    fn longest_piece<'a>(&self, text: &'a str, known: &HashMap<&str, u16>) -> Option<(u16, &'a str)> {
        let longest = text.floor_char_boundary(self.longest);
        (1..=longest).rev().filter(|&end| text.is_char_boundary(end)).find_map(|end| {
            let (piece, after) = text.split_at(end);
            known.get(piece).map(|&id| (id, after))
        })
    }
}

/// The text before the first marker, the marker, and the text after it.
fn until_mark(text: &str) -> (&str, Option<u16>, &str) {
    for (at, _) in text.match_indices('[') {
        let (plain, from) = text.split_at(at);
        if let Some((mark, id)) = MARKS.iter().find(|(mark, _)| from.starts_with(mark)) {
            return (plain, Some(*id), &from[mark.len()..]);
        }
    }
    (text, None, "")
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    static TOKENIZER: LazyLock<Tokenizer> = LazyLock::new(|| Tokenizer::new(agentci_weights::VOCABULARY));

    fn words(text: &str) -> Vec<&'static str> {
        let vocabulary: Vec<&str> = agentci_weights::VOCABULARY.lines().collect();
        TOKENIZER.ids(text, usize::MAX).into_iter().map(|id| vocabulary[usize::from(id)]).collect()
    }

    #[test]
    fn splits_words_into_longest_pieces() {
        assert_eq!(words("Unaffordable payslips!"), ["una", "##ff", "##ord", "##able", "pays", "##lip", "##s", "!"]);
    }

    #[test]
    fn recognizes_special_tokens_in_text() {
        assert_eq!(words("a[SEP]b [sep]"), ["a", "[SEP]", "b", "[", "sep", "]"]);
    }

    #[test]
    fn stops_at_the_token_limit() {
        let text = "word ".repeat(1_000);
        assert_eq!(TOKENIZER.ids(&text, 7).len(), 7);
    }

    #[test]
    fn overlong_word_is_unknown() {
        assert_eq!(words(&"a".repeat(101)), ["[UNK]"]);
        assert_ne!(words(&"a".repeat(100)), ["[UNK]"]);
    }

    proptest! {
        #[test]
        fn limit_only_truncates_the_tokens(text in "\\PC{0,60}", limit in 0_usize..20) {
            let all = TOKENIZER.ids(&text, usize::MAX);
            prop_assert_eq!(TOKENIZER.ids(&text, limit), &all[..all.len().min(limit)]);
        }
    }
}
