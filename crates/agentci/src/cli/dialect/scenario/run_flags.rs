//! Flags about running suites of the scenario format.

use agentci::plan::{Dialect, Suite};
use agentci::{LoadedSuite, Suites};
use clap::Args;

use super::results;
use crate::cli::cli_error::CliError;
use crate::cli::context::CliContext;
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
    pub(in super::super) fn is_useful(&self) -> Result<(), CliError> {
        if !self.stable_name {
            return Ok(());
        }
        let help = "leave it out; other reports have the names that `--report NAME=PATH` gives them";
        Err(CliError::new("`--stable-name` is for suites of the scenario format, and there is none", help))
    }

    /// Results of several suites cannot share one name.
    pub(in super::super) fn name_is_free(&self, suites: &Suites) -> Result<(), CliError> {
        let to_run = selected(suites);
        if !self.stable_name || to_run <= 1 {
            return Ok(());
        }
        let help = "run them one by one with `--agent`, each into a folder of its own";
        Err(CliError::new(format!("`--stable-name` is for one suite, and {to_run} are to be run"), help))
    }

    /// Opens the files of results of a suite in the chosen folder.
    pub(in super::super) fn open_results(
        &self,
        suite: &Suite,
        folder: Option<&str>,
        context: &CliContext,
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
