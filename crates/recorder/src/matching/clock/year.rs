//! A year that stands alone, as in `in 2026`; one that is part of a date is read with it.

use super::calendar::month_named;
use super::now::Said;
use super::rendering::{Rendering, Scan};

/// What stands between the parts of a date.
const BETWEEN: &[u8] = b" ,-/.:";

/// The year that begins here, if it is not part of a date.
pub(super) fn alone(bytes: &[u8], at: usize) -> Option<Rendering> {
    let mut scan = Scan::new(bytes.get(at..)?);
    let year = scan.number(4, 4)?;
    let alone = !dated_before(&bytes[..at]) && !dated_after(scan);
    alone.then(|| Rendering::new(("year", 0, 0), Said::Year(year), scan))
}

/// Whether a text ends with a day or a month, and what joins it to a year.
fn dated_before(bytes: &[u8]) -> bool {
    let joined = bytes.iter().rev().take(2).take_while(|byte| BETWEEN.contains(byte)).count();
    let before = &bytes[..bytes.len() - joined];
    let letters = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (rest, word) = before.split_at(before.len() - letters);
    let word = std::str::from_utf8(word).unwrap_or_default();
    let after_digit = rest.last().is_some_and(u8::is_ascii_digit);
    let ordinal = matches!(word, "" | "st" | "nd" | "rd" | "th" | "Z" | "AM" | "PM" | "am" | "pm");
    (after_digit && ordinal) || month_named(word).is_some()
}

/// Whether a month or a day follows a year.
fn dated_after(mut scan: Scan<'_>) -> bool {
    let joined = BETWEEN.iter().any(|byte| scan.take(*byte).is_some());
    joined && (scan.peek().is_some_and(|byte| byte.is_ascii_digit()) || month_named(scan.word()).is_some())
}
