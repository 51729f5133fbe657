//! Finds patterns that match every text, including the empty one.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, LookSet};

/// Whether a pattern matches every text.
pub(crate) fn matches_all(pattern: &str) -> bool {
    regex_syntax::parse(pattern).is_ok_and(|pattern| is_everywhere(&pattern))
}

fn is_everywhere(pattern: &Hir) -> bool {
    let looks = pattern.properties().look_set();
    // Every text has a beginning and an end; other assertions may not match.
    if may_be_empty(pattern) && (only(looks, is_start) || only(looks, is_end)) {
        return true;
    }
    match pattern.kind() {
        HirKind::Capture(group) => is_everywhere(&group.sub),
        HirKind::Alternation(branches) => branches.iter().any(is_everywhere),
        HirKind::Concat(parts) => (0..parts.len()).any(|at| spans(&parts[..at], &parts[at], &parts[at + 1..])),
        _ => false,
    }
}

/// Whether one part matches a whole text, or a whole line of it, and the others match at its ends: `(?s)^.*$`,
/// `(?m)^.*$`.
fn spans(before: &[Hir], part: &Hir, after: &[Hir]) -> bool {
    let met = |parts: &[Hir], is_met: fn(Look) -> bool| {
        parts.iter().all(|part| may_be_empty(part) && only(part.properties().look_set(), is_met))
    };
    let end = match reach(part) {
        Some(PatternReach::Text) => is_end,
        Some(PatternReach::Line) => |look| look == Look::EndLF,
        None => return false,
    };
    met(before, is_start) && met(after, end)
}

/// How much of any text a part can match.
enum PatternReach {
    Text,
    Line,
}

fn reach(part: &Hir) -> Option<PatternReach> {
    match part.kind() {
        HirKind::Capture(group) => reach(&group.sub),
        HirKind::Repetition(repetition) if repetition.min == 0 && repetition.max.is_none() => {
            let mut others = characters(&repetition.sub)?;
            others.negate();
            match others.ranges() {
                [] => Some(PatternReach::Text),
                [one] if (one.start(), one.end()) == ('\n', '\n') => Some(PatternReach::Line),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The characters that a part matches, if it matches exactly one character.
fn characters(part: &Hir) -> Option<ClassUnicode> {
    match part.kind() {
        HirKind::Capture(group) => characters(&group.sub),
        HirKind::Class(Class::Unicode(class)) => Some(class.clone()),
        HirKind::Class(Class::Bytes(class)) => class.to_unicode_class(),
        HirKind::Literal(literal) => {
            let mut letters = std::str::from_utf8(&literal.0).ok()?.chars();
            let (letter, None) = (letters.next()?, letters.next()) else { return None };
            Some(ClassUnicode::new([ClassUnicodeRange::new(letter, letter)]))
        }
        HirKind::Alternation(branches) => branches.iter().try_fold(ClassUnicode::empty(), |mut all, branch| {
            all.union(&characters(branch)?);
            Some(all)
        }),
        _ => None,
    }
}

fn may_be_empty(part: &Hir) -> bool {
    part.properties().minimum_len() == Some(0)
}

fn only(looks: LookSet, is_met: fn(Look) -> bool) -> bool {
    looks.iter().all(is_met)
}

fn is_start(look: Look) -> bool {
    matches!(look, Look::Start | Look::StartLF | Look::StartCRLF)
}

fn is_end(look: Look) -> bool {
    matches!(look, Look::End | Look::EndLF | Look::EndCRLF)
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    /// Texts with the differences that patterns are sensitive to.
    const TEXTS: [&str; 8] = ["", "a", "yes", "\n", "a\nb", "\n\n", "é ü\r\nß", "{\"a\": 1}\n"];

    #[test]
    fn detects_patterns_that_match_everything() {
        for pattern in [
            ".*",
            "",
            "a*",
            "(?s).*",
            "^.*",
            "(foo)?",
            "x{0,3}|y",
            "$",
            ".*$",
            "(?s)^.*$",
            "(?s)^(.*)$",
            "(?s)^(.*?)$",
            r"^[\s\S]*$",
            r"^(?:.|\n)*$",
            r"^(.|\n)*$",
            r"(?s)\A.*\z",
            "(?s)^a?.*b*$",
            "(?m)^.*$",
            "(?m)^",
            "(?m)$",
            "(?s)(^.*$)",
            "yes|(?s:^.*$)",
        ] {
            assert!(matches_all(pattern), "{pattern}");
            let regex = Regex::new(pattern).unwrap();
            assert!(TEXTS.iter().all(|text| regex.is_match(text)), "{pattern}");
        }
    }

    #[test]
    fn ignores_patterns_that_can_fail() {
        for pattern in [
            ".+",
            "a",
            "^$",
            r"\b",
            "a|bc",
            // Another line is not matched.
            "^.*$",
            "(?s)^.+$",
            "(?s)^.{0,3}$",
            "(?s)^.*a$",
            "(?s)^a.*$",
            r"(?s)^.*\b$",
            r"^\w*$",
            "^[^a]*$",
            "(?m)^[^a]*$",
            "(?s)$.*^",
            "yes|^.*$",
        ] {
            assert!(!matches_all(pattern), "{pattern}");
            let regex = Regex::new(pattern).unwrap();
            assert!(TEXTS.iter().any(|text| !regex.is_match(text)), "{pattern}");
        }
        assert!(!matches_all("("));
    }
}
