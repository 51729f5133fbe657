//! Reads patterns: `/body/flags` as in JavaScript, or a plain pattern.

use agentci_source::{Diagnostics, Span};

use crate::foreign_pattern::{Language, PatternFlags, translated};

/// The flags of JavaScript; only `i`, `m`, `s` and `y` change what is matched.
const FLAGS: &str = "dgimsuvy";

/// The pattern for the checks, with its flags at the start; `None` if it is invalid. `y` anchors it at the start of the
/// text.
pub(super) fn pattern(written: &str, span: Span, problems: &mut Diagnostics) -> Option<String> {
    let Some((body, flags)) = split(written) else {
        return Some(translated(written, Language::JavaScript(PatternFlags::Plain)));
    };
    if let Some(unknown) = flags.chars().find(|flag| !FLAGS.contains(*flag)) {
        let help = format!(
            "known flags are those of JavaScript, `{FLAGS}`; to match literal slashes, escape the first one with a \
             backslash: `\\/`"
        );
        problems
            .error(span, format!("the pattern has an unknown flag `{unknown}`"), "read as `/body/flags`")
            .help(help);
        return None;
    }
    let mode = match flags {
        _ if flags.contains('v') => PatternFlags::Sets,
        _ if flags.contains('i') && !flags.contains('u') => PatternFlags::IgnoreCase,
        _ => PatternFlags::Plain,
    };
    let body = translated(body, Language::JavaScript(mode));
    let inline: String = ['i', 'm', 's'].into_iter().filter(|flag| flags.contains(*flag)).collect();
    let inline = if inline.is_empty() { inline } else { format!("(?{inline})") };
    Some(if flags.contains('y') { format!("{inline}\\A(?:{body})") } else { format!("{inline}{body}") })
}

/// Splits `/body/flags`. If the end is not made of known flags, the text is a path (`None`) if it has a third slash, or
/// characters other than letters or more than eight letters after the last slash.
fn split(written: &str) -> Option<(&str, &str)> {
    let (body, flags) = written.strip_prefix('/')?.rsplit_once('/')?;
    let known = flags.chars().all(|flag| FLAGS.contains(flag));
    let meant = flags.len() <= FLAGS.len() && flags.chars().all(|flag| flag.is_ascii_alphabetic()) && !has_slash(body);
    (!body.is_empty() && (known || meant)).then_some((body, flags))
}

/// Whether there is an unescaped slash.
fn has_slash(body: &str) -> bool {
    let mut characters = body.chars();
    while let Some(character) = characters.next() {
        match character {
            '/' => return true,
            '\\' => _ = characters.next(),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::testing::{messages, node};
    use super::*;

    fn read(written: &str) -> (Option<String>, Vec<String>) {
        let mut problems = Diagnostics::default();
        let pattern = pattern(written, node("a").span, &mut problems);
        (pattern, messages(&problems))
    }

    #[test]
    fn translates_trailing_flags_to_inline_flags() {
        for (written, expected) in [
            ("error|failed", "error|failed"),
            ("/error/", "error"),
            ("/^a$/mgi", "(?im)^a$"),
            ("/a/dv", "a"),
            ("/[[]{x/", "[\\[]\\{x"),
            ("/[[a]--[b]]/v", "[[a]--[b]]"),
            ("{a", "\\{a"),
            ("/a|b/y", "\\A(?:a|b)"),
            ("/a.b/suy", "(?s)\\A(?:a.b)"),
            ("/a\\/b/ii", "(?i)a\\/b"),
            ("/${NAME}/i", "(?i)${NAME}"),
            ("/usr/bin/x", "/usr/bin/x"),
            ("/api/customers", "/api/customers"),
            ("/orders/17", "/orders/17"),
            ("\\/usr/bin", "\\/usr/bin"),
            ("//", "//"),
            ("/", "/"),
            ("a/b/i", "a/b/i"),
        ] {
            assert_eq!(read(written), (Some(expected.to_owned()), vec![]), "{written}");
        }
    }

    #[test]
    fn reports_unknown_flag() {
        for (written, flag) in [("/error/ix", 'x'), ("/Error/I", 'I'), ("/a\\/b/k", 'k'), ("/usr/bin", 'b')] {
            let message = format!("the pattern has an unknown flag `{flag}`");
            assert_eq!(read(written), (None, vec![message]), "{written}");
        }
    }
}
