//! Flags about running suites of the scenario format.

use agentci::plan::{Dialect, Suite};
use agentci::{LoadedSuite, Suites};
use clap::Args;

use super::results;
use crate::cli::cli_error::CliError;
use crate::cli::context::Context;
use crate::cli::dialect::OwnResults;

/// Flags about running suites of the scenario format.
#[derive(Debug, Clone, Default, Args)]
pub(in super::super) struct ScenarioRunFlags {
    /// Also write the results as `results.csv`
    #[arg(long, help_heading = "Scenarios")]
    stable_name: bool,
}

impl ScenarioRunFlags {
    /// What is wrong where no scenario is selected.
    pub(in super::super) fn useless(&self) -> Option<CliError> {
        self.stable_name.then(|| {
            CliError::new(
                "`--stable-name` is for suites of the scenario format, and there is none",
                "leave it out; other reports have the names that `--report NAME=PATH` gives them",
            )
        })
    }

    /// What is wrong with one name for the results of several suites.
    pub(in super::super) fn shared_name(&self, suites: &Suites) -> Option<CliError> {
        let to_run = selected(suites);
        (self.stable_name && to_run > 1).then(|| {
            CliError::new(
                format!("`--stable-name` is for one suite, and {to_run} are to be run"),
                "run them one by one with `--agent`, each into a folder of its own",
            )
        })
    }

    /// Opens the files of results of a suite in the chosen folder.
    pub(in super::super) fn open_results(
        &self,
        suite: &Suite,
        folder: Option<&str>,
        context: &Context,
    ) -> Result<OwnResults, CliError> {
        results::open(suite, folder, self.stable_name, context).map_err(|error| {
            CliError::new(format!("the results can not be written: {error}"), "choose another folder with `--out`")
        })
    }
}

/// How many suites of scenarios have something selected.
pub(in super::super) fn selected(suites: &Suites) -> usize {
    let selected = |loaded: &&LoadedSuite| loaded.suite.dialect == Dialect::Scenario && !loaded.selected.is_empty();
    suites.loaded().iter().filter(selected).count()
}
