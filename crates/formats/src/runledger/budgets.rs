//! `budgets` of a suite or a case.

use agentci_plan::shape::{Kind, Shape, optional};
use agentci_plan::{Diagnostics, Limits, Node};

use crate::quantity::{number, whole};

pub(super) static BUDGETS: Shape = Shape::new(
    "`budgets`",
    "What stops a case, and fails it.",
    &[
        optional("max_wall_ms", Kind::Unbroken, "The most milliseconds."),
        optional("max_tool_calls", Kind::Unbroken, "The most tool calls."),
        optional("max_tool_errors", Kind::Unbroken, "The most tool calls that may fail."),
        optional("max_tokens_out", Kind::Unbroken, "The most tokens that the model may write."),
        optional("max_cost_usd", Kind::Number, "The most money in US dollars."),
    ],
);

/// Reads the five budgets; none of them is needed.
pub(super) fn budgets(node: &Node, problems: &mut Diagnostics) -> Limits {
    let Some(mut fields) = BUDGETS.open(node, problems) else { return Limits::default() };
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
