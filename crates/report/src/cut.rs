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

/// At most `width` characters of a line, ending in dots if it was truncated; a width of 0 means no limit.
pub(crate) fn fit(line: &str, width: usize) -> String {
    if width == 0 || line.chars().nth(width).is_none() {
        return line.to_owned();
    }
    line.chars().take(width.saturating_sub(3)).chain("...".chars()).take(width).collect()
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

    #[test]
    fn truncates_only_overlong_lines() {
        assert_eq!(fit("12345678", 8), "12345678");
        assert_eq!(fit("123456789", 8), "12345...");
        assert_eq!(fit("ééééé", 4), "é...");
        assert_eq!(fit("12345", 2), "..");
        assert_eq!(fit("12345", 0), "12345");
    }
}
