//! `agentci check`: what is wrong with suites, without running them.

use std::path::PathBuf;

use agentci::plan::{Diagnostic, Diagnostics, Files as _, Severity, Span, ToolSource};
use agentci::stubs::{Tape, TapeError};
use agentci::verdict::ExitStatus;
use agentci::{DiskFiles, Suites};
use clap::Args;

use super::context::Context;

/// Arguments of `agentci check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Folders or files with suites
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Let warnings fail, too
    #[arg(long)]
    strict: bool,
}

/// The most of a cassette that is kept to show a wrong line.
const SHOWN_CASSETTE: u64 = 64 << 20;

pub(crate) fn check(arguments: &CheckArguments, context: &Context) -> ExitStatus {
    let mut suites = Suites::load(&arguments.paths);
    let mut problems = suites.problems().clone();
    problems.append(cassettes(&mut suites));
    context.show(&problems, &suites.plan().sources);
    let plan = suites.plan();
    let cases: usize = plan.suites.iter().map(|suite| suite.cases.len()).sum();
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let found = format!("{}, {}", plural(plan.suites.len(), "suite"), plural(cases, "case"));
    let failed = problems.has_errors() || (arguments.strict && problems.count(Severity::Warning) > 0);
    context.print(&if problems.is_empty() {
        format!("{found}: nothing is wrong\n")
    } else {
        format!("{found}: {}\n", Context::count(&problems))
    });
    if failed { ExitStatus::Failed } else { ExitStatus::Success }
}

/// What is wrong with the recordings that cases name.
fn cassettes(suites: &mut Suites) -> Diagnostics {
    let mut problems = Diagnostics::default();
    let mut wrong = Vec::new();
    for suite in &suites.plan().suites {
        for case in suite.cases.iter().filter(|case| case.broken.is_none()) {
            let ToolSource::Cassette(cassette) = &case.world.tools else { continue };
            if let Err(error) = Tape::load(&DiskFiles, &cassette.path) {
                wrong.push((cassette.clone(), error));
            }
        }
    }
    for (cassette, error) in wrong {
        let help = "record it, or correct the path: it is relative to the suite's folder";
        problems.push(match error {
            TapeError::Unreadable { .. } => {
                Diagnostic::error(cassette.span, error.to_string()).label("names this file").help(help)
            }
            TapeError::BadLine { path, line, column, reason } => {
                let text = DiskFiles.read_text(&path, SHOWN_CASSETTE).unwrap_or_default();
                let file = suites.plan_mut().sources.add(&path, text);
                let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
                let span = Span { file, line: narrow(line), column: narrow(column), width: 1 };
                Diagnostic::error(span, format!("this cassette entry is wrong: {reason}"))
                    .help("each line is one JSON object with `tool`, `args`, `ok` and `result` or `error`")
            }
        });
    }
    problems
}
