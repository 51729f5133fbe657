//! Decides whether the message that an agent passed to its model contains the result of a tool, even if in other words.
//!
//! An agent may put a result into a sentence, or into other data, before its model reads it. Data is compared with
//! data; a sentence must contain every value that can be searched for.

use std::sync::LazyLock;

use agentci_trace::same_value;
use regex::Regex;
use serde_json::Value;

use super::result_pattern::ResultPattern;
use crate::output::{json_in, parts};
use crate::python::literal;
use crate::spelling::compact;

/// The deepest nesting of the result in other data.
const DEPTH: usize = 4;

/// The most brackets in a text that are tried as the beginning of data.
const OPENINGS: usize = 10;

/// The most words of a text that are tried as the beginning of a match.
const WORDS: usize = 1000;

/// Whether a message contains a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SaidResult {
    No,
    /// There is nothing to search for in a sentence, as for `true`.
    Unknown,
    Yes,
}

impl SaidResult {
    fn of(is_said: bool) -> Self {
        if is_said { SaidResult::Yes } else { SaidResult::No }
    }
}

/// Whether a message to the model contains the expected result.
pub(super) fn said(wanted: &ResultPattern, told: &Value) -> SaidResult {
    if wanted.fits(told) {
        return SaidResult::Yes;
    }
    if told.as_str().is_some_and(|text| text.trim().is_empty()) {
        return SaidResult::No;
    }
    let read = told.as_str().and_then(|text| json_in(text).or_else(|| literal(text)));
    let data = read.as_ref().unwrap_or(told);
    if data.is_object() || data.is_array() {
        return in_data(wanted, data);
    }
    let text = compact(told);
    if within(&text).any(|data| is_part(wanted, &data, DEPTH)) { SaidResult::Yes } else { in_words(wanted, &text) }
}

/// The data within a text: `Here it is: {"paid": true}`.
fn within(text: &str) -> impl Iterator<Item = Value> {
    let begins = text.match_indices(['{', '[']).take(OPENINGS);
    begins.filter_map(|(at, _)| serde_json::Deserializer::from_str(&text[at..]).into_iter().next()?.ok())
}

/// Whether other data contains the result as a part, or its values. A key with another value is a contradiction; a
/// value whose key is missing must be in the texts of the data.
fn in_data(wanted: &ResultPattern, data: &Value) -> SaidResult {
    if is_part(wanted, data, DEPTH) {
        return SaidResult::Yes;
    }
    if data.get("error").is_some_and(|error| !error.is_null()) {
        return SaidResult::No;
    }
    let mut words = String::new();
    texts(data, DEPTH, &mut words);
    match wanted {
        // Only the inner object or list was passed on.
        ResultPattern::Holding(pairs)
            if let [(name, inside @ (ResultPattern::Holding(_) | ResultPattern::List(_)))] = pairs.as_slice()
                && key(data, name, DEPTH).is_none() =>
        {
            in_data(inside, data)
        }
        ResultPattern::Holding(pairs) => all(pairs.iter().map(|(name, wanted)| match key(data, name, DEPTH) {
            Some(value) => SaidResult::of(wanted.fits_value(value)),
            None => in_words(wanted, &words),
        })),
        ResultPattern::Value(_) | ResultPattern::Matching(_) | ResultPattern::List(_) => in_words(wanted, &words),
    }
}

fn is_part(wanted: &ResultPattern, data: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    wanted.fits_value(data) || parts(data).any(|part| is_part(wanted, part, depth))
}

fn key<'v>(data: &'v Value, name: &str, depth: usize) -> Option<&'v Value> {
    let depth = depth.checked_sub(1)?;
    data.get(name).or_else(|| parts(data).find_map(|part| key(part, name, depth)))
}

fn texts(data: &Value, depth: usize, words: &mut String) {
    let Some(depth) = depth.checked_sub(1) else { return };
    if let Value::String(text) = data {
        words.push_str(text);
        words.push('\n');
    }
    parts(data).for_each(|part| texts(part, depth, words));
}

/// Whether a sentence contains every value that can be searched for.
fn in_words(wanted: &ResultPattern, text: &str) -> SaidResult {
    match wanted {
        ResultPattern::Value(Value::String(wanted)) => text_in(wanted, text),
        ResultPattern::Value(Value::Number(wanted)) => SaidResult::of(has_number(&wanted.clone().into(), text)),
        ResultPattern::Value(_) => SaidResult::Unknown,
        ResultPattern::Matching(pattern) => {
            let mut words = words(text).take(WORDS);
            SaidResult::of(pattern.is_in(text) || words.any(|(word, on)| pattern.is_in(word) || pattern.is_in(on)))
        }
        ResultPattern::List(wanted) => all(wanted.iter().map(|wanted| in_words(wanted, text))),
        ResultPattern::Holding(wanted) => all(wanted.iter().map(|(_, wanted)| in_words(wanted, text))),
    }
}

fn all(each: impl Iterator<Item = SaidResult>) -> SaidResult {
    let mut all = SaidResult::Unknown;
    for said in each {
        match said {
            SaidResult::No => return SaidResult::No,
            SaidResult::Unknown => {}
            SaidResult::Yes => all = SaidResult::Yes,
        }
    }
    all
}

/// Whether a text contains another as whole words, ignoring case: `in_transit` in `It is in transit.`
fn text_in(wanted: &str, text: &str) -> SaidResult {
    let number = serde_json::from_str::<Value>(wanted).ok().filter(Value::is_number);
    if number.is_some_and(|number| has_number(&number, text)) {
        return SaidResult::Yes;
    }
    let (wanted, text) = (folded(wanted), folded(text));
    if wanted.is_empty() {
        return SaidResult::Unknown;
    }
    let ends = |beside: Option<char>| !beside.is_some_and(char::is_alphanumeric);
    SaidResult::of(
        text.match_indices(&wanted)
            .any(|(at, found)| ends(text[..at].chars().next_back()) && ends(text[at + found.len()..].chars().next())),
    )
}

/// Removes what differs between data and sentences: case, underscores, newlines.
fn folded(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || letter == '_').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The words of a text, each with the rest of the text from there on.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_inside = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|letter| !is_inside(letter));
        let end = rest.find(|letter| !is_inside(letter)).unwrap_or(rest.len());
        let (word, on) = (rest.get(..end).filter(|word| !word.is_empty())?, rest);
        rest = &rest[end..];
        Some((word, on))
    })
}

/// Dates and times, which are not numbers.
static MOMENT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}/\d{2,4}|\d{1,2}:\d{2}(:\d{2})?";
    Regex::new(pattern).expect("a moment is a regular expression")
});

/// Numbers, with or without separators between thousands.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"\d{1,3}(?:[ \u{a0}\u{202f}'’]\d{3})+(?:[.,]\d+)?|\d[\d.,]*(?:[eE][+-]?\d+)?|\.\d+";
    Regex::new(pattern).expect("a number is a regular expression")
});

fn has_number(wanted: &Value, text: &str) -> bool {
    let text = MOMENT.replace_all(text, "_");
    NUMBER.find_iter(&text).any(|found| {
        let before: Vec<char> = text[..found.start()].chars().rev().take(2).collect();
        let is_in_word =
            |letter: Option<&char>| letter.is_some_and(|letter| letter.is_alphanumeric() || *letter == '_');
        // Not the end of a word, as in `v20`; but `x2` means twice.
        if is_in_word(before.first()) && (before[0] != 'x' || is_in_word(before.get(1))) {
            return false;
        }
        let is_minus = matches!(before.first(), Some('-' | '−')) && !before.get(1).is_some_and(|c| c.is_alphanumeric());
        let sign = if is_minus { "-" } else { "" };
        readings(found.as_str()).into_iter().any(|reading| {
            let read = serde_json::from_str::<Value>(&format!("{sign}{reading}")).ok();
            read.is_some_and(|read| read.is_number() && same_value(wanted, &read))
        })
    })
}

/// The possible values of digits: `1,234.50` and `1.234,50` are the same; `1,500` may be 1500 or 1.5.
fn readings(digits: &str) -> Vec<String> {
    let digits = digits.trim_end_matches(['.', ',']);
    let plain: String =
        digits.chars().filter(|letter| !letter.is_whitespace() && !matches!(letter, '\'' | '’')).collect();
    let plain = if plain.starts_with('.') { format!("0{plain}") } else { plain };
    let mut readings = vec![plain.replace(',', ""), plain.replace('.', "").replace(',', ".")];
    readings.push(plain);
    readings
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wanted(value: &Value) -> ResultPattern {
        match value {
            Value::Object(map) => {
                ResultPattern::Holding(map.iter().map(|(key, value)| (key.clone(), wanted(value))).collect())
            }
            Value::Array(items) => ResultPattern::List(items.iter().map(wanted).collect()),
            value => ResultPattern::Value(value.clone()),
        }
    }

    #[test]
    fn finds_values_in_a_sentence() {
        for (value, text, is_said) in [
            (json!({"order": "A-17", "refunded": 20}), "Refunded 20.00 EUR for A-17.", SaidResult::Yes),
            (json!({"order": "A-17", "refunded": 20}), "Refunded 200 EUR for A-17.", SaidResult::No),
            (json!({"order": "A-17", "refunded": 20}), "Refunded 20 EUR.", SaidResult::No),
            (json!({"order": "A-17", "refunded": 20}), "done", SaidResult::No),
            (json!({"order": "A-1"}), "order A-17", SaidResult::No),
            (json!({"status": "paid"}), "It is unpaid.", SaidResult::No),
            (json!({"status": "paid"}), "Paid.", SaidResult::Yes),
            (json!({"status": "in_transit"}), "It is in transit", SaidResult::Yes),
            (json!({"text": "Hello\n"}), "Hello", SaidResult::Yes),
            (json!({"amount": "20.00"}), "20 EUR", SaidResult::Yes),
            (json!({"total": 1000}), "1,000 items", SaidResult::Yes),
            (json!({"total": 1_000_000}), "1 000 000 items", SaidResult::Yes),
            (json!({"total": 1234.5}), "$1,234.50", SaidResult::Yes),
            (json!({"total": 20.5}), "20,50 EUR", SaidResult::Yes),
            (json!({"balance": -20}), "balance \u{2212}20", SaidResult::Yes),
            (json!({"balance": -3}), "balance is -3.", SaidResult::Yes),
            (json!({"balance": 3}), "balance is -3.", SaidResult::No),
            (json!({"from": 20, "to": 50}), "20-50", SaidResult::Yes),
            (json!({"share": 0.1}), ".1", SaidResult::Yes),
            (json!({"refunded": 20}), "failed at 12:20", SaidResult::No),
            (json!({"refunded": 16}), "failed on 2026-11-16", SaidResult::No),
            (json!({"refunded": 20}), "v20", SaidResult::No),
            (json!({"sku": "a", "n": 2}), "a x2", SaidResult::Yes),
            (json!({"paid": true}), "The order is paid.", SaidResult::Unknown),
            (json!({"paid": true, "id": "A"}), "order A is paid", SaidResult::Yes),
            (json!({"paid": true}), " ", SaidResult::No),
        ] {
            assert_eq!(said(&wanted(&value), &json!(text)), is_said, "{value} in {text}");
        }
    }

    #[test]
    fn structured_results_are_compared_by_value() {
        for (value, told, is_said) in [
            (json!({"paid": true, "id": "A-17"}), json!({"paid": false, "id": "A-17"}), SaidResult::No),
            (json!({"paid": true, "id": "A-17"}), json!("{\"paid\":false,\"id\":\"A-17\"}"), SaidResult::No),
            (json!({"paid": true}), json!("{'paid': False}"), SaidResult::No),
            (json!({"from": 1, "to": 2}), json!({"from": 2, "to": 1}), SaidResult::No),
            (json!([1, 2]), json!([2, 1, 3]), SaidResult::No),
            (json!({"status": "paid"}), json!({"paid": false, "status": "open"}), SaidResult::No),
            (json!({"amount": 20}), json!({"v20": 1}), SaidResult::No),
            (json!({"items": []}), json!({"items": [{}]}), SaidResult::No),
            (json!({"error": null}), json!({"error": "gone"}), SaidResult::No),
            (json!({"refunded": 20}), json!({"error": "refund of 20 failed"}), SaidResult::No),
            (json!({"refunded": 20}), json!({"data": {"refunded": 20}}), SaidResult::Yes),
            (json!({"data": {"refunded": 20, "id": "A"}}), json!({"refunded": 20, "id": "A"}), SaidResult::Yes),
            (json!({"data": {"refunded": 20, "id": "A"}}), json!({"refunded": 2, "id": "A"}), SaidResult::No),
            (json!({"id": "A", "note": null}), json!({"id": "A"}), SaidResult::Yes),
            (json!({"id": "A", "amount": 20}), json!({"id": "A"}), SaidResult::No),
            (json!({"paid": true}), json!({"id": "A"}), SaidResult::Unknown),
            (json!({"refunded": 20}), json!(20), SaidResult::Yes),
            (json!({"refunded": 20}), json!(21), SaidResult::No),
            (json!({"paid": true}), json!("Here it is:\n{\"paid\": true}"), SaidResult::Yes),
            (json!({"refunded": 20}), json!([{"type": "text", "text": "Refunded 20 EUR"}]), SaidResult::Yes),
            (json!({"text": "two\nlines \"quoted\""}), json!({"answer": "two\nlines \"quoted\""}), SaidResult::Yes),
        ] {
            assert_eq!(said(&wanted(&value), &told), is_said, "{value} in {told}");
        }
    }
}
