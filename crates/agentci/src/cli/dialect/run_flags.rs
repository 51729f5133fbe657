//! Flags of `agentci run` that belong to one format.

use std::time::Duration;

use agentci::formats::LoadOptions;
use agentci::plan::{Dialect, ReportWriter, ResultFiles, Suite};
use clap::Args;

use super::yao::AgentReport;
use super::{OwnResults, scenario};
use crate::cli::{CliContext, CliError, DialectFlags, LoadedSuite, ReportFlags, Suites};

/// Flags of `agentci run` that belong to one format.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct DialectRunFlags {
    /// Also write the results to `results.csv`
    #[arg(long, help_heading = "Scenario format")]
    stable_name: bool,
    /// Assistant that writes the report; requires `--out`
    #[arg(short, long, value_name = "ID", help_heading = "Yao format")]
    reporter: Option<String>,
}

impl DialectRunFlags {
    /// Adds what they say to whoever reads the suites.
    pub(crate) fn add_to(&self, options: &mut LoadOptions, timeout: Option<Duration>) {
        options.yao.timeout = timeout;
        options.yao.reporter.clone_from(&self.reporter);
    }

    /// The agent that writes a report, if one was chosen.
    pub(crate) fn report_writer(&self) -> Option<&str> {
        self.reporter.as_deref()
    }

    /// Whether the agent that is to write a report has a suite and a place for it, where `--out` says so or not.
    pub(crate) fn report_has_a_place(&self, suites: &Suites, has_out: bool) -> Result<(), CliError> {
        let is_for = |loaded: &LoadedSuite| loaded.suite.habits.report_writer == ReportWriter::Agent;
        if self.reporter.is_none() {
            return Ok(());
        }
        if !suites.loaded().is_empty() && !suites.loaded().iter().any(is_for) {
            let help = "leave it out, or name tests of an assistant with `-i`";
            return Err(CliError::new("`--reporter` is for suites of the yao format, and there is none", help));
        }
        if !has_out {
            let help = "say where with `-o report.html`";
            return Err(CliError::new("`--reporter` has nowhere to write its report", help));
        }
        Ok(())
    }

    /// Whether something is selected whose format has a use for every flag about results, tools and meanings.
    pub(crate) fn all_are_of_use(suites: &Suites) -> bool {
        selected_scenarios(suites) > 0
    }

    /// Refuses flags about results where no format is selected that has a use for them.
    pub(crate) fn are_useful(&self) -> Result<(), CliError> {
        if !self.stable_name {
            return Ok(());
        }
        let help = "leave it out; other reports have the names that `--report NAME=PATH` gives them";
        Err(CliError::new("`--stable-name` is for suites of the scenario format, and there is none", help))
    }

    /// Refuses one name for the results of several suites.
    pub(crate) fn name_is_free(&self, suites: &Suites) -> Result<(), CliError> {
        let to_run = selected_scenarios(suites);
        if !self.stable_name || to_run <= 1 {
            return Ok(());
        }
        let help = "run them one by one with `--agent`, each into a folder of its own";
        Err(CliError::new(format!("`--stable-name` is for one suite, and {to_run} are to be run"), help))
    }

    /// Opens what the format of a suite keeps beside the run folder.
    pub(crate) fn open_results(
        &self,
        suite: &Suite,
        dialects: &DialectFlags,
        out: &ReportFlags,
        context: &CliContext,
    ) -> Result<OwnResults, CliError> {
        let unwritable = |error| {
            CliError::new(format!("the results can not be written: {error}"), "choose another folder with `--out`")
        };
        let files = out.out_paths(&suite.name);
        let mut own = match suite.habits.result_files {
            ResultFiles::BesideCases if files.is_empty() => dialects.yao.results(suite),
            ResultFiles::ResultsFolder => {
                scenario::open_results(suite, out.folder(), self.stable_name, context).map_err(unwritable)?
            }
            ResultFiles::RunFolder | ResultFiles::BesideCases => OwnResults::default(),
        };
        if let Some(agent) = self.reporter.clone().filter(|_| suite.habits.report_writer == ReportWriter::Agent) {
            let (writer, document) = AgentReport::new(agent, files);
            own.reports.push(("for the reporter".to_owned(), document));
            own.writer = Some(writer);
        }
        Ok(own)
    }
}

/// How many suites of scenarios have something selected.
fn selected_scenarios(suites: &Suites) -> usize {
    let selected = |loaded: &&LoadedSuite| loaded.suite.dialect == Dialect::Scenario && !loaded.selected.is_empty();
    suites.loaded().iter().filter(selected).count()
}
