//! Finds payment card numbers: the prefix and length of a brand, in the groups that cards have or ungrouped, with a
//! valid check digit.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::PersonalDataKind;
use super::numbers::find_alone;

/// Ungrouped digits, or the groups that cards have; the longest form is tried first, since nineteen digits begin like
/// sixteen.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    let grouped = "(?:[0-9]{4}_){4}[0-9]{3}|(?:[0-9]{4}_){3}[0-9]{4}|[0-9]{4}_[0-9]{6}_[0-9]{4,5}";
    let [spaced, dashed] = [" ", "-"].map(|separator| grouped.replace('_', separator));
    let pattern = format!(r"({spaced}|{dashed}|[0-9]{{13,19}})(?:[^0-9]|\z)");
    Regex::new(&pattern).expect("the groups are a regular expression")
});

pub(super) fn find(text: &str) -> Vec<(PersonalDataKind, Range<usize>)> {
    find_alone(&NUMBER, text, |number, _| {
        let digits: Vec<u8> = number.as_str().bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect();
        (brand(&digits) && check_digit(&digits)).then_some(PersonalDataKind::Card)
    })
}

/// Whether a brand has numbers with this prefix and length.
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

/// The Luhn check: all card numbers pass it, nine of ten other numbers do not.
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
