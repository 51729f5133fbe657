//! What reports count over all cases of a run.

use std::collections::BTreeMap;

use agentci_verdict::{Agentless, AggregateTally, Aggregates, CaseRow, CaseStatus, Distribution, Measure, ScoreTally};

/// Counts rows one after another, so that a row can leave memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowTally {
    aggregates: AggregateTally,
    /// Cases without a running agent.
    pub(crate) agentless: Agentless,
    /// Whether the requests of a case could be observed.
    pub(crate) asked: bool,
    /// The scores that functions gave.
    pub(crate) scores: ScoreTally,
    /// Whether a case is a combination of a matrix.
    pub(crate) combined: bool,
    /// The wall time of each case that ran, all its attempts together, in milliseconds.
    pub(crate) times: Distribution,
    /// The similarity of each case that measured one, by embedder.
    pub(crate) similarities: BTreeMap<String, Distribution>,
}

impl RowTally {
    pub(super) fn add(&mut self, row: &CaseRow) {
        let end = row.decisive();
        self.aggregates.add(row);
        self.agentless.add(row);
        self.scores.add(row);
        self.combined |= end.combination.is_some();
        self.asked |= row.attempts.iter().any(|end| end.asked.is_some());
        if end.status != CaseStatus::Skipped {
            #[expect(clippy::cast_precision_loss, reason = "milliseconds stay far below 2^53")]
            self.times.add(row.wall_ms() as f64);
        }
        if let Some(measure) = Measure::of(end) {
            self.similarities.entry(measure.embedder).or_default().add(measure.similarity);
        }
    }

    pub(crate) fn aggregates(&self) -> Aggregates {
        self.aggregates.aggregates()
    }
}
