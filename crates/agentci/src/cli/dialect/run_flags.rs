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
    /// Adds these flags to the options for loading suites.
    pub(crate) fn add_to(&self, options: &mut LoadOptions, timeout: Option<Duration>) {
        options.yao.timeout = timeout;
        options.yao.reporter.clone_from(&self.reporter);
    }

    /// The agent from `--reporter`.
    pub(crate) fn report_writer(&self) -> Option<&str> {
        self.reporter.as_deref()
    }

    /// Checks that `--reporter` has a suite that it applies to and a file to write to; `has_out` is whether `--out` is
    /// set.
    pub(crate) fn report_has_a_place(&self, suites: &Suites, has_out: bool) -> Result<(), CliError> {
        let is_for = |loaded: &LoadedSuite| loaded.suite.conventions.report_writer == ReportWriter::Agent;
        if self.reporter.is_none() {
            return Ok(());
        }
        if !suites.loaded().is_empty() && !suites.loaded().iter().any(is_for) {
            let help = "leave it out, or select tests of an assistant with `-i`";
            return Err(CliError::new("`--reporter` applies to suites in the yao format, but there are none", help));
        }
        if !has_out {
            let help = "set a file with `-o report.html`";
            return Err(CliError::new("`--reporter` needs a file to write its report to", help));
        }
        Ok(())
    }

    /// Whether a suite is selected whose format uses all flags about results, tools and semantic checks.
    pub(crate) fn all_are_of_use(suites: &Suites) -> bool {
        selected_scenarios(suites) > 0
    }

    /// Refuses flags about results; for selections without a format that uses them.
    pub(crate) fn are_useful(&self) -> Result<(), CliError> {
        if !self.stable_name {
            return Ok(());
        }
        let help = "leave it out; set the paths of other reports with `--report NAME=PATH`";
        Err(CliError::new("`--stable-name` applies to suites in the scenario format, but there are none", help))
    }

    /// Refuses `--stable-name` for several suites.
    pub(crate) fn name_is_free(&self, suites: &Suites) -> Result<(), CliError> {
        let to_run = selected_scenarios(suites);
        if !self.stable_name || to_run <= 1 {
            return Ok(());
        }
        let help = "run them one at a time with `--agent`, each with its own output folder";
        Err(CliError::new(format!("`--stable-name` applies to a single suite, but {to_run} would run"), help))
    }

    /// Opens the result files of a suite's format.
    pub(crate) fn open_results(
        &self,
        suite: &Suite,
        dialects: &DialectFlags,
        out: &ReportFlags,
        context: &CliContext,
    ) -> Result<OwnResults, CliError> {
        let unwritable = |error| {
            CliError::new(format!("the results cannot be written: {error}"), "choose another folder with `--out`")
        };
        let files = out.out_paths(&suite.name);
        let mut own = match suite.conventions.result_files {
            ResultFiles::BesideCases if files.is_empty() => dialects.yao.results(suite),
            ResultFiles::ResultsFolder => {
                scenario::open_results(suite, out.folder(), self.stable_name, context).map_err(unwritable)?
            }
            ResultFiles::RunFolder | ResultFiles::BesideCases => OwnResults::default(),
        };
        if let Some(agent) = self.reporter.clone().filter(|_| suite.conventions.report_writer == ReportWriter::Agent) {
            let (writer, document) = AgentReport::new(agent, files);
            own.reports.push(("for the reporter".to_owned(), document));
            own.writer = Some(writer);
        }
        Ok(own)
    }
}

/// The number of scenario suites with selected cases.
fn selected_scenarios(suites: &Suites) -> usize {
    let selected = |loaded: &&LoadedSuite| loaded.suite.dialect == Dialect::Scenario && !loaded.selected.is_empty();
    suites.loaded().iter().filter(selected).count()
}
