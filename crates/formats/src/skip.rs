//! `skip`: whether a case is left out, and why.

use agentci_plan::{Diagnostics, Node, Skip, read};

/// `true`, `false`, or the reason as text.
pub(crate) fn skip(node: &Node, problems: &mut Diagnostics) -> Option<Skip> {
    match node.scalar().and_then(agentci_plan::Scalar::truth) {
        Some(true) => Some(Skip { reason: None }),
        Some(false) => None,
        None => read::text(node, "skip", problems).map(|reason| Skip { reason: Some(reason) }),
    }
}
