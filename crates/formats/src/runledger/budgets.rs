//! Reads `budgets` of a suite or a case.

use agentci_plan::{Limit, Limits};
use agentci_source::shape::{Kind, Shape, optional};
use agentci_source::{Content, Diagnostics, Node, Reading, Scalar};
use serde_json::Value;

use crate::quantity::{number, whole};

const COUNT: Kind = Kind::Either(&[Kind::Unbroken, Kind::SpeltCount]);
const MONEY: Kind = Kind::Either(&[Kind::Number, Kind::Spelt(f64::INFINITY)]);

pub(super) static BUDGETS: Shape = Shape::new(
    "`budgets`",
    "Limits that stop a case and fail it when exceeded.",
    &[
        optional("max_wall_ms", COUNT, "Maximum wall time in milliseconds."),
        optional("max_tool_calls", COUNT, "Maximum number of tool calls."),
        optional("max_tool_errors", COUNT, "Maximum number of failed tool calls."),
        optional("max_tokens_out", COUNT, "Maximum number of tokens written by the model."),
        optional("max_cost_usd", MONEY, "Maximum cost in US dollars."),
    ],
);

/// Reads the five budgets; all are optional.
pub(super) fn budgets(node: &Node, problems: &mut Diagnostics) -> Limits {
    let limits = BUDGETS.read(node, problems, |fields| {
        let mut limit =
            |key, read: ReadLimit| fields.optional(key, |node, key, problems| limit(node, key, read, problems));
        Some(Limits {
            wall_ms: limit("max_wall_ms", whole),
            tool_calls: limit("max_tool_calls", whole),
            tool_errors: limit("max_tool_errors", whole),
            tokens_out: limit("max_tokens_out", whole),
            cost_usd: limit("max_cost_usd", number),
            ..Limits::default()
        })
    });
    limits.unwrap_or_default()
}

type ReadLimit = fn(&Node, &'static str, &mut Diagnostics) -> Option<Limit>;

/// Reads a limit as `RunLedger` does: it may be quoted, or a YAML 1.1 number (`20_000`).
fn limit(node: &Node, name: &'static str, read: ReadLimit, problems: &mut Diagnostics) -> Option<Limit> {
    let spelt = node.scalar().and_then(|scalar| {
        let text = Scalar::plain(if scalar.quoted { scalar.text.trim() } else { &scalar.text });
        match text.value(Reading::Legacy)? {
            Value::Number(number) => Some(Scalar::plain(number.to_string())),
            _ => None,
        }
    });
    match spelt {
        Some(spelt) => read(&Node { content: Content::Scalar(spelt), ..node.clone() }, name, problems),
        None => read(node, name, problems),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_source::Sources;

    use super::*;

    #[test]
    fn reads_numbers_in_legacy_notations() {
        let text = "{ max_wall_ms: 20_000, max_tool_calls: ' 5 ', max_tool_errors: 010, max_cost_usd: '0.5' }";
        let node = agentci_source::yaml::parse(text, Sources::default().add(Path::new("a"), text)).unwrap();
        let mut problems = Diagnostics::default();
        let read = budgets(&node, &mut problems);
        assert!(problems.is_empty(), "{problems:?}");
        let most = [read.wall_ms, read.tool_calls, read.tool_errors, read.cost_usd]
            .map(|limit| limit.unwrap().most.to_string());
        assert_eq!(most, ["20000", "5", "8", "0.5"]);
    }
}
