//! Flags of `agentci run` that belong to one format.

use std::time::Duration;

use agentci::Suites;
use agentci::formats::LoadOptions;
use agentci::plan::{ReportWriter, ResultFiles, Suite};
use clap::Args;

use super::scenario::{self, ScenarioRunFlags};
use super::yao::YaoRunFlags;
use super::{DialectFlags, OutPaths, OwnResults};
use crate::cli::cli_error::CliError;
use crate::cli::context::CliContext;

/// Flags of `agentci run` that belong to one format.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct DialectRunFlags {
    #[command(flatten)]
    scenario: ScenarioRunFlags,
    #[command(flatten)]
    yao: YaoRunFlags,
}

impl DialectRunFlags {
    /// Adds what they say to whoever reads the suites.
    pub(crate) fn add_to(&self, options: &mut LoadOptions, timeout: Option<Duration>) {
        options.yao.timeout = timeout;
        options.yao.reporter.clone_from(&self.yao.reporter);
    }

    /// The agent that writes a report, if one was chosen.
    pub(crate) fn report_writer(&self) -> Option<&str> {
        self.yao.reporter.as_deref()
    }

    /// Whether the agent that is to write a report has a suite and a place for it, where `--out` says so or not.
    pub(crate) fn report_has_a_place(&self, suites: &Suites, has_out: bool) -> Result<(), CliError> {
        self.yao.report_has_a_place(suites, has_out)
    }

    /// Whether something is selected whose format has a use for every flag about results, tools and meanings.
    pub(crate) fn all_are_of_use(suites: &Suites) -> bool {
        scenario::selected(suites) > 0
    }

    /// Refuses flags about results where no format is selected that has a use for them.
    pub(crate) fn are_useful(&self) -> Result<(), CliError> {
        self.scenario.is_useful()
    }

    /// Refuses one name for the results of several suites.
    pub(crate) fn name_is_free(&self, suites: &Suites) -> Result<(), CliError> {
        self.scenario.name_is_free(suites)
    }

    /// Opens what the format of a suite keeps beside the run folder.
    pub(crate) fn open_results(
        &self,
        suite: &Suite,
        dialects: &DialectFlags,
        out: OutPaths<'_>,
        context: &CliContext,
    ) -> Result<OwnResults, CliError> {
        let mut own = match suite.habits.result_files {
            ResultFiles::BesideCases if out.files.is_empty() => dialects.yao.results(suite),
            ResultFiles::ResultsFolder => self.scenario.open_results(suite, out.folder, context)?,
            ResultFiles::RunFolder | ResultFiles::BesideCases => OwnResults::default(),
        };
        if suite.habits.report_writer == ReportWriter::Agent {
            own.writer = self.yao.writer(out.files, &mut own.reports);
        }
        Ok(own)
    }
}
