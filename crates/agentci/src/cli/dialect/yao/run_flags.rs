//! Flags about running suites of the yao format.

use agentci::plan::{ReportWriter, Suite};
use agentci::{LoadedSuite, Suites};
use clap::Args;

use super::AgentReport;
use crate::cli::dialect::own_results::Named;
use crate::cli::reports::{Misfit, ReportFlags};

/// Flags about running suites of the yao format.
#[derive(Debug, Clone, Default, Args)]
pub(in super::super) struct YaoRunFlags {
    /// An assistant that writes the report of a suite of the yao format
    #[arg(short, long, value_name = "ID", help_heading = "Assistants")]
    pub(in super::super) reporter: Option<String>,
}

impl YaoRunFlags {
    /// What is wrong with the assistant that is to write a report.
    pub(in super::super) fn no_report(&self, suites: &Suites, has_out: bool) -> Option<Misfit> {
        self.reporter.as_ref()?;
        let is_for = |loaded: &LoadedSuite| loaded.suite.habits.report_writer == ReportWriter::Agent;
        let misfit = |message: &str, help: &str| Some(Misfit { message: message.to_owned(), help: help.to_owned() });
        if !suites.loaded().is_empty() && !suites.loaded().iter().any(is_for) {
            let help = "leave it out, or name tests of an assistant with `-i`";
            return misfit("`--reporter` is for suites of the yao format, and there is none", help);
        }
        if !has_out {
            return misfit("`--reporter` has nowhere to write its report", "say where with `-o report.html`");
        }
        None
    }

    /// The assistant that writes the reports of a suite; what it is sent is one of the reports.
    pub(in super::super) fn writer(
        &self,
        suite: &Suite,
        flags: &ReportFlags,
        reports: &mut Vec<Named>,
    ) -> Option<AgentReport> {
        let (writer, document) = AgentReport::new(self.reporter.clone()?, flags.out_paths(&suite.name));
        reports.push(("for the reporter".to_owned(), document));
        Some(writer)
    }
}
