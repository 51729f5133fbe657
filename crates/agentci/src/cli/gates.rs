//! What `agentci run` has to do with baselines before anything runs.

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
    /// Has the chosen baseline read. One baseline is not taken for several suites: then it says so, and the result is false.
    pub(crate) fn apply(&self, suites: &mut Suites, to_run: usize) -> Result<(), CliError> {
        let Some(baseline) = &self.baseline else { return Ok(()) };
        if to_run > 1 {
            return Err(CliError::new(
                format!("`--baseline` is for one suite, and {to_run} are to be run"),
                "run them one by one, or name a baseline in each of them",
            ));
        }
        suites.hold_against(baseline);
        Ok(())
    }
}

/// Says which baselines can not be used: at once, since it takes a whole run to get to the same result.
pub(crate) fn complain(suites: &Suites, context: &CliContext) {
    for LoadedSuite { policy, selected, .. } in suites.loaded() {
        let Some(policy) = policy.as_ref().filter(|_| !selected.is_empty()) else { continue };
        let (Some(path), Some(problem)) = (&policy.baseline_path, policy.problem()) else { continue };
        let help = format!("make one of a good run: `agentci baseline promote --from RUN_DIR --to {path}`");
        context.complain(&baseline_problem(path, problem), Some(&help));
    }
}

/// How many cases run at once where the user does not say.
pub(crate) fn parallel(suite: &Suite, usual: usize) -> usize {
    let one = match suite.habits.parallelism {
        Parallelism::Machine => false,
        Parallelism::MachineUnlessTimed => suite.gates.measures_time(),
        Parallelism::One => true,
    };
    // An agent that is asked by all cases finds their tools at one address.
    if one || suite.cases.iter().any(|case| shares_tools(case)) { 1 } else { usual }
}

/// Whether the tools of a case are played for an agent that other cases ask as well.
fn shares_tools(case: &Case) -> bool {
    matches!(case.world.tools, ToolSource::Routes(_)) && case.target.takes_requests()
}
