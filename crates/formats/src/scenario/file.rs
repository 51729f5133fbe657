//! A scenario as a plain struct.

use agentci_plan::{Data, Fault, RoutedTool, Skip};
use agentci_source::shape::{Shape, ValueKind, optional, required};
use agentci_source::{Diagnostics, Name, Node, Span, Spanned, read};
use serde_json::{Map, Value, json};

use super::answer::AnswerFolders;
use super::fixtures::{FIXTURES, fixtures};
use super::threshold::{THRESHOLD, threshold};
use crate::skip::{SKIP, skip};
use crate::texts::object;
use crate::world::{FAULTS, read_faults};

/// What a scenario says.
pub(super) struct ScenarioFile {
    pub(super) name: Spanned<Name>,
    pub(super) description: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) skip: Option<Skip>,
    /// The question and the variables, as they are sent.
    pub(super) input: Spanned<Data>,
    pub(super) expected: ExpectedAnswer,
    pub(super) tools: Vec<RoutedTool>,
    /// Where the tools stand: their key, if they are there.
    pub(super) tools_key: Option<Span>,
    pub(super) faults: Vec<Fault>,
}

/// The answer that is hoped for.
pub(super) struct ExpectedAnswer {
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
        required("test_name", ValueKind::Name, "What reports call the scenario; each stands once for an agent."),
        optional("description", ValueKind::Text, "What it is about."),
        optional("tags", ValueKind::OneOrMore(&ValueKind::Text), "Words to select it by."),
        optional("skip", SKIP, "Whether it is left out, or why it is."),
        optional("variables", ValueKind::Object, "What the agent is told beside the question."),
        required("user_input", ValueKind::Name, "The question."),
        required("expected_answer", ValueKind::Name, "What a good answer says."),
        optional("semantic_threshold", THRESHOLD, "The least similarity, or one for each embedder."),
        optional("tool_fixtures", FIXTURES, "What tools answer, by their ids."),
        optional("faults", FAULTS, "What goes wrong with tools on purpose."),
    ],
);

/// Reads a scenario; `None` when something it cannot do without is missing or wrong.
pub(super) fn scenario(root: &Node, shelf: AnswerFolders<'_>, problems: &mut Diagnostics) -> Option<ScenarioFile> {
    SCENARIO.read(root, problems, |fields| {
        let name = fields.required("test_name", read::name);
        let (description, tags) = (fields.text("description"), fields.texts("tags"));
        let skip = fields.optional("skip", skip);
        let variables = fields.valid("variables", object);
        let question = fields.required("user_input", wording);
        let key = fields.key_span("expected_answer");
        let text = fields.required("expected_answer", wording);
        let threshold = fields.optional("semantic_threshold", threshold);
        let tools = fields.or_default("tool_fixtures", |node, problems| fixtures(node, shelf, problems));
        let faults = fields.or_default("faults", read_faults);
        let (question, text) = (question?, text?);
        let variables = variables?.unwrap_or_else(|| Value::Object(Map::new()));
        let input = json!({ "user_input": question.value, "variables": variables });
        Some(ScenarioFile {
            name: name?.into_name(),
            description,
            tags,
            skip,
            input: Spanned::new(Data::literal(&input), question.span),
            expected: ExpectedAnswer {
                key: key.unwrap_or(text.span),
                text: Node::text(text.value, text.span),
                threshold,
            },
            tools,
            tools_key: fields.key_span("tool_fixtures"),
            faults,
        })
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
