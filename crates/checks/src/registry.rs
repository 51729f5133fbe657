//! Every check by its name.

use agentci_plan::Node;

use crate::compiler::Compiler;
use crate::evaluate::Evaluate;
use crate::{
    agent, call_order, contains, duration, equals, json_path, json_schema, latency, matches, no_pii, required_fields,
    script, semantic, task, tokens, tool_called, tool_evidence, tool_result, type_of, unusable, valid_json,
};

/// Reads the arguments of a check; problems go to the compiler.
type Compile = fn(&Node, &mut Compiler<'_>) -> Option<Box<dyn Evaluate>>;

const KINDS: &[(&str, Compile)] = &[
    ("agent", agent::compile),
    ("call_order", call_order::compile),
    ("contains", contains::compile),
    ("duration", duration::compile),
    ("equals", equals::compile),
    ("json_path", json_path::compile),
    ("json_schema", json_schema::compile),
    ("latency", latency::compile),
    ("matches", matches::compile),
    ("no_pii", no_pii::compile),
    ("required_fields", required_fields::compile),
    ("script", script::compile),
    ("semantic", semantic::compile),
    ("task", task::compile),
    ("tokens", tokens::compile),
    ("tool_called", tool_called::compile),
    ("tool_evidence", tool_evidence::compile),
    ("tool_result", tool_result::compile),
    ("type", type_of::compile),
    ("unusable", unusable::compile),
    ("valid_json", valid_json::compile),
];

/// The names of all checks, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, _)| *name)
}

pub(crate) fn find(name: &str) -> Option<Compile> {
    KINDS.iter().find(|(known, _)| *known == name).map(|(_, compile)| *compile)
}
