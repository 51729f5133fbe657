//! Splits a text into words, numbers, dates, times and ids, without their context.

use super::calendar::{self, Date};
use super::clock::{self, Time};
use super::fold::is_any;
use super::id::{self, Id};
use super::number::{self, Number, digit, is_group_space};
use super::spelled::multiplier;

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TextPiece<'a> {
    pub(super) text: &'a str,
    /// Its offset in bytes.
    pub(super) start: usize,
    /// Whether it begins a sentence.
    pub(super) begins: bool,
    pub(super) item: PieceItem,
}

/// The kind of a part, without its context.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PieceItem {
    Word,
    Number(Number),
    Date(Date),
    Time(Time),
    Id(Id),
}

impl PieceItem {
    pub(super) fn number(self) -> Option<Number> {
        if let PieceItem::Number(number) = self { Some(number) } else { None }
    }
}

impl TextPiece<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Splits a text.
pub(super) fn cut(text: &str) -> Vec<TextPiece<'_>> {
    let mut cutter = Cutter { text, pieces: Vec::new() };
    let mut start = 0;
    let mut before = None;
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        let between_digits = || {
            let after = rest.clone().next().map(|(_, c)| c);
            before.and_then(digit).is_some() && after.and_then(digit).is_some()
        };
        if is_border(c) && !(is_group_space(c) && between_digits()) {
            cutter.classify(start, at);
            start = at + c.len_utf8();
        }
        before = Some(c);
    }
    cutter.classify(start, text.len());
    cutter.pieces
}

/// Whether a character always separates parts.
fn is_border(c: char) -> bool {
    let symbols = "()[]{}<>\"“”„«»;!?…—–|*=~`^\\、。，！？；（）「」€$£¥₹¢₩₽₺°%‰";
    c.is_whitespace() || symbols.contains(c)
}

/// Separators within a part, the outermost first.
const SEPARATORS: &[fn(char) -> bool] = &[|c| c == '/', |c| c == ':', |c| c == ',' || is_group_space(c)];

/// A text from its first letter or digit to its last, and its new offset.
fn trimmed(start: usize, text: &str) -> (usize, &str) {
    let core = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    (start + text.len() - core.len(), core.trim_end_matches(|c: char| !c.is_alphanumeric()))
}

struct Cutter<'a> {
    text: &'a str,
    pieces: Vec<TextPiece<'a>>,
}

impl<'a> Cutter<'a> {
    fn classify(&mut self, start: usize, end: usize) {
        let Some(whole) = self.text.get(start..end) else { return };
        let (start, core) = trimmed(start, whole);
        if id::is_address(core) {
            self.push(start, core, PieceItem::Id(Id::new(&[core])));
        } else {
            self.part(start, core, SEPARATORS);
        }
    }

    /// Adds a part in digits as it is; splits any other at the first of the separators, and its parts at the others.
    fn part(&mut self, start: usize, whole: &'a str, separators: &[fn(char) -> bool]) {
        let (start, core) = trimmed(start, whole);
        if core.is_empty() || (core.starts_with(|c| digit(c).is_some()) && self.in_digits(start, core)) {
            return;
        }
        let Some((separator, others)) = separators.split_first() else { return self.leaf(start, core) };
        let mut at = start;
        for part in core.split_inclusive(separator) {
            self.part(at, part, others);
            at += part.len();
        }
    }

    fn leaf(&mut self, start: usize, core: &'a str) {
        if id::looks_like_one(core) {
            return self.push(start, core, PieceItem::Id(Id::new(&[core])));
        }
        // `end.Next` is two words, `U.S` is one.
        if !core.split('.').all(|part| part.chars().nth(1).is_some()) {
            return self.push(start, core, PieceItem::Word);
        }
        let mut at = start;
        for part in core.split('.') {
            self.push(at, part, PieceItem::Word);
            at += part.len() + 1;
        }
    }

    /// Adds a date, a time or a number, with an ending that directly follows.
    fn in_digits(&mut self, start: usize, core: &'a str) -> bool {
        if let Some(date) = calendar::in_digits(core) {
            self.push(start, core, PieceItem::Date(date));
            return true;
        }
        if let Some((day, hour)) = core.split_once('T')
            && let (Some(date), Some(time)) = (calendar::in_digits(day), clock::in_digits(hour, None))
        {
            self.push(start, day, PieceItem::Date(date));
            self.push(start + day.len() + 1, hour, PieceItem::Time(time));
            return true;
        }
        if let Some(time) = clock::in_digits(core, None) {
            self.push(start, core, PieceItem::Time(time));
            return true;
        }
        let Some((number, rest)) = number::read(core) else { return false };
        if let Some(item) = with_ending(number, rest) {
            self.push(start, core, item);
            return true;
        }
        // `24-hour` is a number and a word, `10-12` two numbers.
        let Some(after) = rest.strip_prefix(['-', '‑']) else { return false };
        let is_word = after.chars().all(|c| c.is_lowercase() || c == '-') && after.chars().nth(1).is_some();
        let is_number = number::read(after).is_some_and(|(other, rest)| with_ending(other, rest).is_some());
        if is_word || is_number {
            let first = core.len() - rest.len();
            self.push(start, &core[..first], PieceItem::Number(number));
            self.part(start + core.len() - after.len(), after, &[]);
        }
        is_word || is_number
    }

    fn push(&mut self, start: usize, text: &'a str, item: PieceItem) {
        let begins = self.begins(start);
        self.pieces.push(TextPiece { text, start, begins, item });
    }

    fn begins(&self, start: usize) -> bool {
        let Some(previous) = self.pieces.last() else { return true };
        let gap = &self.text[previous.end()..start];
        // The full stop of an abbreviation or an initial does not end a sentence.
        let initial = previous.item == PieceItem::Word && previous.text.chars().nth(1).is_none();
        let abbreviated = initial
            || is_any(
                previous.text,
                &["mr", "mrs", "ms", "dr", "prof", "st", "no", "nr", "vs", "e.g", "i.e", "approx"],
            );
        gap.contains(['\n', '!', '?', ':', '"', '“', '„', '«', '•', '。', '！', '？'])
            || (gap.starts_with('.') && !abbreviated)
            || (gap.starts_with(')') && matches!(previous.item, PieceItem::Number(_)))
    }
}

/// Interprets a number with the ending that directly follows it: `3k`, `2pm`, `15th`, `30min`.
fn with_ending(number: Number, ending: &str) -> Option<PieceItem> {
    const UNITS: [&str; 37] = [
        "st", "nd", "rd", "th", "s", "h", "hr", "hrs", "min", "mins", "sec", "ms", "d", "kg", "g", "mg", "km", "cm",
        "mm", "l", "ml", "kb", "mb", "gb", "tb", "x", "px", "kw", "kwh", "w", "v", "c", "f", "eur", "usd", "gbp", "pt",
    ];
    let ending = ending.trim_end_matches('.');
    if ending.is_empty() || is_any(ending, &UNITS) {
        return Some(PieceItem::Number(number));
    }
    if let Some(half) = clock::half(ending) {
        return Time::new(number.whole()?, 0, Some(half)).map(PieceItem::Time);
    }
    if is_any(ending, &["m"]) {
        // Metres, minutes or millions.
        return Some(PieceItem::Number(Number { other: number.times(1_000_000).map(|number| number.value), ..number }));
    }
    multiplier(ending).and_then(|factor| number.times(factor)).map(PieceItem::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(&str, &'static str)> {
        let kind = |item: PieceItem| match item {
            PieceItem::Word => "word",
            PieceItem::Number(_) => "number",
            PieceItem::Date(_) => "date",
            PieceItem::Time(_) => "time",
            PieceItem::Id(_) => "id",
        };
        cut(text).into_iter().map(|piece| (piece.text, kind(piece.item))).collect()
    }

    #[test]
    fn splits_text_into_words_and_facts() {
        assert_eq!(
            kinds("Pay €1,200.50 (order HR-12) by 2026-03-15T14:30:00Z, **3k** or 10-12% at 2pm."),
            [
                ("Pay", "word"),
                ("1,200.50", "number"),
                ("order", "word"),
                ("HR-12", "id"),
                ("by", "word"),
                ("2026-03-15", "date"),
                ("14:30:00Z", "time"),
                ("3k", "number"),
                ("or", "word"),
                ("10", "number"),
                ("12", "number"),
                ("at", "word"),
                ("2pm", "time"),
            ]
        );
        assert_eq!(
            kinds("a 24-hour and/or 3,4,5 9:00/17:30 v1.2.3 me@x.org end.Next U.S. 3\u{a0}2026 007"),
            [
                ("a", "word"),
                ("24", "number"),
                ("hour", "word"),
                ("and", "word"),
                ("or", "word"),
                ("3", "number"),
                ("4", "number"),
                ("5", "number"),
                ("9:00", "time"),
                ("17:30", "time"),
                ("v1.2.3", "id"),
                ("me@x.org", "id"),
                ("end", "word"),
                ("Next", "word"),
                ("U.S", "word"),
                ("3", "number"),
                ("2026", "number"),
                ("007", "id"),
            ]
        );
    }

    #[test]
    fn splits_long_chains_without_deep_recursion() {
        for (link, count) in [("a/", 1), ("1,", 1), ("b.", 0), ("1-", 1), ("a:", 1), ("1/a:", 2), ("aa.", 1)] {
            let pieces = cut(&link.repeat(100_000)).len();
            assert!(pieces <= count.max(1) * 100_000 && pieces > 0, "{link}: {pieces}");
        }
    }

    #[test]
    fn detects_sentence_starts() {
        let beginnings =
            |text| cut(text).into_iter().filter(|piece| piece.begins).map(|piece| piece.text).collect::<Vec<_>>();
        assert_eq!(beginnings("Ask Dr. Lopez. She knows! J. Doe: Yes"), ["Ask", "She", "J", "Yes"]);
    }
}
