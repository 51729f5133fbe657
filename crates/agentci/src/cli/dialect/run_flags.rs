//! Flags of `agentci run` that belong to one format.

use std::time::Duration;

use agentci::Suites;
use agentci::formats::LoadOptions;
use agentci::plan::{ReportWriter, ResultFiles, Suite};
use clap::Args;

use super::scenario::{self, ScenarioRunFlags};
use super::yao::YaoRunFlags;
use super::{DialectFlags, OwnResults};
use crate::cli::context::Context;
use crate::cli::reports::{Misfit, ReportFlags};
use crate::cli::services::ServiceFlags;

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

    /// What is wrong with the agent that is to write a report.
    pub(crate) fn no_report(&self, suites: &Suites, reports: &ReportFlags) -> Option<Misfit> {
        self.yao.no_report(suites, reports.first_out().is_some())
    }

    /// What is wrong with flags about results, tools and meanings that no selected case has a use for. All selected cases count,
    /// whichever of them a shard leaves.
    pub(crate) fn useless(&self, suites: &Suites, reports: &ReportFlags, services: &ServiceFlags) -> Option<Misfit> {
        // What is wrong with the suites is told already. Scenarios have a use for all flags, even where one has no tools.
        if suites.loaded().is_empty() || scenario::selected(suites) > 0 {
            return None;
        }
        self.scenario.useless().or_else(|| reports.no_folder().err()).or_else(|| services.useless(suites))
    }

    /// What is wrong with one name for the results of several suites.
    pub(crate) fn shared_name(&self, suites: &Suites) -> Option<Misfit> {
        self.scenario.shared_name(suites)
    }

    /// Opens what the format of a suite keeps beside the run folder.
    pub(crate) fn open_results(
        &self,
        suite: &Suite,
        dialects: &DialectFlags,
        reports: &ReportFlags,
        context: &Context,
    ) -> Result<OwnResults, Misfit> {
        let mut own = match suite.habits.result_files {
            ResultFiles::RunFolder => OwnResults::default(),
            ResultFiles::BesideCases => dialects.yao.results(suite, reports),
            ResultFiles::ResultsFolder => self.scenario.open_results(suite, reports.folder(), context)?,
        };
        if suite.habits.report_writer == ReportWriter::Agent {
            own.writer = self.yao.writer(suite, reports, &mut own.reports);
        }
        Ok(own)
    }
}
