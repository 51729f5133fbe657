//! Baselines and parallelism of `agentci run`, settled before anything runs.

use std::path::PathBuf;

use agentci::plan::{Case, Parallelism, Suite, ToolSource};
use agentci::report::baseline_problem;
use clap::Args;

use super::{CliContext, CliError, LoadedSuite, Suites};

/// Flags about baselines.
#[derive(Debug, Default, Args)]
pub(crate) struct GateFlags {
    /// Baseline to compare with [default: the suite's own]
    #[arg(long, value_name = "FILE", help_heading = "Baseline")]
    baseline: Option<PathBuf>,
}

impl GateFlags {
    /// Reads the chosen baseline. It is an error if several suites would run.
    pub(crate) fn apply(&self, suites: &mut Suites, to_run: usize) -> Result<(), CliError> {
        let Some(baseline) = &self.baseline else { return Ok(()) };
        if to_run > 1 {
            return Err(CliError::new(
                format!("`--baseline` applies to a single suite, but {to_run} would run"),
                "run them one at a time, or set a baseline in each of them",
            ));
        }
        suites.hold_against(baseline);
        Ok(())
    }
}

/// Reports baselines that cannot be used before the run, which would otherwise fail only at its end.
pub(crate) fn complain(suites: &Suites, context: &CliContext) {
    for LoadedSuite { policy, selected, .. } in suites.loaded() {
        let Some(policy) = policy.as_ref().filter(|_| !selected.is_empty()) else { continue };
        let (Some(path), Some(problem)) = (&policy.baseline_path, policy.problem()) else { continue };
        let help = format!("create one from a good run: `agentci baseline promote --from RUN_DIR --to {path}`");
        context.complain(&baseline_problem(path, problem), Some(&help));
    }
}

/// The default number of cases that run in parallel.
pub(crate) fn parallel(suite: &Suite, usual: usize) -> usize {
    let one = match suite.conventions.parallelism {
        Parallelism::Machine => false,
        Parallelism::MachineUnlessTimed => suite.gates.measures_time(),
        Parallelism::One => true,
    };
    // An agent that all cases share calls their tools at one address.
    if one || suite.cases.iter().any(|case| shares_tools(case)) { 1 } else { usual }
}

/// Whether the stub tools of a case are for an agent that other cases share.
fn shares_tools(case: &Case) -> bool {
    matches!(case.world.tools, ToolSource::Routes(_)) && case.target.takes_requests()
}
