//! The queue of cases that have not started, and the tally of those that have.

use std::cell::RefCell;

use agentci_checks::ReadyCase;
use agentci_dataset::RowCursor;
use agentci_plan::{Case, CasePosition, Cases};
use agentci_source::Files;
use agentci_verdict::CaseStatus;

use crate::finished::FinishedCases;
use crate::run::{RunPlan, RunShard};

/// The cases of a run, in the order they start.
pub(crate) struct PendingCases<'p> {
    selected: &'p [CasePosition],
    part: Option<&'p RunShard>,
    finished: Option<&'p FinishedCases>,
    /// All lanes are futures on one thread and take from the same list. Nothing is awaited while this is borrowed.
    state: RefCell<QueueState<'p>>,
}

struct QueueState<'p> {
    /// The index of the next selected case.
    next: usize,
    cases: Vec<Option<Box<Case>>>,
    ready: Vec<ReadyCase>,
    rows: RowCursor<'p>,
    tally: CaseTally,
}

/// The results of the cases so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CaseTally {
    pub(crate) worst: CaseStatus,
    pub(crate) not_run: usize,
    /// Cases that were started and not finished.
    pub(crate) unfinished: usize,
    pub(crate) failed: bool,
}

/// A case that is about to run; its plan is dropped as soon as it has run.
pub(crate) struct NextCase {
    pub(crate) case: Box<Case>,
    pub(crate) ready: ReadyCase,
    /// Its position among the selected cases of all shards.
    pub(crate) index: usize,
}

impl<'p> PendingCases<'p> {
    /// Moves all cases out of a run plan.
    pub(crate) fn new(run: &mut RunPlan<'p>) -> Self {
        let (cases, ready) = (std::mem::take(&mut run.cases), std::mem::take(&mut run.ready));
        let finished = run.facts.finished.as_deref();
        Self { finished, ..Self::of((cases, ready), run.options.files, run.selected, run.facts.shard.as_ref()) }
    }

    fn of(
        (cases, ready): (Cases, Vec<ReadyCase>),
        files: &'p dyn Files,
        selected: &'p [CasePosition],
        part: Option<&'p RunShard>,
    ) -> Self {
        let tally = CaseTally { worst: CaseStatus::Pass, not_run: 0, unfinished: 0, failed: false };
        let cases = cases.into_iter().map(Some).collect();
        let rows = RowCursor::new(files);
        let state = RefCell::new(QueueState { next: 0, cases, ready, rows, tally });
        Self { selected, part, finished: None, state }
    }

    /// Takes the next case. A case that does not exist or has already run counts as an error and as not run.
    pub(crate) fn next(&self) -> Option<NextCase> {
        let mut state = self.state.borrow_mut();
        while let Some(&wanted) = self.selected.get(state.next) {
            let position = state.next;
            state.next += 1;
            let is_finished = |id: &str| self.finished.is_some_and(|finished| finished.has(id));
            if state.id(wanted).is_some_and(is_finished) {
                continue;
            }
            if let Some((case, ready)) = state.take(wanted) {
                let index = self.part.and_then(|part| part.positions.get(position)).copied().unwrap_or(position);
                return Some(NextCase { case, ready, index });
            }
            state.tally.worst = CaseStatus::Error;
            state.tally.not_run += 1;
        }
        None
    }

    /// Records the status of an attempt.
    pub(crate) fn attempted(&self, status: CaseStatus) {
        self.state.borrow_mut().tally.failed |= status > CaseStatus::Skipped;
    }

    /// Records that a case was started and not finished.
    pub(crate) fn left_unfinished(&self) {
        self.state.borrow_mut().tally.unfinished += 1;
    }

    /// Records the worst status of a case's attempts; `None` if the case was not started.
    pub(crate) fn ended(&self, worst: Option<CaseStatus>) {
        let tally = &mut self.state.borrow_mut().tally;
        match worst {
            Some(status) => tally.worst = tally.worst.max(status),
            None => tally.not_run += 1,
        }
    }

    /// The results of the cases so far.
    pub(crate) fn tally(&self) -> CaseTally {
        self.state.borrow().tally
    }
}

impl QueueState<'_> {
    /// The id of a case that has not run.
    fn id(&self, position: CasePosition) -> Option<&str> {
        let case = self.cases.get(position.case as usize)?.as_ref()?;
        Some(match &case.data {
            Some(data) => data.dataset.index.id(position.row as usize),
            None => &case.id,
        })
    }

    fn take(&mut self, position: CasePosition) -> Option<(Box<Case>, ReadyCase)> {
        let index = position.case as usize;
        let written = self.cases.get_mut(index)?;
        if let Some(case) = written
            && let Some(data) = &case.data
        {
            let row = position.row as usize;
            let case = case.at_row(row, self.rows.read(&data.dataset, row));
            return Some((Box::new(case), self.ready.get(index)?.clone()));
        }
        Some((written.take()?, std::mem::take(self.ready.get_mut(index)?)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use agentci_plan::{OutputRule, ProcessTarget, Speech, Target, World};
    use agentci_source::{MemoryFiles, Sources, Span};

    use super::*;

    #[test]
    fn yields_each_selected_case_once() {
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
        let ready = (0..3).map(|_| ReadyCase::default()).collect();
        let selected = [2, 0, 2, 3].map(|case| CasePosition { case, row: 0 });
        let files = MemoryFiles::default();
        let pending = PendingCases::of(((0..3).map(case).collect(), ready), &files, &selected, None);
        for (index, id) in ["2", "0"].into_iter().enumerate() {
            assert!(pending.next().is_some_and(|next| next.case.id == *id && next.index == index));
        }
        assert_eq!(Arc::strong_count(&target), 2);
        // A case that already ran and one that does not exist are not counted as passed.
        assert!(pending.next().is_none());
        assert_eq!(pending.tally(), CaseTally { worst: CaseStatus::Error, not_run: 2, unfinished: 0, failed: false });
    }
}
