//! Reads a run folder or a baseline for the comparison.

use std::path::{Path, PathBuf};

use agentci::ledger;
use agentci::read_baseline;
use agentci::report::baseline_problem;
use agentci::trajectory::{RunKind, RunReader, RunTrajectories, as_baseline, of_baseline};
use agentci::verdict::{Baseline, Rows};

use super::CliError;

/// A run or a baseline, as stored.
pub(super) struct ComparedSide {
    pub(super) run: RunTrajectories,
    /// What a baseline made of it would keep.
    pub(super) baseline: Baseline,
    /// The results of the cases, if it is a run.
    rows: Rows,
    /// What is missing from it.
    pub(super) warnings: Vec<String>,
}

const HELP: &str = "pass a run folder, as printed after `artifacts:`, or a baseline file";

impl ComparedSide {
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        let stored = match journal(path)? {
            Some(journal) => Self::of_run(path, &journal)?,
            None => Self::of_baseline(path)?,
        };
        if stored.run.cases.is_empty() {
            let message = format!("`{}` has no cases, so there is nothing to compare", path.display());
            return Err(CliError::new(message, "pass a run in which at least one case started"));
        }
        Ok(stored)
    }

    fn of_run(path: &Path, journal: &Path) -> Result<Self, CliError> {
        let mut reader = RunReader::default();
        let playback = ledger::play(journal, |event| reader.add(event))
            .map_err(|error| CliError::new(format!("the run cannot be read: {error}"), HELP))?;
        if reader.is_empty() {
            return Err(CliError::new(format!("`{}` contains no run events", journal.display()), HELP));
        }
        let mode = reader.mode().to_owned();
        let (run, rows) = reader.finish();
        let mut warnings: Vec<String> = Vec::new();
        if let Some(damage) = playback.damaged.first() {
            let (count, line) = (playback.damaged.len(), damage.line);
            let lines = agentci::report::count_of(count, "damaged line");
            warnings.push(format!("{lines} of `{}` are left out, the first is line {line}", path.display()));
        }
        if playback.torn {
            warnings.push(format!("the last line of `{}` is cut off: the run was killed", path.display()));
        }
        let baseline = Baseline::of(&run.suite, &mode, &rows);
        Ok(Self { run, baseline, rows, warnings })
    }

    fn of_baseline(path: &Path) -> Result<Self, CliError> {
        let baseline = read_baseline(path)
            .map_err(|problem| CliError::new(baseline_problem(&path.display().to_string(), &problem), HELP))?;
        Ok(Self { run: of_baseline(&baseline), baseline, rows: Rows::default(), warnings: Vec::new() })
    }

    pub(super) fn is_baseline(&self) -> bool {
        self.run.kind == RunKind::Baseline
    }

    /// As far as a baseline keeps it.
    pub(super) fn reduced(self) -> RunTrajectories {
        if self.is_baseline() { self.run } else { as_baseline(&self.run, &self.rows) }
    }
}

/// The journal of a run folder, or `None` if the path is another file.
fn journal(path: &Path) -> Result<Option<PathBuf>, CliError> {
    let named = |name: &str| path.file_name().is_some_and(|file| file == name);
    if path.is_dir() {
        let journal = path.join("run.jsonl");
        if journal.is_file() {
            return Ok(Some(journal));
        }
        let message = format!("`{}` is not a run folder: it has no `run.jsonl`", path.display());
        return Err(CliError::new(message, HELP));
    }
    if path.extension().is_some_and(|extension| extension == "jsonl") {
        return Ok(Some(path.to_path_buf()));
    }
    // The summary of a run stands for its folder.
    let beside = path.with_file_name("run.jsonl");
    Ok((named("summary.json") && beside.is_file()).then_some(beside))
}
