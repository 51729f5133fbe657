//! Flags for finding and loading suites: `--exclude`, and flags of single formats.

use std::collections::BTreeMap;
use std::path::PathBuf;

use agentci::formats::LoadOptions;
use agentci::plan::{Dialect, Suite};
use clap::Args;

use super::ananke::AnankeFlags;
use super::aumai::AumaiFlags;
use super::format_flag::FormatFlag;
use super::scenario::ScenarioFlags;
use super::yao::YaoFlags;
use crate::cli::{CliError, Suites};

/// Flags about how suites are found, and about suites of one format.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct DialectFlags {
    /// Skip paths when searching for suites: a `.gitignore` pattern, relative to the current directory (may be repeated)
    #[arg(long, value_name = "GLOB", help_heading = "Selection")]
    exclude: Vec<String>,
    #[command(flatten)]
    aumai: AumaiFlags,
    #[command(flatten)]
    ananke: AnankeFlags,
    /// Select the tests of this agent: a directory in `tests` (scenario format) or an assistant ID (yao format)
    #[arg(short = 'n', long, visible_alias = "name", value_name = "ID", help_heading = "Selection")]
    agent: Option<String>,
    #[command(flatten)]
    scenario: ScenarioFlags,
    #[command(flatten)]
    pub(super) yao: YaoFlags,
}

impl DialectFlags {
    /// The options for loading suites.
    pub(crate) fn options(&self) -> LoadOptions {
        let mut options = LoadOptions::default();
        options.mock = self.aumai.mock();
        options.config.clone_from(&self.ananke.config);
        options.agent.clone_from(&self.agent);
        options.exclude.clone_from(&self.exclude);
        options.scenario = self.scenario.options();
        options.yao = self.yao.options();
        options
    }

    /// The paths to load: the given ones, else those that the flags point at, else the current folder. Empty with
    /// `--agent` alone, which determines where to search.
    pub(crate) fn paths(&self, given: &[PathBuf]) -> Vec<PathBuf> {
        if given.is_empty() && self.yao.input.is_some() {
            return Vec::new();
        }
        self.scenario.paths(given, self.agent.as_deref())
    }

    /// Whether `-i` is a message instead of tests.
    pub(crate) fn is_message(&self) -> bool {
        self.yao.is_message()
    }

    /// The user context, for suites whose agents receive one.
    pub(crate) fn asker(&self, suite: &Suite) -> BTreeMap<String, String> {
        self.yao.asker(suite)
    }

    /// The connector from `--connector`.
    pub(crate) fn connector(&self) -> Option<&str> {
        self.yao.connector.as_deref()
    }

    /// Refuses the first flag that applies to no selected suite.
    pub(crate) fn fit(&self, suites: &Suites) -> Result<(), CliError> {
        // The flag may apply to a suite that could not be loaded, whose problems are reported.
        if suites.problems().has_errors() {
            return Ok(());
        }
        let help = "leave it out, run where the folder `tests` contains a folder of that name, or set another folder \
                    with `--tests`";
        let (given, formats) = (self.agent.is_some(), &[Dialect::Scenario, Dialect::Yao]);
        let agent = FormatFlag { name: "--agent", given, formats, help };
        let of_files = self.aumai.flags().into_iter().chain(self.ananke.flags()).chain([agent]);
        let mut flags = of_files.chain(self.scenario.flags()).chain(self.yao.flags());
        flags.try_for_each(|flag| flag.fits(suites))
    }
}
