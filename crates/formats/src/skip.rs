//! `skip`: whether a case is skipped, and why.

use agentci_plan::Skip;
use agentci_source::shape::Kind;
use agentci_source::{Diagnostic, Diagnostics, Node, Scalar, read};

pub(crate) const SKIP: Kind = Kind::Either(&[Kind::Truth, Kind::Name]);

/// Strings that look like `false` and are therefore rejected as reasons.
const DENIALS: [&str; 8] = ["false", "f", "no", "n", "off", "none", "null", "0"];

/// Reads `true`, `false`, or the reason as a string.
pub(crate) fn skip(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Skip> {
    match node.scalar().and_then(Scalar::truth) {
        Some(true) => Some(Skip { reason: None }),
        Some(false) => None,
        None => {
            let reason = read::text(node, name, problems)?;
            let word = reason.trim().to_lowercase();
            if word.is_empty() || DENIALS.contains(&word.as_str()) {
                problems.push(refused(node, &word));
                return None;
            }
            Some(Skip { reason: Some(reason) })
        }
    }
}

fn refused(node: &Node, word: &str) -> Diagnostic {
    let found = if word.is_empty() { "an empty string".to_owned() } else { node.describe() };
    Diagnostic::error(node.span, format!("`skip` must be true, false or a reason, found {found}"))
        .label("would skip the case")
        .help("write `skip: false` without quotes to run the case, or the reason why it is skipped")
}

#[cfg(test)]
mod tests {
    use agentci_source::Sources;

    use super::*;

    fn read_skip(text: &str) -> (Option<Skip>, usize) {
        let file = Sources::default().add("a".as_ref(), text);
        let mut problems = Diagnostics::default();
        let read = skip(&agentci_source::yaml::parse(text, file).unwrap(), "skip", &mut problems);
        (read, problems.iter().count())
    }

    #[test]
    fn string_resembling_false_is_not_a_reason() {
        for text in ["'false'", "\"False\"", "n", "N", "''", "' '", "'no'", "'off'", "'0'", "none"] {
            assert_eq!(read_skip(text), (None, 1), "{text}");
        }
        for text in ["false", "no", "off", "False"] {
            assert_eq!(read_skip(text), (None, 0), "{text}");
        }
        for text in ["true", "yes", "on"] {
            assert_eq!(read_skip(text), (Some(Skip { reason: None }), 0), "{text}");
        }
        for text in ["not ready", "no key yet", "'true'", "issue 12"] {
            let reason = Some(text.trim_matches('\'').to_owned());
            assert_eq!(read_skip(text), (Some(Skip { reason }), 0), "{text}");
        }
    }
}
