//! Payment card numbers: the digits of a brand, in the groups that cards have or in none, with a right check digit.

use std::ops::Range;

use super::PersonalDataKind;
use super::numbers::{ends_alone, starts_alone};

/// How digits are grouped on cards.
const GROUPS: [&[usize]; 4] = [&[4, 4, 4, 4], &[4, 6, 5], &[4, 6, 4], &[4, 4, 4, 4, 3]];
/// How many digits cards have.
const LENGTHS: std::ops::RangeInclusive<usize> = 13..=19;

pub(super) fn find(text: &str) -> Vec<(PersonalDataKind, Range<usize>)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let run = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        match card(text, at, run).filter(|_| starts_alone(text, at)) {
            Some(end) => {
                found.push((PersonalDataKind::Card, at..end));
                at = end;
            }
            None => at += run,
        }
    }
    found
}

/// Where the card number that begins here ends.
fn card(text: &str, start: usize, run: usize) -> Option<usize> {
    let end = if LENGTHS.contains(&run) { start + run } else { grouped(text.as_bytes(), start, run)? };
    let digits: Vec<u8> = text[start..end].bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect();
    (brand(&digits) && check_digit(&digits) && ends_alone(text, end)).then_some(end)
}

fn grouped(bytes: &[u8], start: usize, run: usize) -> Option<usize> {
    let separator = bytes.get(start + run).copied().filter(|byte| b" -".contains(byte))?;
    let fits = |groups: &&[usize]| {
        let mut at = start;
        for (index, length) in groups.iter().enumerate() {
            if index > 0 {
                (bytes.get(at) == Some(&separator)).then(|| at += 1)?;
            }
            bytes.get(at..at + length).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
            at += length;
        }
        (!bytes.get(at).is_some_and(u8::is_ascii_digit)).then_some(at)
    };
    // The longest that fits: sixteen digits may be the beginning of nineteen.
    GROUPS.iter().filter_map(fits).max()
}

/// Whether a brand has numbers that begin so and are this long.
fn brand(digits: &[u8]) -> bool {
    let prefix = |length: usize| digits.iter().take(length).fold(0_u32, |sum, digit| sum * 10 + u32::from(*digit));
    let count = digits.len();
    match prefix(1) {
        // Visa
        4 => matches!(count, 13 | 16 | 19),
        // Mastercard
        5 => count == 16 && (51..=55).contains(&prefix(2)),
        2 => count == 16 && (2221..=2720).contains(&prefix(4)),
        3 => match prefix(2) {
            // American Express
            34 | 37 => count == 15,
            // Diners Club
            36 | 38 | 39 => (14..=19).contains(&count),
            30 => count == 14 && (300..=305).contains(&prefix(3)),
            // JCB
            35 => (16..=19).contains(&count) && (3528..=3589).contains(&prefix(4)),
            _ => false,
        },
        // Discover and UnionPay
        6 => {
            let known = prefix(4) == 6011 || prefix(2) == 65 || (644..=649).contains(&prefix(3)) || prefix(2) == 62;
            known && (16..=19).contains(&count)
        }
        _ => false,
    }
}

/// The check that Hans Peter Luhn devised: all card numbers pass it, nine of ten others do not.
fn check_digit(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let doubled = u32::from(*digit) * if at % 2 == 1 { 2 } else { 1 };
            if doubled > 9 { doubled - 9 } else { doubled }
        })
        .sum();
    sum.is_multiple_of(10)
}
