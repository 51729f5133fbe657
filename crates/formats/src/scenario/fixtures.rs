//! `tool_fixtures`: the tools of a scenario and what they answer.

use agentci_plan::RoutedTool;
use agentci_source::shape::Kind;
use agentci_source::{Diagnostics, Node, Pair};

use super::answer::Shelf;
use super::fixture::{FIXTURE, fixture};
use crate::world::read_tool_id;

/// Answers by the ids of tools.
pub(super) const FIXTURES: Kind = Kind::Map(&Kind::Either(&[Kind::List(&Kind::Shape(&FIXTURE)), Kind::Nothing]));

/// Reads a mapping of tools to their answers.
pub(super) fn fixtures(node: &Node, shelf: Shelf<'_>, problems: &mut Diagnostics) -> Vec<RoutedTool> {
    let Some(pairs) = node.pairs() else {
        let message = format!("`tool_fixtures` must be a mapping, found {}", node.describe());
        problems.error(node.span, message, "expected `tool_id:` lines with a list below each");
        return Vec::new();
    };
    pairs.iter().filter_map(|pair| tool(pair, shelf, problems)).collect()
}

fn tool(pair: &Pair, shelf: Shelf<'_>, problems: &mut Diagnostics) -> Option<RoutedTool> {
    let id = read_tool_id(pair, problems)?;
    let name = id.value.escape_debug();
    let items = if pair.value.is_null() { Some(&[][..]) } else { pair.value.items() };
    let Some(items) = items else {
        problems
            .mismatch(&pair.value, format_args!("the answers of `{name}` must be a list"), "expected a list")
            .help("begin each answer with a dash: `- request: {..}`");
        return None;
    };
    if items.is_empty() {
        let message = format!("`{name}` has no answer, so every call of it is a miss");
        let help = "add `- request: {..}` with a `response_file`, or record it with `agentci record`";
        problems.warning(pair.key.span, message, "nothing below it").help(help);
    }
    let fixtures = items.iter().filter_map(|item| fixture(item, shelf, problems)).collect();
    Some(RoutedTool { id, fixtures })
}
