//! Counts cases that were answered from a recording of the whole agent, and cases that have no agent.
//!
//! Such cases test the checks of a suite but not an agent, so a run counts them separately.

use agentci_source::Place;
use serde::{Deserialize, Serialize};

use crate::{CaseRow, Rows, RunStart};

/// The recording that answered a case in place of its agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    /// The path of the recording.
    pub recording: String,
    /// The place where the suite names the recording, or the test that was recorded.
    pub place: Place,
    /// Whether the case sets `played: true`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub meant: bool,
}

/// The number of cases of a run without a running agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Agentless {
    /// All cases of the run.
    pub cases: usize,
    /// Cases that were answered from a recording of the whole agent.
    pub played: usize,
    /// Cases that have no agent.
    pub without: usize,
}

impl Agentless {
    /// Counts the cases that were run.
    pub fn of(rows: &Rows) -> Self {
        let mut counts = Self::default();
        rows.iter().for_each(|row| counts.add(row));
        counts
    }

    /// Adds a case that was run.
    pub fn add(&mut self, row: &CaseRow) {
        self.cases += 1;
        self.played += usize::from(row.played().is_some());
        self.without += usize::from(row.decisive().no_agent);
    }

    /// The counts that are known before the first case is run.
    pub fn planned(start: &RunStart) -> Self {
        Self { cases: start.cases_total, played: start.cases_played, without: start.cases_without_agent }
    }
}

impl CaseRow {
    /// The recording that answered the case in place of its agent.
    pub fn played(&self) -> Option<&Played> {
        self.attempts.iter().find_map(|attempt| attempt.played.as_deref())
    }

    /// The same recording, unless the case sets `played: true`.
    pub fn lacks_agent(&self) -> Option<&Played> {
        self.played().filter(|played| !played.meant)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Body, CaseEnd, RunEvent};

    #[test]
    fn repeated_case_counts_once() {
        let place = || Place { path: "s.yaml".into(), line: 4, column: 3, width: 1, text: String::new() };
        let played = |meant| Some(Box::new(Played { recording: "a.jsonl".into(), place: place(), meant }));
        let ends = [
            CaseEnd { index: 0, runs: 2, played: played(false), ..CaseEnd::default() },
            CaseEnd { index: 0, runs: 2, played: played(false), ..CaseEnd::default() },
            CaseEnd { index: 1, runs: 1, played: played(true), ..CaseEnd::default() },
            CaseEnd { index: 2, runs: 1, no_agent: true, ..CaseEnd::default() },
            CaseEnd { index: 3, runs: 1, ..CaseEnd::default() },
        ];
        let mut rows = Rows::default();
        for end in ends {
            let (id, body) = (end.index.to_string().into(), Body::CaseEnd(Arc::new(end)));
            rows.add(&RunEvent { suite: "s".into(), case_id: Some(id), attempt: Some(1), timestamp: 1, body });
        }
        assert_eq!(Agentless::of(&rows), Agentless { cases: 4, played: 2, without: 1 });
        assert_eq!(rows.iter().filter(|row| row.lacks_agent().is_some()).map(CaseRow::id).collect::<Vec<_>>(), ["0"]);
    }
}
