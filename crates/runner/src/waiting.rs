//! The cases of a run that were not begun yet.

use agentci_checks::ReadyCase;
use agentci_plan::Case;

/// How many cases are let go together: so few that the room of those that were run is soon there for what became of them.
const BATCH: usize = 256;

/// Cases that were not begun yet, each with its ready checks.
pub(crate) struct Waiting {
    batches: Vec<Batch>,
}

/// Cases that stood one after the other.
#[derive(Default)]
struct Batch {
    cases: Vec<Option<(Case, ReadyCase)>>,
    /// How many of them are still to be run.
    left: usize,
}

impl Waiting {
    /// All cases of a suite, of which some are to be run.
    pub(crate) fn new(mut cases: Vec<Case>, mut ready: Vec<ReadyCase>, selected: &[usize]) -> Self {
        let mut batches = Vec::with_capacity(cases.len().div_ceil(BATCH));
        // From the end, so that the lists grow shorter as the batches are made: both at once would take twice the room.
        while !cases.is_empty() {
            let first = (cases.len() - 1) / BATCH * BATCH;
            let of_batch = tail(&mut cases, first).into_iter().zip(tail(&mut ready, first)).map(Some);
            batches.push(Batch { cases: of_batch.collect(), left: 0 });
        }
        batches.reverse();
        for index in selected {
            if let Some(batch) = batches.get_mut(index / BATCH) {
                batch.left += 1;
            }
        }
        Self { batches }
    }

    /// Takes a case out, for whoever runs it. With the last case of its batch that is to be run, all of the batch goes.
    pub(crate) fn take(&mut self, index: usize) -> Option<(Case, ReadyCase)> {
        let batch = self.batches.get_mut(index / BATCH)?;
        let case = batch.cases.get_mut(index % BATCH)?.take();
        batch.left = batch.left.saturating_sub(1);
        if batch.left == 0 {
            batch.cases = Vec::new();
        }
        case
    }
}

/// What stands from there on, cut off with the room it takes.
fn tail<T>(list: &mut Vec<T>, first: usize) -> Vec<T> {
    let tail = list.split_off(first.min(list.len()));
    list.shrink_to_fit();
    tail
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use agentci_plan::{ProcessTarget, Sources, Span, Target, World};

    use super::*;

    #[test]
    fn each_case_is_there_once_in_any_order_and_its_batch_goes_with_the_last() {
        let span = Span::whole(Sources::default().add(Path::new("a"), ""));
        let target = ProcessTarget { command: Vec::new(), folder: None, environment: Vec::new(), span };
        let (target, world) = (Arc::new(Target::Process(target)), Arc::new(World::default()));
        let count = 2 * BATCH + 3;
        let case = |index: usize| Case::new(index.to_string(), span, Arc::clone(&target), Arc::clone(&world));
        let ready = (0..count).map(|_| ReadyCase::default()).collect();
        let selected: Vec<usize> = (0..count).rev().filter(|index| index % 2 == 0).collect();
        let mut waiting = Waiting::new((0..count).map(case).collect(), ready, &selected);
        for index in &selected {
            let (case, _) = waiting.take(*index).unwrap();
            assert_eq!(case.id, index.to_string());
        }
        // What was not selected went with its neighbours.
        assert!((0..count + BATCH).all(|index| waiting.take(index).is_none()));
        assert_eq!(Arc::strong_count(&target), 1);
    }
}
