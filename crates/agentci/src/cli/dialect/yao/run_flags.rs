//! Flags about running suites of the yao format.

use std::path::PathBuf;

use agentci::plan::ReportWriter;
use agentci::{LoadedSuite, Suites};
use clap::Args;

use super::AgentReport;
use crate::cli::cli_error::CliError;
use crate::cli::dialect::own_results::NamedReport;

/// Flags about running suites of the yao format.
#[derive(Debug, Clone, Default, Args)]
pub(in super::super) struct YaoRunFlags {
    /// An assistant that writes the report of a suite of the yao format
    #[arg(short, long, value_name = "ID", help_heading = "Assistants")]
    pub(in super::super) reporter: Option<String>,
}

impl YaoRunFlags {
    /// What is wrong with the assistant that is to write a report.
    pub(in super::super) fn report_has_a_place(&self, suites: &Suites, has_out: bool) -> Result<(), CliError> {
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

    /// The assistant that writes reports to these files; what it is sent is one of the `reports`.
    pub(in super::super) fn writer(&self, files: Vec<PathBuf>, reports: &mut Vec<NamedReport>) -> Option<AgentReport> {
        let (writer, document) = AgentReport::new(self.reporter.clone()?, files);
        reports.push(("for the reporter".to_owned(), document));
        Some(writer)
    }
}
