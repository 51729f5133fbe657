//! The data of a run: its rows, and the inputs and outputs of the agent.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use agentci_verdict::{Body, CaseRow, RunEvent};
use serde_json::Value;

use crate::ReportedRun;

/// A run, as far as events were received.
#[derive(Debug, Default)]
pub(super) struct YaoRun {
    /// The facts and rows of the run.
    pub(super) run: ReportedRun,
    /// Running attempts, by case and number.
    open: HashMap<(Arc<str>, u32), AttemptData>,
    /// Ended attempts, by position, in order.
    ended: BTreeMap<usize, Vec<AttemptData>>,
}

/// The input and output of an attempt.
#[derive(Debug, Clone, Default)]
pub(super) struct AttemptData {
    /// The input of the agent.
    pub(super) input: Arc<Value>,
    /// The output of the agent.
    pub(super) output: Option<Arc<Value>>,
}

/// A case with the data of its attempts.
#[derive(Debug, Clone, Copy)]
pub(super) struct YaoCase<'g> {
    pub(super) row: &'g CaseRow,
    pub(super) given: &'g [AttemptData],
}

impl YaoRun {
    pub(super) fn add(&mut self, event: &RunEvent) {
        if let (Some(id), Some(attempt)) = (&event.case_id, event.attempt) {
            let key = || (Arc::clone(id), attempt);
            match &event.body {
                Body::TaskStart(start) => {
                    self.open.insert(key(), AttemptData { input: Arc::clone(&start.input), output: None });
                }
                Body::FinalOutput(given) => {
                    self.open.entry(key()).or_default().output = Some(Arc::clone(&given.output));
                }
                Body::CaseEnd(end) => {
                    let given = self.open.remove(&key()).unwrap_or_default();
                    self.ended.entry(end.index).or_default().push(given);
                }
                _ => {}
            }
        }
        self.run.add(event, None);
    }

    /// The case at a position.
    pub(super) fn get(&self, index: usize) -> Option<YaoCase<'_>> {
        let row = self.run.rows.get(index)?;
        Some(YaoCase { row, given: self.ended.get(&index).map(Vec::as_slice).unwrap_or_default() })
    }

    /// All cases, in the order of the suite.
    pub(super) fn iter(&self) -> impl Iterator<Item = YaoCase<'_>> {
        self.run.rows.kept().filter_map(|row| self.get(row.decisive().index))
    }

    /// Drops the data of a case that is no longer needed.
    pub(super) fn forget(&mut self, index: usize) {
        self.ended.remove(&index);
    }
}
