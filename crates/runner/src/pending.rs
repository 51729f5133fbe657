//! The cases of a run that were not begun yet.

use agentci_checks::ReadyCase;
use agentci_plan::{Case, Cases};

/// Cases that were not begun yet, each with its ready checks.
pub(crate) struct Waiting {
    cases: Vec<Option<Box<Case>>>,
    ready: Vec<ReadyCase>,
}

impl Waiting {
    /// All cases of a suite.
    pub(crate) fn new(cases: Cases, ready: Vec<ReadyCase>) -> Self {
        Self { cases: cases.into_iter().map(Some).collect(), ready }
    }

    /// Takes a case out, for whoever runs it. What it is made of is gone when he is done with it.
    pub(crate) fn take(&mut self, index: usize) -> Option<(Box<Case>, ReadyCase)> {
        Some((self.cases.get_mut(index)?.take()?, std::mem::take(self.ready.get_mut(index)?)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use agentci_plan::{OutputRule, ProcessTarget, Speech, Target, World};
    use agentci_source::{Sources, Span};

    use super::*;

    #[test]
    fn each_case_is_there_once_and_then_gone() {
        let span = Span::whole(Sources::default().add(Path::new("a"), ""));
        let target = ProcessTarget {
            command: Vec::new(),
            folder: None,
            environment: Vec::new(),
            speaks: Speech::Protocol,
            output: OutputRule::Required,
            span,
        };
        let (target, world) = (Arc::new(Target::Process(target)), Arc::new(World::default()));
        let case = |index: usize| Box::new(Case::new(index.to_string(), span, Arc::clone(&target), Arc::clone(&world)));
        let mut waiting = Waiting::new((0..3).map(case).collect(), (0..3).map(|_| ReadyCase::default()).collect());
        for index in [2, 0] {
            assert!(waiting.take(index).is_some_and(|(case, _)| case.id == index.to_string()));
            assert!(waiting.take(index).is_none());
        }
        assert_eq!((Arc::strong_count(&target), waiting.take(3).is_none()), (2, true));
    }
}
