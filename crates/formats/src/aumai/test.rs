//! Reads one test.

use agentci_plan::Check;
use agentci_source::shape::{Kind, Shape, UnknownKeys, optional, required};
use agentci_source::{Diagnostics, Name, Node, Reading, Severity, Span, Spanned, read as take};
use serde_json::{Map, Value};

use super::expected;

#[derive(Debug, Clone)]
pub struct Test {
    pub name: Spanned<Name>,
    /// A description of the test.
    pub description: String,
    /// The messages sent to the model, as JSON objects.
    pub input_messages: Vec<Map<String, Value>>,
    /// The expectations for the answer, as written.
    pub expected_behavior: Map<String, Value>,
    /// The expectations as checks, in the order of evaluation.
    pub checks: Vec<Check>,
    /// Tags to select the test by.
    pub tags: Vec<String>,
    pub messages_span: Span,
}

pub(super) static TEST: Shape = Shape::new(
    "a test",
    "Messages for a model, and what is expected of its answer.",
    &[
        required("name", Kind::Name, "Name of the test in reports."),
        optional("description", Kind::Text, "What the test is about."),
        optional("input_messages", Kind::List(&Kind::Object), "Messages sent to the model."),
        optional("expected_behavior", Kind::Shape(&expected::EXPECTED), "What is expected of the answer."),
        optional("tags", Kind::OneOrMore(&Kind::Text), "Tags to select the test by."),
    ],
)
.unknown(UnknownKeys::Warned);

/// Reads a test; `None` if it is invalid.
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
        let help = "add `expected_behavior:` with at least one expectation";
        problems.warning(span, message, "passes with any answer").help(help);
    }
    if input_messages.is_empty() {
        let message = format!("the test `{}` has no input messages", name.value.escape_debug());
        problems.warning(span, message, "no messages").help("add `input_messages:` with the messages for the model");
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

/// Reads a mapping as data, with the types of Python's YAML loader.
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
