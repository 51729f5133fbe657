//! Cuts a text into sentences, and sentences into clauses.

use super::tables::is_in;

/// A part of a text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Piece {
    pub(super) fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }
}

/// Cuts a text at full stops, question marks and the like before a capital letter, a digit or a quote, and at the ends of
/// lines.
pub(super) fn sentences(text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let after = at + c.len_utf8();
        if c == '\n' || (matches!(c, '.' | '!' | '?' | '…') && ends_sentence(text, at, after)) {
            push(text, start, after, &mut found);
            start = after;
        }
    }
    push(text, start, text.len(), &mut found);
    found
}

fn push(text: &str, start: usize, end: usize, pieces: &mut Vec<Piece>) {
    if text.get(start..end).is_some_and(|piece| piece.contains(char::is_alphanumeric)) {
        pieces.push(Piece { start, end });
    }
}

fn ends_sentence(text: &str, at: usize, after: usize) -> bool {
    let rest = &text[after..];
    let next = rest.trim_start_matches([' ', '\u{a0}', '\t', '"', '“', '”', '„', '*', '_', ')', '\'']);
    if next.is_empty() {
        return true;
    }
    if next.starts_with(char::is_lowercase) {
        return false;
    }
    let spaced = rest.starts_with([' ', '\u{a0}', '\t', '"', '”', '*', '_', ')', '\'']);
    if !spaced {
        return false;
    }
    let before = &text[..at];
    let word = before.rsplit([' ', '\n', '(']).next().expect("a split has a first part").to_lowercase();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let dotted = text.get(at..).is_some_and(|rest| rest.starts_with('.'));
    !(dotted && (initial || is_in("no_full_stop", &word)))
}

/// Cuts a sentence at commas, dashes and the like, and before words that begin a clause.
pub(super) fn clauses(text: &str, sentence: Piece) -> Vec<Piece> {
    let mut cuts = vec![sentence.start];
    let piece = sentence.of(text);
    let mut before = ' ';
    let mut words: Vec<(usize, &str)> = Vec::new();
    let mut word = None;
    for (at, c) in piece.char_indices() {
        let next = piece.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
        let number = before.is_ascii_digit() && next.is_ascii_digit();
        let mark = match c {
            ';' | '(' | ')' | '—' | '–' => true,
            ':' | ',' => !number,
            '-' => before == ' ' && next == ' ',
            _ => false,
        };
        if mark {
            cuts.push(sentence.start + at + c.len_utf8());
        }
        if c.is_alphabetic() || (word.is_some() && matches!(c, '\'' | '’')) {
            word.get_or_insert(at);
        } else if let Some(start) = word.take() {
            words.push((start, &piece[start..at]));
        }
        before = c;
    }
    if let Some(start) = word {
        words.push((start, &piece[start..]));
    }
    for index in 0..words.len() {
        if begins_clause(&words[index..]) {
            cuts.push(sentence.start + words[index].0);
        }
    }
    cuts.push(sentence.end);
    cuts.sort_unstable();
    cuts.dedup();
    let mut found = Vec::new();
    for pair in cuts.windows(2) {
        push(text, pair[0], pair[1], &mut found);
    }
    found
}

fn begins_clause(words: &[(usize, &str)]) -> bool {
    let word = |index: usize| words.get(index).map(|(_, word)| word.to_lowercase()).unwrap_or_default();
    let first = word(0);
    if is_in("cut_before", &first) {
        return true;
    }
    let next = word(1);
    match first.as_str() {
        "so" => matches!(next.as_str(), "that" | "please" | "you"),
        "and" => next == "then" || is_in("subject_pronoun", &next),
        "as" => next == "long" && word(2) == "as",
        "in" => next == "case",
        "even" => next == "if",
        "that" => next == "is" && word(2) == "why",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<Vec<&str>> {
        let clauses =
            |sentence: Piece| clauses(text, sentence).into_iter().map(|piece| piece.of(text).trim()).collect();
        sentences(text).into_iter().map(clauses).collect()
    }

    #[test]
    fn cuts_at_sentences_and_clauses() {
        assert_eq!(
            cut("Mr. Lee paid 1,200.50 euros, but not today. It is 9:30 - late!\nYes"),
            [vec!["Mr. Lee paid 1,200.50 euros,", "but not today."], vec!["It is 9:30 -", "late!"], vec!["Yes"]]
        );
        assert_eq!(
            cut("Ask e.g. Ann and she will help if you like."),
            [vec!["Ask e.g. Ann", "and she will help", "if you like."]]
        );
        assert_eq!(cut("Version 1.2 and x.y are fine"), [vec!["Version 1.2 and x.y are fine"]]);
        assert!(cut("... , ;").is_empty());
    }
}
