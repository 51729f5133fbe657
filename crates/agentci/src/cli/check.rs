//! `agentci check`: what is wrong with suites, without running them.

use std::path::PathBuf;

use agentci::Suites;
use agentci::plan::Severity;
use agentci::verdict::ExitStatus;
use clap::Args;

use super::cassettes;
use super::context::Context;
use super::dialects::DialectFlags;
use super::faults;
use super::machine;

/// Arguments of `agentci check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Folders or files with suites; this folder without any
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    dialects: DialectFlags,
    /// Let warnings fail, too
    #[arg(long)]
    strict: bool,
    /// Look for secrets in cassettes, too
    #[arg(long)]
    secrets: bool,
}

pub(crate) fn check(arguments: &CheckArguments, context: &Context) -> ExitStatus {
    let paths = arguments.dialects.paths(&arguments.paths);
    let mut suites = Suites::load_with(paths.clone(), &arguments.dialects.options());
    if !arguments.dialects.fit(&suites, context) {
        return ExitStatus::Failed;
    }
    let mut problems = suites.problems().clone();
    problems.append(faults::problems(&suites));
    problems.append(cassettes::problems(&mut suites));
    if arguments.secrets {
        problems.append(cassettes::secrets(&mut suites, &paths));
    }
    problems.append(machine::problems(&suites));
    let failed = problems.has_errors() || (arguments.strict && problems.count(Severity::Warning) > 0);
    context.show(&problems, &suites.plan().sources);
    let plan = suites.plan();
    let cases: usize = plan.suites.iter().map(|suite| suite.cases.len()).sum();
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let found = format!("{}, {}", plural(plan.suites.len(), "suite"), plural(cases, "case"));
    context.print(&if problems.is_empty() {
        format!("{found}: nothing is wrong\n")
    } else {
        format!("{found}: {}\n", Context::count(&problems))
    });
    if failed { ExitStatus::Failed } else { ExitStatus::Success }
}
