//! Helpers for the tests of this dialect.

use std::path::Path;

use agentci_source::{Diagnostics, Node, Sources};

/// Parses a text.
pub(super) fn node(text: &str) -> Node {
    let file = Sources::default().add(Path::new("a.yaml"), text);
    agentci_source::yaml::parse(text, file).unwrap()
}

pub(super) fn messages(problems: &Diagnostics) -> Vec<String> {
    problems.iter().map(|problem| problem.message.clone()).collect()
}
