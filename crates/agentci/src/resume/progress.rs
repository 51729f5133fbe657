//! What a stored run has finished, read from its `run.jsonl` line by line.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use agentci_ledger::{LedgerError, is_being_written, play_while};
use agentci_runner::CaseKey;
use agentci_verdict::{Body, CaseEnd, CaseStatus, Cause, CheckStatus, RunEnd, RunEvent, RunStart, settle};

/// Why a stored run cannot be continued.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// The file cannot be read.
    #[error("the run cannot be read: {0}")]
    Unreadable(#[from] LedgerError),
    /// The file is still being written.
    #[error("the run in `{0}` is still running")]
    Running(PathBuf),
    /// A line of the file is damaged or was edited.
    #[error("{path}:{line}: {reason}: a damaged run cannot be resumed")]
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
    /// The results are not those of a run of the agent.
    #[error("`{0}` is a recheck of a stored run, which cannot be resumed")]
    Recheck(String),
}

/// What a stored run has finished.
#[derive(Debug, Clone)]
pub struct StoredProgress {
    /// The name of the suite.
    pub suite: String,
    /// The first event.
    pub start: RunStart,
    /// The `run.jsonl`.
    pub path: PathBuf,
    /// Whether the last line is cut off.
    pub torn: bool,
    /// The number of lines that could be read.
    pub lines: u64,
    end: Option<RunEnd>,
    pub(super) cases: HashMap<CaseKey, StoredCaseProgress>,
}

/// A case of a stored run. There may be a million, so it is small.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StoredCaseProgress {
    /// The definition in each of its runs.
    pub(super) definition: u64,
    /// The number of runs that ended.
    ended: u32,
    /// The number of runs that it was to have.
    pub(super) runs: u32,
    /// Its position among the selected cases.
    index: u32,
    /// Whether a run of it does not count: it was interrupted or skipped, or it never reached its agent.
    unusable: bool,
    /// Whether an embedder compared its answers.
    pub(super) is_compared: bool,
    /// Whether a run has started and not ended.
    is_open: bool,
}

impl StoredCaseProgress {
    /// Whether all its runs ended and say something about the agent.
    pub(super) fn is_finished(&self) -> bool {
        self.ended > 0 && self.ended >= self.runs && !self.unusable
    }
}

impl StoredProgress {
    /// Reads the `run.jsonl` of a stored run.
    pub fn open(path: &Path) -> Result<Self, ResumeError> {
        let shown = || path.display().to_string();
        if is_being_written(path)? {
            return Err(ResumeError::Running(path.parent().unwrap_or(path).to_path_buf()));
        }
        let mut reader = ProgressReader::default();
        let playback = play_while(path, |line, event| {
            reader.lines = line;
            let taken = reader.take(&event);
            reader.wrong = taken.err().map(|reason| (line, reason));
            reader.wrong.is_none()
        })?;
        let damage = playback.damaged.into_iter().next().map(|damage| (damage.line, damage.reason));
        if let Some((line, reason)) = reader.wrong.into_iter().chain(damage).min() {
            return Err(ResumeError::Damaged { path: shown(), line, reason });
        }
        let (suite, start) = reader.start.ok_or_else(|| ResumeError::NoStart(shown()))?;
        if start.recheck.is_some() {
            return Err(ResumeError::Recheck(shown()));
        }
        let (path, torn, lines) = (path.to_path_buf(), playback.torn, reader.lines);
        Ok(Self { suite, start, path, torn, lines, end: reader.end, cases: reader.cases })
    }

    /// The folder of the run that this one continues, if it ended before it had taken over all results of that one.
    pub fn takes_over(&self) -> Option<PathBuf> {
        let resumed = self.start.resumed.as_ref().filter(|_| self.end.is_none())?;
        let finished = self.cases.values().filter(|case| case.is_finished()).count();
        (finished < resumed.kept).then(|| PathBuf::from(&resumed.run))
    }

    /// Whether the run ended with every case run to its end.
    pub fn is_whole(&self) -> bool {
        self.end.as_ref().is_some_and(RunEnd::is_whole) && !self.torn
    }
}

#[derive(Default)]
struct ProgressReader {
    start: Option<(String, RunStart)>,
    end: Option<RunEnd>,
    cases: HashMap<CaseKey, StoredCaseProgress>,
    /// The checks that did not pass, of the attempts that have not ended.
    failed_checks: HashMap<CaseKey, usize>,
    lines: u64,
    wrong: Option<(u64, String)>,
}

impl ProgressReader {
    /// Takes an event; fails if it contradicts others.
    fn take(&mut self, event: &RunEvent) -> Result<(), String> {
        if let Body::RunStart(start) = &event.body {
            if self.start.is_some() || !self.cases.is_empty() {
                return Err("a second `run_start`".to_owned());
            }
            self.start = Some((event.suite.to_string(), RunStart::clone(start)));
            return Ok(());
        }
        let Some((suite, _)) = &self.start else { return Err("the first line is not `run_start`".to_owned()) };
        if *suite != *event.suite {
            return Err(format!("the event is of the suite `{}`", event.suite.escape_debug()));
        }
        if let Body::RunEnd(end) = &event.body {
            self.end = Some(end.clone());
        }
        let (Some(id), Some(attempt)) = (&event.case_id, event.attempt) else { return Ok(()) };
        let key = CaseKey::new(id);
        let case = self.cases.entry(key).or_default();
        match &event.body {
            Body::TaskStart(start) => {
                self.failed_checks.remove(&key);
                // A case whose definition is not known, or changed between its runs, is not used again.
                let definition = start.definition.as_deref().and_then(|digits| u64::from_str_radix(digits, 16).ok());
                case.unusable |= definition.is_none() || (case.ended > 0 && definition != Some(case.definition));
                case.definition = definition.unwrap_or_default();
                case.is_open = true;
            }
            Body::Check(check) if matches!(check.status, CheckStatus::Failed | CheckStatus::Error) => {
                *self.failed_checks.entry(key).or_default() += 1;
            }
            Body::CaseEnd(end) => {
                let failed = self.failed_checks.remove(&key).unwrap_or_default();
                consistent(end, failed)?;
                let index = u32::try_from(end.index).unwrap_or(u32::MAX);
                if case.ended > 0 && index != case.index {
                    // Several cases have this id, so their lines cannot be told apart.
                    case.unusable = true;
                    return Ok(());
                }
                case.index = index;
                if attempt != case.ended + 1 {
                    let ended = case.ended;
                    return Err(format!("run {attempt} of case `{}` ended after {ended}", id.escape_debug()));
                }
                case.ended = attempt;
                case.runs = case.runs.max(end.runs);
                case.unusable |= !case.is_open || !says_something(end);
                case.is_compared |= !end.similarities.is_empty();
                case.is_open = false;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether the end of a run says something about the agent.
fn says_something(end: &CaseEnd) -> bool {
    let not_run = matches!(end.cause, Some(Cause::Config | Cause::Hook | Cause::NotRechecked));
    end.status != CaseStatus::Skipped && !end.was_cut() && !not_run
}

/// Fails if an end contradicts itself or its checks: then the file was edited, and a failure could become a pass.
fn consistent(end: &CaseEnd, failed_checks: usize) -> Result<(), String> {
    if end.status == CaseStatus::Skipped {
        return Ok(());
    }
    let settled = settle(&end.findings);
    if settled != (end.status, end.cause) || end.passed != (end.status == CaseStatus::Pass) {
        return Err(format!("the status `{}` contradicts the findings", end.status.name()));
    }
    let failed = failed_checks.max(end.assertions.failed);
    if end.passed && failed > 0 {
        return Err(format!("the case passed, but {failed} of its checks did not"));
    }
    Ok(())
}
