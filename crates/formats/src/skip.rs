//! `skip`: whether a case is left out, and why.

use agentci_plan::shape::Kind;
use agentci_plan::{Diagnostics, Node, Skip, read};

/// What may stand there.
pub(crate) const SKIP: Kind = Kind::Either(&[Kind::Truth, Kind::Text]);

/// `true`, `false`, or the reason as text.
pub(crate) fn skip(node: &Node, problems: &mut Diagnostics) -> Option<Skip> {
    match node.scalar().and_then(agentci_plan::Scalar::truth) {
        Some(true) => Some(Skip { reason: None }),
        Some(false) => None,
        None => read::text(node, "skip", problems).map(|reason| Skip { reason: Some(reason) }),
    }
}
