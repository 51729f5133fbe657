//! Numbers that limit something.

use agentci_plan::Limit;
use agentci_source::{Diagnostic, Diagnostics, Node, read};

/// Any number, as a limit.
pub(crate) fn number(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Limit> {
    Some(Limit { most: read::number(node, name, problems)?, span: node.span })
}

/// A whole number, as a limit.
pub(crate) fn whole(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Limit> {
    let limit = number(node, name, problems)?;
    if limit.most.fract() != 0.0 {
        problems.push(
            Diagnostic::error(node.span, format!("`{name}` must be a whole number, found {}", node.describe()))
                .label("expected a whole number"),
        );
        return None;
    }
    Some(limit)
}

/// A number that was multiplied or divided, without the noise this adds, for a message.
pub(crate) fn tidy(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}
