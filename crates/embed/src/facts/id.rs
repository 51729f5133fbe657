//! Ids: words of letters and digits, addresses, and digits that are not a number.

use super::fold::key;
use super::number::digit;

/// An id, compared only by its letters and digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Id {
    key: u64,
    /// Its digits, if they identify it by themselves.
    digits: Option<u64>,
}

/// The number of digits from which they identify an id by themselves.
const TELLING: usize = 4;

impl Id {
    /// Creates an id from its parts: `HR` and `12` are `HR-12`.
    pub(super) fn new(parts: &[&str]) -> Self {
        let digits = parts.iter().flat_map(|part| part.chars()).filter_map(digit);
        let value = digits.clone().try_fold(0_u64, |value, digit| value.checked_mul(10)?.checked_add(digit.into()));
        // `0042` is an id, not the number 42.
        let telling = digits.clone().next() != Some(0) && digits.count() >= TELLING;
        Self { key: key(parts), digits: value.filter(|_| telling) }
    }

    pub(super) fn is_same(self, id: Self) -> bool {
        self.key == id.key
    }

    /// Whether a plain number identifies this id.
    pub(super) fn is_number(self, number: u32) -> bool {
        self.digits == Some(number.into())
    }
}

/// The parts of a version, `1.10` or `v1.10.2`, without zeros at its end: `2.0` is `2`.
pub(super) fn version_parts(text: &str) -> Option<Vec<&str>> {
    let numbers = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let mut parts: Vec<&str> = numbers.split('.').collect();
    let in_digits = |part: &&str| !part.is_empty() && part.chars().all(|c| digit(c).is_some());
    if !parts.iter().all(in_digits) {
        return None;
    }
    while parts.len() > 1 && parts.last() == Some(&"0") {
        parts.pop();
    }
    Some(parts)
}

/// Whether a text is a version by itself: one with a `v` before it, or of three parts.
pub(super) fn is_version(text: &str) -> bool {
    (text.starts_with(['v', 'V']) || text.matches('.').count() >= 2) && version_parts(text).is_some()
}

/// Whether a text is an e-mail address or a URL.
pub(super) fn is_address(text: &str) -> bool {
    let mail = text.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
    mail || text.contains("://") || text.starts_with("www.")
}

/// Whether a text without spaces contains both letters and digits, or more digits than a number.
pub(super) fn looks_like_one(text: &str) -> bool {
    let digits = text.chars().any(|c| digit(c).is_some());
    let letters = text.chars().any(char::is_alphabetic);
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '#');
    digits
        && text.chars().all(inside)
        && (letters || text.chars().all(|c| digit(c).is_some() || matches!(c, '-' | '.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_match_regardless_of_case_and_separator() {
        assert!(Id::new(&["HR-12"]).is_same(Id::new(&["hr", "12"])));
        assert!(!Id::new(&["HR-12"]).is_same(Id::new(&["HR-21"])));
        assert!(Id::new(&["ORD-48213"]).is_number(48_213));
        assert!(!Id::new(&["HR-12"]).is_number(12));
        assert!(!Id::new(&["0042"]).is_number(42));
    }

    #[test]
    fn distinguishes_ids_from_words() {
        for id in ["HR-12", "a1b2c3", "INV_2024_001", "v1.2.3", "10.0.0.1", "007", "555-0100"] {
            assert!(looks_like_one(id), "{id}");
        }
        for word in ["well-known", "word", "a.b", "x", "-"] {
            assert!(!looks_like_one(word), "{word}");
        }
        assert!(
            is_address("https://example.com/a") && is_address("a@b.org") && !is_address("@home") && !is_address("a@b")
        );
    }
}
