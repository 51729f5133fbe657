//! Texts in which variables may stand.

use agentci_plan::Text;
use agentci_source::{Diagnostics, Node, Pair, read};

/// A text in which variables may stand.
pub(crate) fn template(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Text> {
    read::text(node, name, problems).map(|text| Text::parse(&text))
}

/// A mapping of names to texts; a number or truth value counts as the text it is written as.
pub(crate) fn named_texts(node: &Node, name: &'static str, problems: &mut Diagnostics) -> Vec<(String, Text)> {
    let Some(pairs) = node.pairs() else {
        problems.mismatch(node, format_args!("`{name}` must be a mapping"), "expected `NAME: text` lines");
        return Vec::new();
    };
    pairs.iter().filter_map(|pair| named_text(pair, name, problems)).collect()
}

fn named_text(pair: &Pair, name: &str, problems: &mut Diagnostics) -> Option<(String, Text)> {
    let scalar = pair.value.scalar().filter(|scalar| !scalar.is_null());
    if scalar.is_none() {
        let message =
            format!("`{}` in `{name}` must be text, found {}", pair.key.text.escape_debug(), pair.value.describe());
        problems.error(pair.value.span, message, "expected text").help("write `\"\"` for an empty text");
    }
    Some((pair.key.text.to_string(), Text::parse(&scalar?.text)))
}
