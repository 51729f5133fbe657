//! One test as it is written.

use agentci_plan::Check;
use agentci_source::shape::{Kind, Shape, UnknownKeys, optional, required};
use agentci_source::{Diagnostics, Name, Node, Reading, Severity, Span, Spanned, read as take};
use serde_json::{Map, Value};

use super::expected;

/// One test.
#[derive(Debug, Clone)]
pub struct Test {
    /// Its name.
    pub name: Spanned<Name>,
    /// What it is about.
    pub description: String,
    /// What the model is asked: objects.
    pub input_messages: Vec<Map<String, Value>>,
    /// What is expected of the answer, as it is written.
    pub expected_behavior: Map<String, Value>,
    /// The same as checks, in the order they are evaluated.
    pub checks: Vec<Check>,
    /// Words to select it by.
    pub tags: Vec<String>,
    /// Where its messages stand.
    pub messages_span: Span,
}

pub(super) static TEST: Shape = Shape::new(
    "a test",
    "What a model is asked, and what is expected of its answer.",
    &[
        required("name", Kind::Name, "What reports call the test."),
        optional("description", Kind::Text, "What it is about."),
        optional("input_messages", Kind::List(&Kind::Object), "What the model is asked."),
        optional("expected_behavior", Kind::Shape(&expected::EXPECTED), "What is expected of the answer."),
        optional("tags", Kind::OneOrMore(&Kind::Text), "Words to select it by."),
    ],
)
.unknown(UnknownKeys::Warned);

/// Reads a test; `None` when it is wrong.
pub fn read(node: &Node, problems: &mut Diagnostics) -> Option<Test> {
    let before = problems.count(Severity::Error);
    let mut fields = TEST.reader(node, problems)?;
    let name = fields.required("name", take::name);
    let description = fields.text("description").unwrap_or_default();
    let written = fields.node("input_messages");
    let input_messages = fields.or_default("input_messages", messages);
    let expected = fields.node("expected_behavior");
    let tags = fields.texts("tags");
    fields.finish();
    let checks = expected.map(|node| expected::checks(node, problems)).unwrap_or_default();
    let expected_behavior = expected.and_then(|node| object(node, "expected_behavior", problems)).unwrap_or_default();
    if problems.count(Severity::Error) > before {
        return None;
    }
    let name = name?;
    let span = name.span;
    if expected_behavior.is_empty() {
        let message = format!("the test `{}` expects nothing", name.value.escape_debug());
        let help = "add `expected_behavior:` with something to expect";
        problems.warning(span, message, "passes whatever is answered").help(help);
    }
    if input_messages.is_empty() {
        let message = format!("the test `{}` asks nothing", name.value.escape_debug());
        problems.warning(span, message, "has no messages").help("add `input_messages:` with what the model is asked");
    }
    Some(Test {
        name: name.into_name(),
        description,
        input_messages,
        expected_behavior,
        checks,
        tags,
        messages_span: written.map_or(span, |node| node.span),
    })
}

fn messages(node: &Node, problems: &mut Diagnostics) -> Vec<Map<String, Value>> {
    take::each(node, "input_messages", problems, |item, problems| object(item, "input_messages", problems))
}

/// A mapping as data, read as the Python loader reads it.
fn object(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Map<String, Value>> {
    if node.pairs().is_none() {
        let message = match name {
            "input_messages" => format!("a message must be a mapping, found {}", node.describe()),
            _ => format!("`{name}` must be a mapping, found {}", node.describe()),
        };
        problems.error(node.span, message, "expected `key: value` lines");
        return None;
    }
    match take::data(node, name, Reading::Legacy, problems)? {
        Value::Object(map) => Some(map),
        _ => None,
    }
}
