//! `budgets` of a suite or a case.

use agentci_plan::{Diagnostics, Limits, Node, read};

use crate::quantity::{number, whole};

/// Reads the five budgets; none of them is needed.
pub(super) fn budgets(node: &Node, problems: &mut Diagnostics) -> Limits {
    let Some(mut fields) = read::Fields::open(node, "`budgets`", problems) else { return Limits::default() };
    let mut count = |key| fields.optional(key).and_then(|node| whole(node, key, problems));
    let mut limits = Limits {
        wall_ms: count("max_wall_ms"),
        tool_calls: count("max_tool_calls"),
        tool_errors: count("max_tool_errors"),
        tokens_out: count("max_tokens_out"),
        cost_usd: None,
    };
    limits.cost_usd = fields.optional("max_cost_usd").and_then(|node| number(node, "max_cost_usd", problems));
    fields.finish(problems);
    limits
}
