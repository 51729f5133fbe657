//! Text that must not get too long.

/// As much of the beginning of a text as fits into `limit` bytes, and whether that is not all of it.
pub(crate) fn head(text: &str, limit: usize) -> (&str, bool) {
    (&text[..text.floor_char_boundary(limit)], text.len() > limit)
}

/// The same of its end.
pub(crate) fn tail(text: &str, limit: usize) -> (&str, bool) {
    (&text[text.ceil_char_boundary(text.len().saturating_sub(limit))..], text.len() > limit)
}

/// A name that stays readable: the beginning, and dots if something is missing.
pub(crate) fn name(text: &str, limit: usize) -> String {
    match head(text, limit) {
        (whole, false) => whole.to_owned(),
        (part, true) => format!("{part}..."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_stay_whole() {
        assert_eq!(head("aéz", 2), ("a", true));
        assert_eq!(head("aéz", 4), ("aéz", false));
        assert_eq!(tail("aéz", 2), ("z", true));
        assert_eq!(tail("aéz", 9), ("aéz", false));
        assert_eq!(name("aéz", 2), "a...");
    }
}
