//! Finds the facts that a text states.

use super::calendar::{self, Date};
use super::clock::{self, Time};
use super::fold::is_any;
use super::id::{self, Id};
use super::name::{self, ProperName, TextWords};
use super::number::{Number, ONE};
use super::pieces::{PieceItem, TextPiece, cut};
use super::spelled;

/// The most bytes of a text that are read.
const MOST_BYTES: usize = 256 << 10;
/// The most facts of a text.
const MOST_FACTS: usize = 2_000;

/// The facts of a text.
#[derive(Debug, Default)]
pub(super) struct StatedFacts<'a> {
    pub(super) facts: Vec<LocatedFact<'a>>,
    pub(super) words: TextWords,
}

/// A fact and its place in the text.
#[derive(Debug)]
pub(super) struct LocatedFact<'a> {
    pub(super) value: Value<'a>,
    pub(super) text: &'a str,
    start: usize,
    /// Whether the other text must state it as well. If not, it can only match a fact of the other text: `one`, the
    /// `1.` of a list.
    pub(super) required: bool,
}

impl LocatedFact<'_> {
    /// Where it begins, in bytes.
    pub(super) fn start(&self) -> usize {
        self.start
    }
}

#[derive(Debug)]
pub(super) enum Value<'a> {
    Number(Number),
    Date(Date),
    Weekday(u32),
    Time(Time),
    Id(Id),
    /// A version, split into its parts.
    Version(Vec<&'a str>),
    /// Two numbers with a colon between them: `3:1`. Each is also a separate fact.
    Ratio(Number, Number),
    Name(ProperName<'a>),
}

impl Value<'_> {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Value::Number(_) | Value::Ratio(..) => "number",
            Value::Date(_) | Value::Weekday(_) | Value::Time(_) => "date",
            Value::Id(_) | Value::Version(_) => "id",
            Value::Name(_) => "name",
        }
    }
}

/// Finds the facts of a text.
pub(super) fn gather(text: &str) -> StatedFacts<'_> {
    let text = &text[..text.floor_char_boundary(MOST_BYTES)];
    let pieces = cut(text);
    let mut reader =
        FactReader { text, used: vec![false; pieces.len()], pieces: &pieces, stated: StatedFacts::default() };
    let mut index = 0;
    while index < pieces.len() && reader.stated.facts.len() < MOST_FACTS {
        let taken = reader.read(index);
        for used in reader.used.iter_mut().skip(index).take(taken) {
            *used = true;
        }
        index += taken.max(1);
    }
    for (first, last, name) in name::find(text, &pieces, &reader.used) {
        reader.push(first, last, Value::Name(name), true);
    }
    let mut stated = reader.stated;
    stated.facts.truncate(MOST_FACTS);
    release_weekdays(&mut stated.facts);
    stated.words = TextWords::new(&pieces);
    stated
}

/// A weekday next to its date adds nothing, so it is not required.
fn release_weekdays(facts: &mut [LocatedFact<'_>]) {
    for index in 1..facts.len() {
        let Some([before, after]) = facts.get_mut(index - 1..=index) else { continue };
        let near = after.start.saturating_sub(before.start + before.text.len()) <= 2;
        match (&before.value, &after.value) {
            (Value::Weekday(_), Value::Date(date)) if near && date.day.is_some() => before.required = false,
            (Value::Date(date), Value::Weekday(_)) if near && date.day.is_some() => after.required = false,
            _ => {}
        }
    }
}

struct FactReader<'a, 'p> {
    text: &'a str,
    pieces: &'p [TextPiece<'a>],
    used: Vec<bool>,
    stated: StatedFacts<'a>,
}

impl<'a> FactReader<'a, '_> {
    /// Reads the fact that begins at a piece; returns the number of pieces it took, 0 for a word that is not part of a
    /// fact yet.
    fn read(&mut self, index: usize) -> usize {
        let Some(piece) = self.pieces.get(index) else { return 0 };
        match piece.item {
            PieceItem::Number(number) => {
                if let Some(parts) = self.version(index) {
                    return self.push(index, index, Value::Version(parts), true);
                }
                if let Some(other) = self.compared_with(index) {
                    self.push(index, index + 1, Value::Ratio(number, other), true);
                }
                self.quantity(index, 1, number, !self.is_list_mark(index))
            }
            PieceItem::Date(date) => {
                let value = self.version(index).map_or(Value::Date(date), Value::Version);
                self.push(index, index, value, true)
            }
            PieceItem::Time(time) => {
                let half = self.after(index, 1).and_then(|next| clock::half(next.text));
                let time = clock::in_digits(piece.text, half).unwrap_or(time);
                self.push(index, index, Value::Time(time), true)
            }
            PieceItem::Id(id) => {
                self.together(index);
                let version = id::version_parts(piece.text).filter(|_| id::is_version(piece.text));
                self.push(index, index, version.map_or(Value::Id(id), Value::Version), true)
            }
            PieceItem::Word => self.word(index, piece),
        }
    }

    /// The parts of a version such as `1.10`, which is not `1.1`: after `v`, `version` or `release`.
    fn version(&self, index: usize) -> Option<Vec<&'a str>> {
        const WORDS: [&str; 5] = ["v", "ver", "version", "release", "releases"];
        let before = index.checked_sub(1)?;
        let named = is_any(self.pieces.get(before)?.text, &WORDS);
        let piece = self.after(before, 1).filter(|piece| named && piece.text.contains('.'))?;
        id::version_parts(piece.text)
    }

    /// The number after a colon that directly follows.
    fn compared_with(&self, index: usize) -> Option<Number> {
        let (piece, next) = (self.pieces.get(index)?, self.pieces.get(index + 1)?);
        let adjacent = self.text.get(piece.end()..next.start) == Some(":");
        next.item.number().filter(|_| adjacent)
    }

    fn word(&mut self, index: usize, piece: &TextPiece<'_>) -> usize {
        if let Some(weekday) = calendar::weekday(piece.text) {
            return self.push(index, index, Value::Weekday(weekday), true);
        }
        if let Some(time) = clock::named(piece.text) {
            return self.push(index, index, Value::Time(time), true);
        }
        if let Some(taken) = self.month_first(index, piece) {
            return taken;
        }
        let words = (0..).map_while(|offset| self.after(index, offset)).take_while(|next| next.item == PieceItem::Word);
        if let Some(spelled) = spelled::read(words.map(|next| next.text)) {
            return self.quantity(index, spelled.words, Number::new(spelled.value), spelled.sure);
        }
        for (words, value) in
            [(&["once", "single"][..], ONE), (&["twice", "both"][..], 2 * ONE), (&["half"][..], ONE / 2)]
        {
            if is_any(piece.text, words) {
                self.push(index, index, Value::Number(Number::new(value)), false);
            }
        }
        0
    }

    /// Adds a number, with a month, a half of the day or a multiplier after it.
    fn quantity(&mut self, index: usize, taken: usize, number: Number, required: bool) -> usize {
        if let Some(taken) = self.day_first(index, taken, number) {
            return taken;
        }
        let next = self.after(index, taken).map_or("", |next| next.text);
        let half = clock::half(next);
        if half.is_some() || is_any(next, &["o'clock", "o’clock"]) {
            let time = number.whole().and_then(|hour| Time::new(hour, 0, half));
            if let Some(time) = time {
                self.push(index, index + taken, Value::Time(time), true);
                return taken + 1;
            }
        }
        let (mut number, mut taken, mut required) = (number, taken, required);
        if let Some(multiplied) = spelled::multiplier(next).and_then(|factor| number.times(factor)) {
            (number, taken, required) = (multiplied, taken + 1, true);
        }
        let words = (taken..).map_while(|offset| self.after(index, offset)).map(|next| next.text);
        if let Some(fraction) = spelled::and_fraction(words) {
            (number, taken, required) = (Number::new(number.value + fraction), taken + 3, true);
        }
        if self.is_negative(index) {
            number = Number { value: -number.value, other: number.other.map(|other| -other), ..number };
        }
        self.together(index);
        self.push(index, index + taken - 1, Value::Number(number), required)
    }

    /// `15 March 2026`, `the 15th of March`.
    fn day_first(&mut self, index: usize, taken: usize, number: Number) -> Option<usize> {
        let day = number.whole().filter(|day| (1..=31).contains(day))?;
        let of = usize::from(self.after(index, taken).is_some_and(|next| is_any(next.text, &["of"])));
        let month = calendar::month(self.after(index, taken + of)?.text, true)?;
        let (year, more) = self.year(index, taken + of + 1);
        let last = index + taken + of + more;
        self.push(index, last, Value::Date(Date { year, month, day: Some(day), exchangeable: false }), true);
        Some(taken + of + 1 + more)
    }

    /// `March 15, 2026`, `March 2026`, `March`.
    fn month_first(&mut self, index: usize, piece: &TextPiece<'_>) -> Option<usize> {
        let number = |offset| self.after(index, offset)?.item.number()?.whole();
        let next = number(1);
        let month = calendar::month(piece.text, next.is_some())?;
        // "May I ask" does not name a month.
        if piece.begins && next.is_none() && is_any(piece.text, &["may", "march"]) {
            return None;
        }
        let day = next.filter(|day| (1..=31).contains(day));
        let taken = 1 + usize::from(day.is_some());
        let (year, more) = self.year(index, taken);
        let value = Value::Date(Date { year, month, day, exchangeable: false });
        self.push(index, index + taken + more - 1, value, true);
        Some(taken + more)
    }

    /// The year at an offset, and how many pieces it takes.
    fn year(&self, index: usize, offset: usize) -> (Option<u32>, usize) {
        let next = self.after(index, offset).filter(|next| next.text.len() == 4);
        let year = next.and_then(|next| next.item.number()?.whole()).filter(|year| (1000..3000).contains(year));
        (year, usize::from(year.is_some()))
    }

    /// The piece at an offset, if only spaces, a comma or a full stop are between it and the piece before it.
    fn after(&self, index: usize, offset: usize) -> Option<&TextPiece<'a>> {
        let piece = self.pieces.get(index + offset)?;
        let before = offset.checked_sub(1).and_then(|before| self.pieces.get(index + before));
        let gap = before.and_then(|before| self.text.get(before.end()..piece.start)).unwrap_or_default();
        matches!(gap.trim_matches([' ', '\u{a0}', '\u{202f}', '\t']), "" | "," | ".").then_some(piece)
    }

    /// Adds the word before and this piece as a possible id, such as `HR 12`.
    fn together(&mut self, index: usize) {
        let Some(before) = index.checked_sub(1) else { return };
        if let (Some(word), Some(piece)) = (self.pieces.get(before), self.after(before, 1))
            && word.item == PieceItem::Word
        {
            let id = Id::new(&[word.text, piece.text]);
            self.push(before, index, Value::Id(id), false);
        }
    }

    fn is_negative(&self, index: usize) -> bool {
        let Some(piece) = self.pieces.get(index) else { return false };
        let before = self.text[..piece.start].trim_end_matches(['€', '$', '£', '¥', '₹']);
        let sign = before.strip_suffix(['-', '−']);
        let word = || index.checked_sub(1).and_then(|before| self.pieces.get(before));
        sign.is_some_and(|before| before.is_empty() || before.ends_with([' ', '\n', '\t', '(', '*', '"', ':']))
            || word().is_some_and(|word| is_any(word.text, &["minus", "negative"]))
    }

    /// Whether a number is the `1.` before an item of a list.
    fn is_list_mark(&self, index: usize) -> bool {
        let Some(piece) = self.pieces.get(index) else { return false };
        let after = &self.text[piece.end()..];
        let marked = after.starts_with(['.', ')']) && after[1..].starts_with([' ', '\t']);
        let before = self.text.get(..piece.start).filter(|_| marked);
        let before = before.map(|before| before.trim_end_matches([' ', '\t', '*', '#', '-']));
        before.is_some_and(|before| before.is_empty() || before.ends_with('\n'))
    }

    fn push(&mut self, first: usize, last: usize, value: Value<'a>, required: bool) -> usize {
        let span = self.pieces.get(first).zip(self.pieces.get(last));
        if let Some((start, text)) =
            span.and_then(|(first, last)| Some((first.start, self.text.get(first.start..last.end())?)))
        {
            self.stated.facts.push(LocatedFact { value, text, start, required });
        }
        last + 1 - first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_collected_facts_and_scanned_bytes() {
        let numbers: Vec<String> =
            (0..5_000).map(|number| format!("item {} costs {number}7 euros. ", number + 3)).collect();
        let numbers = numbers.concat();
        assert_eq!(gather(&numbers).facts.len(), MOST_FACTS);
        let late = format!("{}It costs 4711 euros.", "x ".repeat(MOST_BYTES / 2));
        assert!(gather(&late).facts.is_empty());
        assert!(!gather("It costs 4711 euros.").facts.is_empty());
    }
}
