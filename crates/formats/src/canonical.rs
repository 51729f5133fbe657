//! The canonical form of data: equal data is spelt the same way, with quoted strings and `null` for null.

use agentci_plan::Text;
use agentci_source::{Content, Node, Pair, Reading, Scalar};
use serde_json::Value;

/// The arguments of a check, and whether a string in them contains a variable. Without variables, escapes are resolved;
/// otherwise everything stays as written until the variables are substituted.
pub(crate) fn arguments(node: &Node) -> (Node, bool) {
    let mut templated = false;
    let unescaped = normal(node, &mut |text| match Text::parse(text) {
        Text::Literal(literal) => literal,
        Text::Template(_) => {
            templated = true;
            text.to_owned()
        }
    });
    (if templated { as_written(node) } else { unescaped }, templated)
}

/// The data in canonical form, with variables and escapes as written.
pub(crate) fn as_written(node: &Node) -> Node {
    normal(node, &mut str::to_owned)
}

fn normal(node: &Node, change: &mut impl FnMut(&str) -> String) -> Node {
    let content = match &node.content {
        Content::Scalar(scalar) => Content::Scalar(match scalar.value(Reading::Core) {
            Some(Value::String(text)) => Scalar::quoted(change(&text)),
            Some(Value::Null) => Scalar::plain("null"),
            _ => scalar.clone(),
        }),
        Content::List(items) => Content::List(items.iter().map(|item| normal(item, change)).collect()),
        Content::Map(pairs) => Content::Map(
            pairs.iter().map(|pair| Pair { key: pair.key.clone(), value: normal(&pair.value, change) }).collect(),
        ),
    };
    Node { span: node.span, content }
}
