//! `agentci baseline promote`: makes a run the baseline for later runs.

use std::path::{Path, PathBuf};

use agentci::ledger::write_whole;
use agentci::read_baseline;
use agentci::report::{baseline_problem, count_of, one_line};
use agentci::verdict::{Baseline, CaseStatus, ExitStatus, KEPT_RUNS, incomplete, promote};
use clap::{Args, Subcommand};
use serde_json::Value;

use super::{CliContext, CliError, CommandResult, stored_run};

#[derive(Debug, Subcommand)]
pub(crate) enum BaselineCommand {
    /// Promote a run to the baseline that later runs are compared with
    Promote(PromoteArguments),
}

/// Arguments of `agentci baseline promote`.
#[derive(Debug, Args)]
pub(crate) struct PromoteArguments {
    /// Run folder, or its `summary.json`
    #[arg(long, value_name = "RUN_DIR")]
    from: PathBuf,
    /// Baseline file to write
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    /// Add the run to the existing baseline instead of replacing it, to identify flaky cases
    #[arg(long)]
    add: bool,
    /// Number of runs to keep in the history of the baseline
    #[arg(long, value_name = "N", default_value_t = KEPT_RUNS, value_parser = kept)]
    keep: usize,
    /// Accept an incomplete run, and overwrite a file that is not a baseline
    #[arg(long)]
    force: bool,
}

pub(crate) fn baseline(command: &BaselineCommand, context: &CliContext) -> CommandResult {
    let BaselineCommand::Promote(arguments) = command;
    context.print(&promoted(arguments)?);
    Ok(ExitStatus::Success)
}

fn promoted(arguments: &PromoteArguments) -> Result<String, CliError> {
    let summary = stored_run::summary(&arguments.from)?;
    let run = Baseline::read(&summary).map_err(|error| stored_run::unreadable(&arguments.from, error))?;
    if let Some(reason) = incomplete(&summary).filter(|_| !arguments.force) {
        return Err(CliError::new(
            format!("`{}` cannot become a baseline: {reason}", stored_run::named(&summary)),
            "run the whole suite and promote that run, or use `--force`",
        ));
    }
    let earlier = if arguments.add { earlier(arguments, &run)? } else { None };
    if !arguments.force && arguments.to.is_file() && is_other(&arguments.to) {
        return Err(CliError::new(
            format!("`{}` already exists and is not a baseline", arguments.to.display()),
            "choose another file with `--to`, or overwrite it with `--force`",
        ));
    }
    let before = earlier.as_ref().map(|(document, baseline)| (document, baseline));
    let text = promote(&summary, before, arguments.keep, incomplete(&summary).is_none())
        .map_err(|error| stored_run::unreadable(&arguments.from, error))?;
    write_whole(&arguments.to, text.as_bytes())
        .map_err(|error| CliError::plain(format!("the baseline cannot be written: {error}")))?;
    Ok(said(arguments, &run, earlier.as_ref().map(|(_, baseline)| baseline)))
}

/// The number of runs to keep, at least one.
fn kept(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=10_000) => Ok(number),
        _ => Err("must be an integer from 1 to 10000".to_owned()),
    }
}

/// Whether a file is something other than a baseline. A JSON file that is empty or damaged, for example by a merge
/// conflict, counts as an earlier baseline; one that cannot be read may be anything.
fn is_other(path: &Path) -> bool {
    if read_baseline(path).is_ok() {
        return false;
    }
    let named = path.extension().is_some_and(|extension| extension == "json");
    let damaged = || {
        std::fs::read(path).is_ok_and(|text| {
            serde_json::from_slice(&text)
                .map_or(true, |value: Value| value.as_object().is_some_and(serde_json::Map::is_empty))
        })
    };
    !(named && damaged())
}

/// The existing baseline that the run is added to, if any.
fn earlier(arguments: &PromoteArguments, run: &Baseline) -> Result<Option<(Value, Baseline)>, CliError> {
    let path = arguments.to.display().to_string();
    let anew = "promote without `--add` to start over";
    if !arguments.to.exists() {
        return Ok(None);
    }
    let unusable = |problem: &str| {
        CliError::new(baseline_problem(&path, problem), "promote with `--force` and without `--add` to start over")
    };
    let earlier = read_baseline(&arguments.to).map_err(|problem| unusable(&problem))?;
    let text = std::fs::read(&arguments.to).map_err(|error| unusable(&error.to_string()))?;
    let document = serde_json::from_slice(&text).map_err(|error| unusable(&error.to_string()))?;
    if earlier.suite != run.suite {
        let (old, new) = (&earlier.suite, &run.suite);
        return Err(CliError::new(
            format!("the baseline `{path}` is for suite `{old}`, but the run is of suite `{new}`"),
            anew,
        ));
    }
    Ok(Some((document, earlier)))
}

/// `baseline evals/demo.json: 5 cases of suite demo, 4 passed`
fn said(arguments: &PromoteArguments, run: &Baseline, earlier: Option<&Baseline>) -> String {
    let again = match (run.history.newest(), earlier) {
        (Some(run), Some(earlier)) => earlier.history.contains(&run.id),
        _ => false,
    };
    if again {
        return one_line(&format!("baseline {}: the run is already in it", arguments.to.display())).into_owned() + "\n";
    }
    let passed = run.cases.iter().filter(|case| case.status == CaseStatus::Pass).count();
    let added = if earlier.is_some() { "; added to its earlier runs" } else { "" };
    let line = format!(
        "baseline {}: {} of suite {}, {passed} passed{added}",
        arguments.to.display(),
        count_of(run.cases.len(), "case"),
        run.suite
    );
    one_line(&line).into_owned() + "\n"
}
