//! A scenario as a plain struct.

use agentci_plan::{Data, Fault, RoutedTool, Skip};
use agentci_source::shape::{Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Name, Node, Reading, Span, Spanned, read};
use serde_json::{Map, Value, json};

use super::answer::Shelf;
use super::fixtures::{FIXTURES, fixtures};
use super::threshold::{THRESHOLD, threshold};
use crate::skip::{SKIP, skip};
use crate::world::{FAULTS, read_faults};

/// What a scenario says.
pub(super) struct ScenarioFile {
    pub(super) name: Spanned<Name>,
    pub(super) description: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) skip: Option<Skip>,
    /// The question and the variables, as they are sent.
    pub(super) input: Spanned<Data>,
    pub(super) expected: Expected,
    pub(super) tools: Vec<RoutedTool>,
    /// Where the tools stand: their key, if they are there.
    pub(super) tools_key: Option<Span>,
    pub(super) faults: Vec<Fault>,
}

/// The answer that is hoped for.
pub(super) struct Expected {
    /// Where it is asked for.
    pub(super) key: Span,
    pub(super) text: Node,
    pub(super) threshold: Option<Node>,
}

/// A scenario file.
pub(crate) static SCENARIO: Shape = Shape::new(
    "the scenario",
    "A question, what tools answer, and the answer that is hoped for.",
    &[
        required("test_name", Kind::Name, "What reports call the scenario; each stands once for an agent."),
        optional("description", Kind::Text, "What it is about."),
        optional("tags", Kind::OneOrMore(&Kind::Text), "Words to select it by."),
        optional("skip", SKIP, "Whether it is left out, or why it is."),
        optional("variables", Kind::Object, "What the agent is told beside the question."),
        required("user_input", Kind::Name, "The question."),
        required("expected_answer", Kind::Name, "What a good answer says."),
        optional("semantic_threshold", THRESHOLD, "The least similarity, or one for each embedder."),
        optional("tool_fixtures", FIXTURES, "What tools answer, by their ids."),
        optional("faults", FAULTS, "What goes wrong with tools on purpose."),
    ],
);

/// Reads a scenario; `None` when something it cannot do without is missing or wrong.
pub(super) fn scenario(root: &Node, shelf: Shelf<'_>, problems: &mut Diagnostics) -> Option<ScenarioFile> {
    let mut fields = SCENARIO.open(root, problems)?;
    let name = fields.required("test_name", problems).and_then(|node| read::name(node, "test_name", problems));
    let description = fields.optional("description").and_then(|node| read::text(node, "description", problems));
    let tags = fields.optional("tags").and_then(|node| read::one_or_more_texts(node, "tags", problems));
    let skip = fields.optional("skip").and_then(|node| skip(node, problems));
    let variables = fields.optional("variables");
    let variables = variables.map(|node| read::object(node, "variables", Reading::Core, problems));
    let question = fields.required("user_input", problems).and_then(|node| wording(node, "user_input", problems));
    let key = fields.key_span("expected_answer");
    let text = fields.required("expected_answer", problems);
    let text = text.and_then(|node| wording(node, "expected_answer", problems));
    let threshold =
        fields.optional("semantic_threshold").and_then(|node| threshold(node, "semantic_threshold", problems));
    let tools = fields.optional("tool_fixtures").map(|node| fixtures(node, shelf, problems));
    let tools_key = fields.key_span("tool_fixtures");
    let faults = fields.optional("faults").map(|node| read_faults(node, problems));
    fields.finish(problems);
    let question = question?;
    let variables = variables.unwrap_or_else(|| Some(Value::Object(Map::new())))?;
    let input = json!({ "user_input": question.value, "variables": variables });
    let text = text?;
    Some(ScenarioFile {
        name: name?.into_name(),
        description,
        tags: tags.unwrap_or_default().into_iter().map(|tag| tag.value).collect(),
        skip,
        input: Spanned::new(Data::literal(&input), question.span),
        expected: Expected { key: key.unwrap_or(text.span), text: Node::text(text.value, text.span), threshold },
        tools: tools.unwrap_or_default(),
        tools_key,
        faults: faults.unwrap_or_default(),
    })
}

/// A text that says something.
fn wording(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<String>> {
    let text = read::text(node, name, problems)?;
    if text.trim().is_empty() {
        problems.error(node.span, format!("`{name}` must not be empty"), "a text is missing here");
        return None;
    }
    Some(Spanned::new(text, node.span))
}
