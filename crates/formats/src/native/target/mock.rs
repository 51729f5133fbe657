//! Reads a target that is a mock. A mock without a `position` takes that of its case.

use std::sync::Arc;

use agentci_plan::{MockTarget, Target};
use agentci_source::shape::{Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, Severity};

use super::ReadTarget;
use crate::mock_script;

/// The highest position of a mock: its random choices depend on all positions before it.
const LAST_POSITION: u32 = 1_000_000;

pub(super) static MOCK: Shape = Shape::new("`mock`", "A scripted model in place of an agent.", mock_script::SCRIPT)
    .with(&[
        &[mock_script::RESPONSES],
        mock_script::MANNER,
        &[optional(
            "position",
            Kind::Whole(0, LAST_POSITION as i64),
            "Position in the script. Default: the position of the case in its suite.",
        )],
    ]);

pub(super) fn mock(node: &Node, problems: &mut Diagnostics) -> Option<ReadTarget> {
    let mut fields = MOCK.reader(node, problems)?;
    let script = mock_script::script(&mut fields, Severity::Error);
    let written = fields.node("position");
    let position = fields.count("position", 0);
    fields.finish();
    if let Some(node) = written.filter(|_| position.is_some_and(|position| position > LAST_POSITION)) {
        problems.error(node.span, format!("`position` must be {LAST_POSITION} or less"), "no suite is that long");
    }
    let script = Arc::new(script?);
    // A script whose answers are all the same does not depend on the position, so all cases share one target.
    Some(match position.or(script.is_constant().then_some(0)) {
        None => ReadTarget::Mock(script, node.span),
        Some(position) => ReadTarget::Fixed(Arc::new(Target::Mock(MockTarget { script, position, span: node.span }))),
    })
}
