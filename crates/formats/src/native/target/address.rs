//! Reads URLs.

use agentci_plan::Text;
use agentci_source::{Diagnostics, Node, Spanned, read};

/// Reads a URL that may contain variables; without variables it must be an HTTP or HTTPS URL.
pub(crate) fn read_address(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<Text>> {
    let text = Text::parse(&read::text(node, name, problems)?);
    if let Text::Literal(written) = &text {
        let rest = written.strip_prefix("http://").or_else(|| written.strip_prefix("https://"));
        if rest.is_none_or(|rest| rest.is_empty() || rest.starts_with('/') || rest.contains(char::is_whitespace)) {
            problems
                .mismatch(node, format_args!("`{name}` must be a URL"), "expected `http://..` or `https://..`")
                .help("write the full URL, or use a variable: `${ENV.AGENT_URL}`");
            return None;
        }
    }
    Some(Spanned::new(text, node.span))
}
