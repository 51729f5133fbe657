//! Reads strings and data that may contain variables.

use agentci_plan::{Data, Text};
use agentci_source::{Diagnostics, Node, Pair, Reading, read};
use serde_json::{Map, Value};

/// Reads a string that may contain variables.
pub(crate) fn template(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Text> {
    read::text(node, name, problems).map(|text| Text::parse(&text))
}

/// Reads a mapping of names to strings; a number or boolean counts as the string that is written.
pub(crate) fn named_texts(node: &Node, name: &str, problems: &mut Diagnostics) -> Vec<(String, Text)> {
    let pairs = read::pairs(node, &format!("`{name}`"), "`NAME: value`", problems);
    pairs.iter().filter_map(|pair| named_text(pair, name, problems)).collect()
}

fn named_text(pair: &Pair, name: &str, problems: &mut Diagnostics) -> Option<(String, Text)> {
    let scalar = pair.value.scalar().filter(|scalar| !scalar.is_null());
    if scalar.is_none() {
        let message =
            format!("`{}` in `{name}` must be a string, found {}", pair.key.text.escape_debug(), pair.value.describe());
        problems.error(pair.value.span, message, "expected a string").help("write `\"\"` for an empty string");
    }
    Some((pair.key.text.to_string(), Text::parse(&scalar?.text)))
}

/// Reads a mapping as JSON.
pub(crate) fn object(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Value> {
    read::object(node, name, Reading::Core, problems)
}

/// Reads data whose strings may contain variables.
pub(crate) fn data(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Data> {
    read::data(node, name, Reading::Core, problems).map(|value| Data::parse(&value))
}

/// Reads a mapping whose strings may contain variables.
pub(crate) fn object_data(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Data> {
    object(node, name, problems).map(|value| Data::parse(&value))
}

/// Reads a mapping as a JSON map; `None` if it is not a mapping.
pub(crate) fn object_map(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Map<String, Value>> {
    match object(node, name, problems)? {
        Value::Object(map) => Some(map),
        _ => None,
    }
}
