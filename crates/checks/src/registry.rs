//! Every check by its name.

use agentci_plan::Node;

use crate::compile::Compiler;
use crate::evaluate::Evaluate;
use crate::{call_order, contains, json_schema, required_fields, tool_called};

/// Reads the arguments of a check; problems go to the compiler.
type Compile = fn(&Node, &mut Compiler<'_>) -> Option<Box<dyn Evaluate>>;

const KINDS: &[(&str, Compile)] = &[
    ("call_order", call_order::compile),
    ("contains", contains::compile),
    ("json_schema", json_schema::compile),
    ("required_fields", required_fields::compile),
    ("tool_called", tool_called::compile),
];

/// The names of all checks, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, _)| *name)
}

pub(crate) fn find(name: &str) -> Option<Compile> {
    KINDS.iter().find(|(known, _)| *known == name).map(|(_, compile)| *compile)
}
