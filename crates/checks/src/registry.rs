//! The registry of all checks.

use std::sync::Arc;

use agentci_source::Node;
use agentci_source::shape::CheckShape;

use crate::compiler::Compiler;
use crate::evaluate::Evaluate;
use crate::{
    agent, call_order, contains, duration, equals, finish_reason, json_path, json_schema, latency, matches,
    model_called, no_pii, number, required_fields, script, semantic, task, tokens, tool_called, tool_evidence,
    tool_result, type_of, valid_json,
};

/// Reads the arguments of a check; adds problems to the compiler.
type Compile = fn(&Node, &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>>;

const KINDS: &[(&CheckShape, Compile)] = &[
    (&agent::SHAPE, agent::compile),
    (&call_order::SHAPE, call_order::compile),
    (&contains::SHAPE, contains::compile),
    (&duration::SHAPE, duration::compile),
    (&equals::SHAPE, equals::compile),
    (&finish_reason::SHAPE, finish_reason::compile),
    (&json_path::SHAPE, json_path::compile),
    (&json_schema::SHAPE, json_schema::compile),
    (&latency::SHAPE, latency::compile),
    (&matches::SHAPE, matches::compile),
    (&model_called::SHAPE, model_called::compile),
    (&no_pii::SHAPE, no_pii::compile),
    (&number::SHAPE, number::compile),
    (&required_fields::SHAPE, required_fields::compile),
    (&script::SHAPE, script::compile),
    (&semantic::SHAPE, semantic::compile),
    (&task::SHAPE, task::compile),
    (&tokens::SHAPE, tokens::compile),
    (&tool_called::SHAPE, tool_called::compile),
    (&tool_evidence::SHAPE, tool_evidence::compile),
    (&tool_result::SHAPE, tool_result::compile),
    (&type_of::SHAPE, type_of::compile),
    (&valid_json::SHAPE, valid_json::compile),
];

/// The checks of the final output. They fail if the agent gave no output, negated or not.
pub(crate) const OF_OUTPUT: [&str; 7] =
    ["equals", "json_path", "type", "json_schema", "required_fields", "script", "agent"];

/// The shape of each check, sorted by name.
pub fn shapes() -> impl Iterator<Item = &'static CheckShape> {
    KINDS.iter().map(|(shape, _)| *shape)
}

/// The names of all checks, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    shapes().map(|shape| shape.name)
}

pub(crate) fn find(name: &str) -> Option<Compile> {
    KINDS.iter().find(|(known, _)| known.name == name).map(|(_, compile)| *compile)
}
