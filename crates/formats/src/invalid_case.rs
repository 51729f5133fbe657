//! A case that cannot be run because its own part of the suite is wrong.

use std::sync::Arc;

use agentci_plan::{Case, Check, CommandPart, OutputRule, ProcessTarget, Speech, Target, Text, World};
use agentci_source::{Diagnostics, Name, Span};

/// A case that only says what is wrong with it; everything else in it is harmless. Its checks are kept as far as they could be
/// read, so that what is wrong with them is told along with the rest.
pub(crate) fn case(id: Name, span: Span, target: Arc<Target>, checks: Vec<Arc<Check>>, problems: Diagnostics) -> Case {
    Case { checks: checks.into(), broken: Some(problems), ..Case::new(id, span, target, Arc::new(World::default())) }
}

/// A target for a broken case that has none: a command has at least one part, so this one is empty.
pub(crate) fn no_target(span: Span) -> Arc<Target> {
    let part = CommandPart { text: Text::Literal(String::new()), file: None };
    Arc::new(Target::Process(ProcessTarget {
        command: vec![part],
        folder: None,
        environment: Vec::new(),
        speaks: Speech::Protocol,
        output: OutputRule::Required,
        span,
    }))
}
