//! Truncates text.

/// The beginning of a text that fits into `limit` bytes, and whether it was truncated.
pub(crate) fn head(text: &str, limit: usize) -> (&str, bool) {
    (&text[..text.floor_char_boundary(limit)], text.len() > limit)
}

/// The end of a text that fits into `limit` bytes, and whether it was truncated.
pub(crate) fn tail(text: &str, limit: usize) -> (&str, bool) {
    (&text[text.ceil_char_boundary(text.len().saturating_sub(limit))..], text.len() > limit)
}

/// A readable short name: the beginning, followed by dots if it was truncated.
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
    fn never_splits_characters() {
        assert_eq!(head("aéz", 2), ("a", true));
        assert_eq!(head("aéz", 4), ("aéz", false));
        assert_eq!(tail("aéz", 2), ("z", true));
        assert_eq!(tail("aéz", 9), ("aéz", false));
        assert_eq!(name("aéz", 2), "a...");
    }
}
