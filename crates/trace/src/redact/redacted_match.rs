//! Compares a redacted recording with the current text.

use super::redactor::PLACEHOLDER;

/// Whether a text matches the recorded one, where placeholders match anything.
pub fn fits_recorded(recorded: &str, said: &str) -> bool {
    // Each part between placeholders must follow the previous one, with the first at the start and the last at the end.
    let parts: Vec<&str> = recorded.split(PLACEHOLDER).collect();
    let [first, middle @ .., last] = parts.as_slice() else { return recorded == said };
    let Some(mut rest) = said.strip_prefix(first) else { return false };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholder_matches_any_text() {
        for (recorded, said, fits) in [
            ("plain", "plain", true),
            ("plain", "plainer", false),
            ("[REDACTED]", "", true),
            ("a [REDACTED] b", "a secret b", true),
            ("a [REDACTED] b", "a  b", true),
            ("a [REDACTED] b", "a b", false),
            ("a [REDACTED] b [REDACTED]", "a x b y", true),
            ("a [REDACTED] b [REDACTED]", "a x c y", false),
            ("[REDACTED]end", "the end", true),
            ("[REDACTED]end", "the ends", false),
        ] {
            assert_eq!(fits_recorded(recorded, said), fits, "{recorded:?} and {said:?}");
        }
    }
}
