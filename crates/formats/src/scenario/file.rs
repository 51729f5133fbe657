//! Reads a scenario file into a case.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{Case, Data, TurnInput, World};
use agentci_source::shape::{Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, Spanned, read};
use serde_json::json;

use super::answer::AnswerFolders;
use super::fixtures::{FIXTURES, fixtures};
use super::lower::AgentDefaults;
use super::threshold::{THRESHOLD, threshold};
use crate::new_suite::plain_turn;
use crate::skip::{SKIP, skip};
use crate::texts::object;
use crate::world::{FAULTS, read_faults};

/// A scenario file.
pub(crate) static SCENARIO: Shape = Shape::new(
    "the scenario",
    "A question, the answers of the tools, and the expected answer.",
    &[
        required("test_name", Kind::Name, "Name of the scenario in reports; unique for each agent."),
        optional("description", Kind::Text, "What the scenario tests."),
        optional("tags", Kind::OneOrMore(&Kind::Text), "Tags to select the scenario by."),
        optional("skip", SKIP, "Whether to skip the scenario: a boolean, or the reason as a string."),
        optional("variables", Kind::Object, "Variables to send to the agent with the question."),
        required("user_input", Kind::Name, "The question."),
        required("expected_answer", Kind::Name, "Expected answer."),
        optional("semantic_threshold", THRESHOLD, "Minimum similarity, or one for each embedder."),
        optional("tool_fixtures", FIXTURES, "Answers of tools, by tool id."),
        optional("faults", FAULTS, "Faults to inject into tool calls."),
    ],
);

/// Reads a scenario; `None` if a required part is missing or invalid.
pub(super) fn scenario(
    root: &Node,
    path: &Path,
    agent: &AgentDefaults<'_>,
    folders: AnswerFolders<'_>,
    problems: &mut Diagnostics,
) -> Option<Case> {
    SCENARIO.read(root, problems, |fields| {
        let name = fields.required("test_name", read::name);
        let (description, tags) = (fields.text("description"), fields.texts("tags"));
        let skip = fields.optional("skip", skip);
        let variables = fields.valid("variables", object);
        let question = fields.required("user_input", wording);
        let key = fields.key_span("expected_answer");
        let text = fields.required("expected_answer", wording);
        let threshold = fields.optional("semantic_threshold", threshold);
        let tools = fields.or_default("tool_fixtures", |node, problems| fixtures(node, folders, problems));
        let faults = fields.or_default("faults", read_faults);
        let (name, question, text) = (name?, question?, text?);
        let tools = agent.routes(tools, fields.key_span("tool_fixtures"), path, name.span);
        let variables = variables?.unwrap_or_else(|| json!({}));
        let input = json!({ "user_input": question.value, "variables": variables });
        let turn = plain_turn(TurnInput::Input(Data::literal(&input)), question.span);
        let check = agent.check(key.unwrap_or(text.span), text, threshold);
        let world = World { tools, faults: faults.into(), live: Arc::clone(&agent.live), ..World::default() };
        Some(Case {
            description: description.map(Into::into),
            tags: tags.into(),
            skip: skip.map(Box::new),
            turns: [turn].into(),
            checks: [Arc::new(check)].into(),
            ..Case::new(name.value, name.span, Arc::clone(&agent.target), Arc::new(world))
        })
    })
}

/// A string that is not blank.
fn wording(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<String>> {
    let text = read::text(node, name, problems)?;
    if text.trim().is_empty() {
        problems.error(node.span, format!("`{name}` must not be empty"), "empty");
        return None;
    }
    Some(Spanned::new(text, node.span))
}
