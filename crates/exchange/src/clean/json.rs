//! Finds the secrets in JSON text, so that it stays JSON without them.

use std::ops::Range;

use agentci_trace::{PLACEHOLDER, Redactor};
use serde_json::Value;

use super::streams::Replacement;

/// The placeholder for values that are not strings.
const QUOTED: &str = "\"[REDACTED]\"";

/// The replacements for a text that is a JSON object or array, in order; it stays valid JSON.
pub(super) fn cuts(text: &str, redactor: &Redactor) -> Option<Vec<Replacement>> {
    if !text.trim_start().starts_with(['{', '[']) || serde_json::from_str::<Value>(text).is_err() {
        return None;
    }
    let places = redactor.places(text).into_iter().filter(|place| !place.is_empty()).collect();
    let mut scan = JsonScan { text, at: 0, redactor, places, cuts: Vec::new() };
    scan.value(None);
    Some(scan.cuts)
}

/// Scans a text that is known to be JSON, and therefore limited in depth.
struct JsonScan<'t> {
    text: &'t str,
    at: usize,
    redactor: &'t Redactor,
    /// The secrets in the text as a whole.
    places: Vec<Range<usize>>,
    cuts: Vec<Replacement>,
}

impl JsonScan<'_> {
    /// The next byte that is not whitespace.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.text.as_bytes().get(self.at).copied()
    }

    fn value(&mut self, key: Option<&str>) {
        let Some(first) = self.peek() else { return };
        let (start, known) = (self.at, self.cuts.len());
        match first {
            b'"' => self.string(),
            b'{' | b'[' => self.items(first == b'{'),
            _ => self.word(),
        }
        // Whether a key hides its value depends on the type of the value.
        let kind = match first {
            b'"' | b'{' | b'[' => Value::from(""),
            b't' | b'f' | b'n' => Value::Null,
            _ => Value::from(0),
        };
        if key.is_some_and(|key| self.redactor.hides(key, &kind)) {
            self.cuts.truncate(known);
            self.cuts.push(match first {
                b'"' => Replacement { at: start + 1..self.at - 1, with: PLACEHOLDER },
                _ => Replacement { at: start..self.at, with: QUOTED },
            });
        }
    }

    fn items(&mut self, named: bool) {
        self.at += 1;
        while let Some(next) = self.peek() {
            match next {
                b'}' | b']' => {
                    self.at += 1;
                    return;
                }
                b',' => self.at += 1,
                _ if named => {
                    let start = self.at;
                    self.string();
                    let key: String = serde_json::from_str(&self.text[start..self.at]).expect("the text is valid JSON");
                    self.peek();
                    self.at += 1;
                    self.value(Some(&key));
                }
                _ => self.value(None),
            }
        }
    }

    /// Scans a number, `true`, `false` or `null`.
    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let length = rest.find([',', ']', '}', ' ', '\t', '\r', '\n']).unwrap_or(rest.len()).max(1);
        let at = self.at..(self.at + length).min(self.text.len());
        self.at = at.end;
        let word = &self.text[at.clone()];
        let secret = self.touching(&at).next().is_some() || !self.redactor.places(word).is_empty();
        if secret && !matches!(word, "true" | "false" | "null") {
            self.cuts.push(Replacement { at, with: QUOTED });
        }
    }

    fn string(&mut self) {
        let start = self.at;
        let mut bytes = self.text.as_bytes().iter().enumerate().skip(start + 1);
        self.at = self.text.len();
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'\\' => drop(bytes.next()),
                b'"' => {
                    self.at = at + 1;
                    break;
                }
                _ => {}
            }
        }
        let inside = start + 1..self.at - 1;
        let said: String = serde_json::from_str(&self.text[start..self.at]).expect("the text is valid JSON");
        let places = self.redactor.places(&said);
        let mut secret: Vec<Range<usize>> = self.touching(&inside).cloned().collect();
        if places.is_empty() && secret.is_empty() {
            return;
        }
        let letters = letters(&said, &self.text[inside.clone()], inside.start);
        let written = |letter: usize| letters.get(letter).map_or(inside.end, |letter| letter.1);
        for place in &mut secret {
            // An escape sequence is replaced as a whole.
            let start = letters.partition_point(|letter| letter.1 <= place.start).saturating_sub(1);
            let end = letters.partition_point(|letter| letter.1 < place.end);
            *place = written(start)..written(end);
        }
        secret.extend(places.into_iter().map(|place| {
            let start = letters.partition_point(|letter| letter.0 < place.start);
            let end = letters.partition_point(|letter| letter.0 < place.end);
            written(start)..written(end)
        }));
        secret.sort_unstable_by_key(|place| (place.start, place.end));
        let mut done = inside.start;
        for place in secret {
            match self.cuts.last_mut() {
                Some(last) if place.start < done => last.at.end = last.at.end.max(place.end),
                _ => self.cuts.push(Replacement { at: place.clone(), with: PLACEHOLDER }),
            }
            done = done.max(place.end);
        }
    }

    /// The secrets of the whole text that overlap a range.
    fn touching(&self, at: &Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        let first = self.places.partition_point(|place| place.end <= at.start);
        let end = at.end;
        self.places.iter().skip(first).take_while(move |place| place.start < end)
    }
}

/// The position of each character: in the string, and in its JSON form. The last entry is the end.
fn letters(said: &str, written: &str, start: usize) -> Vec<(usize, usize)> {
    let mut at = 0;
    let mut letters = Vec::with_capacity(said.len() + 1);
    for (position, letter) in said.char_indices() {
        letters.push((position, start + at));
        at += match written.as_bytes().get(at..) {
            // A character outside the basic plane is written as two escapes.
            Some([b'\\', b'u', ..]) if letter.len_utf16() == 2 => 12,
            Some([b'\\', b'u', ..]) => 6,
            Some([b'\\', ..]) => 2,
            _ => letter.len_utf8(),
        };
    }
    letters.push((said.len(), start + at));
    letters
}
