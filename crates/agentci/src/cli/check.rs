//! `agentci check`: reports problems in suites without running them.

use std::path::PathBuf;

use agentci::plan::{Suite, case_count};
use agentci::report::count_of;
use agentci::source::{Diagnostics, Severity};
use agentci::{DiskFiles, Suites, checks};
use clap::Args;

use super::calibrate::calibrate;
use super::github_job::{annotate_not_loaded, not_loaded};
use super::{
    CliContext, CommandResult, DialectFlags, ExitStatus, cassettes, check_environment, faults, mcp_servers, secrets,
};

/// Arguments of `agentci check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Suite files, or directories to search for suites [default: current directory]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    dialects: DialectFlags,
    /// Fail on warnings as well as errors
    #[arg(long)]
    strict: bool,
    /// Also search cassettes and recordings for secrets; PATH may then contain recordings without a suite
    #[arg(long)]
    secrets: bool,
    /// Instead of checking suites, measure how well `semantic` judges the labelled pairs in FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "strict", "secrets"], help_heading = "Semantic checks")]
    calibrate: Option<PathBuf>,
    /// Embedder for `--calibrate` [default: `openai` if an API key is set, else `builtin`]
    #[arg(long, value_name = "ID", requires = "calibrate", help_heading = "Semantic checks")]
    embedder: Option<String>,
}

pub(crate) fn check(arguments: &CheckArguments, context: &CliContext) -> CommandResult {
    if let Some(labels) = &arguments.calibrate {
        return calibrate(labels, arguments.embedder.as_deref(), context);
    }
    let paths = arguments.dialects.paths(&arguments.paths);
    let of_suites: Vec<PathBuf> =
        paths.iter().filter(|path| !(arguments.secrets && secrets::is_recording(path))).cloned().collect();
    let mut suites = Suites::load_with(of_suites, &arguments.dialects.options());
    arguments.dialects.fit(&suites)?;
    let mut problems = suites.problems().clone();
    problems.append(faults::problems(&suites));
    problems.append(mcp_servers::problems(&suites));
    problems.append(cassettes::problems(&mut suites));
    let mut recordings = 0;
    if arguments.secrets {
        let (files, found) = secrets::search(&mut suites, &paths);
        recordings = files;
        // Recordings of commands need no suite.
        if suites.loaded().is_empty() && recordings > 0 {
            problems = without_missing_suites(&problems);
        }
        problems.append(found);
    }
    problems.append(check_environment::problems(&suites));
    problems.append(checks::cannot_fail(all(&suites), &DiskFiles));
    let failed = problems.has_errors() || (arguments.strict && problems.count(Severity::Warning) > 0);
    context.show(&problems, suites.sources());
    annotate_not_loaded(&not_loaded(&problems, suites.sources()), context, false);
    // Changed behaviour matters only once there are no errors.
    if !problems.has_errors() {
        tell_changes(&suites, context);
    }
    let cases: usize = all(&suites).map(|suite| case_count(&suite.cases)).sum();
    let found = if suites.loaded().is_empty() && recordings > 0 {
        count_of(recordings, "recording")
    } else {
        format!("{}, {}", count_of(suites.loaded().len(), "suite"), count_of(cases, "case"))
    };
    context.print(&if problems.is_empty() {
        format!("{found}: no problems found\n")
    } else {
        format!("{found}: {}\n", CliContext::count(&problems))
    });
    Ok(if failed { ExitStatus::Failed } else { ExitStatus::Success })
}

/// The problems, except that a path contains no suite.
fn without_missing_suites(problems: &Diagnostics) -> Diagnostics {
    let mut others = Diagnostics::default();
    for problem in problems.iter().filter(|problem| !problem.message.starts_with("no suite found in ")) {
        others.push(problem.clone());
    }
    others
}

fn all(suites: &Suites) -> impl Iterator<Item = &Suite> {
    suites.loaded().iter().map(|loaded| &loaded.suite)
}

/// Prints a note about checks that are evaluated differently since the last version. They are not problems.
fn tell_changes(suites: &Suites, context: &CliContext) {
    for changed in checks::changed(all(suites), &DiskFiles) {
        let place = suites.sources().spot(changed.first);
        let more = match changed.count {
            1 => String::new(),
            count => format!(" (the first of {count} checks)"),
        };
        let text = format!(
            "note: behaviour changed since the last version in suite `{}`: {}\n  --> {}:{}:{}{more}\n\n",
            changed.suite.escape_debug(),
            changed.sentence,
            place.path,
            place.line,
            place.column
        );
        context.say(&context.without_secrets(&text));
    }
}
