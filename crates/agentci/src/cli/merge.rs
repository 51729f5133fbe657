//! `agentci merge`: merges sharded runs into one.

use std::path::PathBuf;

use agentci::ledger::{LedgerError, RunFolder, RunJournal};
use agentci::read_baseline;
use agentci::report::{Console, FanOut, JournalReader};
use agentci::shards::{GatheredShards, MergeError, gather};
use agentci::verdict::{Body, CaseStatus, ExitStatus, NotLoaded, Policy};
use clap::Args;

use super::github_job::{STEP_SUMMARY, annotate_not_loaded, annotations, step_summary};
use super::journal_reader::journal_reader;
use super::reports::{ReportOf, USUAL, add_usual, console, tell_unwritten};
use super::{CliContext, CliError, CommandResult, RUNS, ReportFlags, unix_ms};

/// Arguments of `agentci merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArguments {
    /// Run folders of all shards, or directories that contain them
    #[arg(value_name = "RUN_DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Baseline to compare with [default: the suite's own]
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportFlags,
    /// Directory for the merged run folder [default: `.agentci/runs`]
    #[arg(long, value_name = "DIR", help_heading = "Reports and output")]
    output_dir: Option<PathBuf>,
    /// Show every check and tool call
    #[arg(short, long, help_heading = "Reports and output")]
    verbose: bool,
}

pub(crate) fn merge(arguments: &MergeArguments, context: &CliContext) -> CommandResult {
    let gathered = gather(&arguments.folders).map_err(|error| CliError::new(error.to_string(), help(&error)))?;
    let suites: Vec<&str> = gathered.iter().map(|run| run.suite.as_str()).collect();
    arguments.reports.fit(&suites, false)?;
    if arguments.baseline.is_some() && suites.len() > 1 {
        let message = format!("`--baseline` applies to a single suite, but there are shards of {}", suites.len());
        return Err(CliError::new(message, "merge them one at a time"));
    }
    let mut not_loaded: Vec<NotLoaded> = Vec::new();
    for problem in gathered.iter().flat_map(GatheredShards::not_loaded) {
        if !not_loaded.contains(&problem) {
            not_loaded.push(problem);
        }
    }
    context.show_not_loaded(&not_loaded);
    annotate_not_loaded(&not_loaded, context, arguments.reports.take_stdout());
    let mut status = ExitStatus::Success;
    for run in &gathered {
        status = status.max(one(run, arguments, context).unwrap_or_else(|error| {
            context.complain(&format!("the run cannot be written: {error}"), Some("choose another `--output-dir`"));
            ExitStatus::Failed
        }));
    }
    Ok(status)
}

fn help(error: &MergeError) -> &'static str {
    match error {
        MergeError::Missing { .. } => "wait for all shards, run the missing ones, and pass all their run folders",
        MergeError::Doubled { .. } => "pass each shard once; leave out the run that was repeated",
        MergeError::Strangers { .. } | MergeError::Twice { .. } => {
            "run all shards from the same commit with the same flags"
        }
        MergeError::Whole(_) => "leave it out; `agentci report` generates its reports",
        MergeError::Unfinished(_) | MergeError::Damaged { .. } | MergeError::TooMany { .. } => "run that shard again",
        MergeError::Endless { .. } => "pass the run folders of the shards themselves",
        MergeError::Nothing(_) | MergeError::Search { .. } | MergeError::Unreadable(_) => {
            "pass run folders, as printed after `artifacts:`, or a folder that contains them"
        }
    }
}

fn one(run: &GatheredShards, arguments: &MergeArguments, context: &CliContext) -> Result<ExitStatus, LedgerError> {
    let policy = policy(run, arguments);
    let base = arguments.output_dir.clone().unwrap_or_else(|| PathBuf::from(RUNS));
    let folder = RunFolder::create(&base, &run.suite, unix_ms())?;
    let mut journal = RunJournal::create(&folder)?;
    let mut reports: Option<FanOut> = None;
    let mut journal_error = None;
    let played = run.play(folder.id(), policy.as_ref(), |event| {
        if let Err(error) = journal.hold(&event) {
            journal_error = Some(error);
        }
        let reports = reports.get_or_insert_with(|| {
            let dialect = if let Body::RunStart(start) = &event.body { start.dialect.as_str() } else { "" };
            let reader = journal_reader(journal.path());
            fan_out(reader, arguments, context, ReportOf { suite: &run.suite, dialect, folder: folder.path() })
        });
        reports.on_stored_event(&event, journal.last_place());
    });
    // Reports read the journal.
    let flushed = journal.flush();
    // Also if the run cannot be written: GitHub must interpret commands again.
    let unwritten = reports.map(|mut reports| reports.finish()).unwrap_or_default();
    let status = played?;
    if let Some(error) = journal_error {
        return Err(error);
    }
    flushed?;
    let complete = tell_unwritten(unwritten, context).is_empty();
    let line = format!("artifacts: {} (of {} shards)\n", folder.path().display(), run.len());
    context.print_or_say(&line, arguments.reports.take_stdout());
    Ok(if complete && status <= CaseStatus::Skipped { ExitStatus::Success } else { ExitStatus::Failed })
}

/// The gates of the run: those of its shards, with the chosen baseline.
fn policy(run: &GatheredShards, arguments: &MergeArguments) -> Option<Policy> {
    let mut policy = run.policy(read_baseline);
    if let Some(path) = &arguments.baseline {
        let chosen = policy.get_or_insert_default();
        chosen.baseline_path = Some(path.display().to_string());
        chosen.baseline = Some(read_baseline(path));
        // The baseline of the suite is not used.
        chosen.places.remove("baseline");
    }
    policy
}

fn fan_out(reader: JournalReader, arguments: &MergeArguments, context: &CliContext, of: ReportOf<'_>) -> FanOut {
    let mut reports = FanOut::stored(reader);
    let aside = arguments.reports.take_stdout();
    let (out, options) = console(aside, arguments.verbose, context);
    if context.is_github {
        // Before all others that print to the same log.
        reports.add("GitHub", Box::new(annotations(console(aside, false, context).0)));
    }
    reports.add("console", Box::new(Console::new(out, options)));
    add_usual(&mut reports, of.folder);
    arguments.reports.add_to(&mut reports, of, &USUAL);
    if let Some(path) = &context.step_summary {
        reports.add(STEP_SUMMARY, Box::new(step_summary(path)));
    }
    reports
}
