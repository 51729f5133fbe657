//! Data in the one form that equal data has however it is spelt: texts quoted, nothing written as `null`.

use agentci_plan::Text;
use agentci_source::{Content, Node, Pair, Reading, Scalar};
use serde_json::Value;

/// The arguments of a check, and whether a text in them holds a variable. Without one escapes are resolved; with one everything
/// stays as it is written until the variables are filled.
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

/// The data in its normal form, variables and escapes left as they are.
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
