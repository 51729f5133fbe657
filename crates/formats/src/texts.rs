//! Texts and data in which variables may stand.

use agentci_plan::{Data, Text};
use agentci_source::{Diagnostics, Node, Pair, Reading, read};
use serde_json::{Map, Value};

/// A text in which variables may stand.
pub(crate) fn template(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Text> {
    read::text(node, name, problems).map(|text| Text::parse(&text))
}

/// A mapping of names to texts; a number or truth value counts as the text it is written as.
pub(crate) fn named_texts(node: &Node, name: &str, problems: &mut Diagnostics) -> Vec<(String, Text)> {
    let pairs = read::pairs(node, &format!("`{name}`"), "`NAME: text`", problems);
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

/// A mapping as JSON.
pub(crate) fn object(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Value> {
    read::object(node, name, Reading::Core, problems)
}

/// Data in whose texts variables may stand.
pub(crate) fn data(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Data> {
    read::data(node, name, Reading::Core, problems).map(|value| Data::parse(&value))
}

/// A mapping in whose texts variables may stand.
pub(crate) fn object_data(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Data> {
    object(node, name, problems).map(|value| Data::parse(&value))
}

/// The keys of a mapping as JSON; none where it is no mapping.
pub(crate) fn object_map(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Map<String, Value>> {
    match object(node, name, problems)? {
        Value::Object(map) => Some(map),
        _ => None,
    }
}
