//! Readers for several parts of the format.

use std::time::Duration;

use agentci_plan::Text;
use agentci_source::{Diagnostics, Node, Reading, Spanned, read};
use serde_json::Value;

use crate::texts::template;

/// Reads a time in milliseconds, greater than zero.
pub(super) fn milliseconds(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Duration> {
    let number = node.scalar().and_then(|scalar| scalar.value(Reading::Core)).as_ref().and_then(Value::as_f64);
    let duration = number.and_then(|number| Duration::try_from_secs_f64(number / 1000.0).ok());
    let duration = duration.filter(|duration| !duration.is_zero());
    if duration.is_none() {
        let wanted = match number {
            Some(number) if number > 0.0 => "a shorter time",
            Some(_) => "greater than 0",
            None => "a number of milliseconds",
        };
        let help = format!("write a number of milliseconds, such as `{name}: 30000`");
        problems.mismatch(node, format_args!("`{name}` must be {wanted}"), format!("expected {wanted}")).help(help);
    }
    duration
}

/// Reads a URL; without variables it must be complete.
pub(super) fn url(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<Text>> {
    let text = template(node, name, problems)?;
    if matches!(&text, Text::Literal(url) if !is_url(url)) {
        let help = "start it with `http://` or `https://` and a host name, or with a variable";
        problems.mismatch(node, format_args!("`{name}` must be an HTTP URL"), "not a URL").help(help);
        return None;
    }
    Some(Spanned::new(text, node.span))
}

fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let host = rest.split(['/', '?', '#']).next().expect("a split has a first part");
    let plain = !text.chars().any(|c| c.is_whitespace() || c.is_control());
    plain && !host.is_empty() && ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// Reads a list of strings, without their spans.
pub(super) fn plain_texts(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Vec<String>> {
    Some(read::texts(node, name, problems)?.into_iter().map(|text| text.value).collect())
}

/// Reads a list that must not be empty; `example` is shown in the help.
pub(super) fn filled_list<'n>(
    node: &'n Node,
    name: &str,
    example: &str,
    problems: &mut Diagnostics,
) -> Option<&'n [Node]> {
    let items = node.items();
    let (message, label) = match items {
        Some([]) => (format!("`{name}` is empty"), "at least one is needed"),
        Some(items) => return Some(items),
        None => (format!("`{name}` must be a list, found {}", node.describe()), "expected a list"),
    };
    problems.error(node.span, message, label).help(format!("write `{name}: {example}`"));
    None
}

/// Reads a program and its arguments, which may contain variables.
pub(super) fn command(node: &Node, name: &str, example: &str, problems: &mut Diagnostics) -> Option<Vec<Text>> {
    let items = filled_list(node, name, example, problems)?;
    let parts: Vec<Text> = items.iter().filter_map(|item| template(item, &format!("{name}[]"), problems)).collect();
    if matches!(parts.first(), Some(Text::Literal(program)) if program.trim().is_empty()) {
        let help = format!("write `{name}: {example}`");
        problems.error(node.span, format!("`{name}` names no program"), "a program is missing here").help(help);
    }
    (parts.len() == items.len()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_requires_http_scheme_and_host() {
        for good in ["http://localhost:8080/x", "HTTPS://a", "https://a?b"] {
            assert!(is_url(good), "{good}");
        }
        for wrong in ["", "localhost:80", "ftp://a", "http://", "http:///x", "http://a b", "https//a", "/x"] {
            assert!(!is_url(wrong), "{wrong}");
        }
    }
}
