//! Evaluates the checks of a suite on a stored run.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_ledger::{LedgerError, play};
use agentci_runner::{RunFacts, Settings, Stopper, StoredAttempt, StoredCase, StoredRun, recheck_suite};
use agentci_verdict::{Body, CaseStatus, RunEvent, RunStart};
use tokio::sync::mpsc::{Sender, channel};

use crate::Suites;

/// Why the checks of a stored run cannot be evaluated again.
#[derive(Debug, thiserror::Error)]
pub enum RecheckError {
    /// The file cannot be read.
    #[error("the run cannot be read: {0}")]
    Unreadable(#[from] LedgerError),
    /// A line of the file is damaged, so that a case may lack something.
    #[error("{path}:{line}: {reason}: a damaged run cannot be rechecked")]
    Damaged {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong with the line.
        reason: String,
    },
    /// The file has no first event.
    #[error("`{0}` has no `run_start`")]
    NoStart(String),
    /// The run was stored before traces were complete.
    #[error("`{path}` was stored by agentci {version}, which did not keep what a recheck needs")]
    TooOld {
        /// The file.
        path: String,
        /// The version that stored it.
        version: String,
    },
}

/// A stored run that can be checked again.
#[derive(Debug, Clone)]
pub struct RecheckedRun {
    /// The run, without what happened in its cases.
    pub run: StoredRun,
    /// The name of the suite.
    pub suite: String,
    path: PathBuf,
}

impl RecheckedRun {
    /// Reads the facts about a stored run from its `run.jsonl`; `name` is its name in messages.
    pub fn open(path: &Path, name: &str) -> Result<Self, RecheckError> {
        let shown = || path.display().to_string();
        let mut run = StoredRun { name: name.to_owned(), ..StoredRun::default() };
        let mut suite = None;
        let (mut traced, mut checked) = (false, false);
        let playback = play(path, |event| match &event.body {
            Body::RunStart(start) => {
                suite = Some(event.suite.to_string());
                run.start = (event.timestamp, RunStart::clone(start));
            }
            Body::RunEnd(end) => run.end = Some((event.timestamp, end.clone())),
            Body::TraceEnd(_) => traced = true,
            Body::Check(_) => checked = true,
            Body::CaseEnd(end) => {
                let case = StoredCase { id: Arc::clone(&end.id), index: end.index };
                if !run.cases.contains(&case) {
                    run.cases.push(case);
                }
            }
            _ => {}
        })?;
        if let Some(damage) = playback.damaged.into_iter().next() {
            return Err(RecheckError::Damaged { path: shown(), line: damage.line, reason: damage.reason });
        }
        let suite = suite.ok_or_else(|| RecheckError::NoStart(shown()))?;
        if checked && !traced {
            return Err(RecheckError::TooOld { path: shown(), version: run.start.1.agentci_version });
        }
        Ok(Self { run, suite, path: path.to_owned() })
    }
}

impl Suites {
    /// Evaluates the checks of one suite, given by position, on a stored run, and passes each event of the run with the
    /// new results to `on_event`. No agent is run. Returns the worst status.
    pub async fn recheck(
        &mut self,
        position: usize,
        stored: &RecheckedRun,
        facts: &RunFacts,
        settings: &Settings,
        on_event: &mut dyn FnMut(RunEvent),
    ) -> CaseStatus {
        let mut settings = settings.clone();
        if self.loaded[position].suite.embedder.is_none() {
            settings.embedder.clone_from(&stored.run.start.1.embedder);
        }
        let (sender, mut attempts) = channel(1);
        let path = stored.path.clone();
        let reader = std::thread::spawn(move || send_attempts(&path, &sender));
        let (_stopper, stop) = Stopper::new();
        let status = {
            let (cases, ready) = self.take_cases(position);
            let facts = self.facts_of(position, facts);
            let options = self.options(position, &settings);
            let run = self.run_plan(position, (cases, ready), (&facts, &options), &stop);
            recheck_suite(run, &stored.run, &mut attempts, on_event).await
        };
        drop(attempts);
        let _ = reader.join();
        status
    }
}

/// Sends each attempt of a stored run when its end is read: only those that have not ended are in memory.
fn send_attempts(path: &Path, to: &Sender<StoredAttempt>) {
    let mut open: HashMap<(Arc<str>, u32), Vec<RunEvent>> = HashMap::new();
    // A file that became unreadable since it was opened lacks attempts, which is reported for each case.
    let _ = play(path, |event| {
        let (Some(case_id), Some(attempt)) = (event.case_id.clone(), event.attempt) else { return };
        let key = (case_id, attempt);
        match &event.body {
            Body::CaseEnd(end) => {
                let lines = open.remove(&key).unwrap_or_default();
                let stored = StoredAttempt { attempt, lines, end: Arc::clone(end), ended_at: event.timestamp };
                let _ = to.blocking_send(stored);
            }
            _ => open.entry(key).or_default().push(event),
        }
    });
}
