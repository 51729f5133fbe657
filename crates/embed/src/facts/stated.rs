//! The numbers that a text states, with what stands around them.

use serde::Serialize;

use super::gather::{StatedFacts, Value, gather};
use super::number::{Number, ONE, digit};

/// How much of the text around a number is returned, in characters: enough for a currency or a unit.
const AROUND: usize = 24;

/// A number of a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StatedNumber {
    /// As written.
    pub text: String,
    /// What it means; several readings if the notation of another country gives another number.
    pub readings: Vec<f64>,
    /// Whether it may not be a number at all: `one`, or the `1` and the `234` of `1 234`.
    pub doubtful: bool,
    /// The text directly before and after it.
    pub before: String,
    /// The text directly after it.
    pub after: String,
}

/// The numbers that a text states, in any notation and in English words. Dates, times, ids, versions, ordinals and the
/// marks of a list are not numbers.
pub fn numbers(text: &str) -> Vec<StatedNumber> {
    let stated: StatedFacts<'_> = gather(text);
    let mut found: Vec<(usize, usize, StatedNumber)> = Vec::new();
    for fact in &stated.facts {
        let Value::Number(number) = &fact.value else { continue };
        let start = fact.start();
        let in_digits = fact.text.starts_with(|c| digit(c).is_some());
        // A number in digits that nobody has to state is the mark of an item.
        if is_ordinal(fact.text) || (in_digits && !fact.required) {
            continue;
        }
        let end = start + fact.text.len();
        let doubtful = !fact.required;
        found.push((start, end, stated_number(text, start, end, readings(*number, fact.text), doubtful)));
    }
    found.sort_by_key(|(start, ..)| *start);
    join_spaced(text, found)
}

fn stated_number(text: &str, start: usize, end: usize, readings: Vec<f64>, doubtful: bool) -> StatedNumber {
    let (before, after) = (&text[..start], &text[end..]);
    let skipped = before.chars().count().saturating_sub(AROUND);
    StatedNumber {
        text: text[start..end].to_owned(),
        readings,
        doubtful,
        before: before.chars().skip(skipped).collect(),
        after: after.chars().take(AROUND).collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a check allows for the error of a float")]
fn as_f64(billionths: i128) -> f64 {
    billionths as f64 / ONE as f64
}

fn readings(number: Number, text: &str) -> Vec<f64> {
    let mut readings = vec![as_f64(number.value)];
    readings.extend(number.other.map(as_f64));
    // `1,234` is 1.234 where a comma separates decimals.
    if let Some((whole, rest)) = text.split_once(',')
        && rest.len() == 3
        && (1..=3).contains(&whole.len())
        && whole.chars().chain(rest.chars()).all(|c| c.is_ascii_digit())
    {
        readings.push(as_f64(number.value) / 1_000.0);
    }
    readings
}

/// `20th`, `third`: a place, not a quantity.
fn is_ordinal(text: &str) -> bool {
    let lower = text.to_lowercase();
    let last = lower.rsplit([' ', '-']).next().expect("a split has a first part");
    let digits = last.trim_end_matches(char::is_alphabetic);
    let ending = &last[digits.len()..];
    if digits.is_empty() {
        last.ends_with("th") || ["first", "second", "third"].contains(&last)
    } else {
        ["st", "nd", "rd", "th"].contains(&ending)
    }
}

/// Adds the reading of groups with spaces between them: `1 234,56`. The groups may also be numbers of their own, so all of
/// them are doubtful.
fn join_spaced(text: &str, mut found: Vec<(usize, usize, StatedNumber)>) -> Vec<StatedNumber> {
    let mut joined = Vec::new();
    let mut first = 0;
    while first < found.len() {
        let mut last = first;
        while let Some([(_, end, one), (start, _, other)]) = found.get(last..last + 2) {
            let group = other.text.split([',', '.']).next().expect("a split has a first part");
            let begins = if last == first { (1..=3).contains(&one.text.len()) } else { true };
            let spaced = text.get(*end..*start) == Some(" ");
            let plain = |text: &str| text.chars().all(|c| c.is_ascii_digit());
            if !(spaced && begins && plain(&one.text) && group.len() == 3 && plain(group)) {
                break;
            }
            last += 1;
        }
        if last > first
            && let (Some((start, ..)), Some((_, end, _))) = (found.get(first), found.get(last))
        {
            let written = text[*start..*end].replace(' ', "").replace(',', ".");
            let value = written.parse::<f64>().ok();
            joined.extend(value.map(|value| (*start, stated_number(text, *start, *end, vec![value], true))));
            for (.., number) in found.iter_mut().take(last + 1).skip(first) {
                number.doubtful = true;
            }
        }
        first = last + 1;
    }
    let mut all: Vec<(usize, StatedNumber)> = found.into_iter().map(|(start, _, number)| (start, number)).collect();
    all.extend(joined);
    all.sort_by_key(|(start, _)| *start);
    all.into_iter().map(|(_, number)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        let shown = |number: StatedNumber| {
            let readings: Vec<String> = number.readings.iter().map(f64::to_string).collect();
            format!("{}{}", readings.join("/"), if number.doubtful { "?" } else { "" })
        };
        numbers(text).into_iter().map(shown).collect()
    }

    #[test]
    fn numbers_are_read_in_any_notation() {
        for (text, found) in [
            ("It costs $1,234.56.", &["1234.56"][..]),
            ("1.234,56 €", &["1234.56"]),
            ("12 % of it", &["12"]),
            ("twelve days", &["12"]),
            ("1.2 million people", &["1200000"]),
            ("-20 degrees", &["-20"]),
            ("{\"total\":20}", &["20"]),
            ("20.5 and 120", &["20.5", "120"]),
            ("1,20 €", &["1.2"]),
            ("1.200", &["1.2/1200"]),
            ("1,200", &["1200/1.2"]),
            ("1 234,56 €", &["1?", "1234.56?", "234.56?"]),
            ("1\u{a0}234,56 €", &["1234.56"]),
            ("one of them", &["1?"]),
            ("10-12 days", &["10", "12"]),
        ] {
            let mut said = said(text);
            said.sort_unstable();
            let mut found = found.to_vec();
            found.sort_unstable();
            assert_eq!(said, found, "{text}");
        }
    }

    #[test]
    fn dates_ids_and_ordinals_are_not_numbers() {
        for text in
            ["2026-11-20", "v20", "HR-20", "the 20th", "at 20:00", "on 20 March", "1. Open it", "third", "a20b", ""]
        {
            assert_eq!(said(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn surroundings_are_returned() {
        let found = numbers("Pay EUR 20 per month.");
        assert_eq!((&*found[0].before, &*found[0].after), ("Pay EUR ", " per month."));
    }
}
