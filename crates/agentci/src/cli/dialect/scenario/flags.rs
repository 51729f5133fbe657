//! Flags about how suites of the scenario format are read.

use std::path::PathBuf;

use agentci::formats::ScenarioOptions;
use agentci::plan::{Dialect, UnansweredRoute};
use clap::Args;

use super::source::paths;
use crate::cli::dialect::format_flag::FormatFlag;

/// Flags about suites of the scenario format.
#[derive(Debug, Clone, Default, Args)]
pub(in super::super) struct ScenarioFlags {
    /// The folder with a folder of scenarios for each agent [default: `tests`]
    #[arg(long, value_name = "DIR", help_heading = "Scenarios")]
    tests: Option<PathBuf>,
    /// The address of the agent [default: as in `agentci.yaml`]
    #[arg(long, value_name = "URL", value_parser = address, help_heading = "Scenarios")]
    agent_url: Option<String>,
    /// What to do when no fixture matches a tool request: fail or warn
    #[arg(long, value_name = "WHAT", value_parser = miss, help_heading = "Scenarios")]
    stub_miss: Option<UnansweredRoute>,
}

impl ScenarioFlags {
    /// What they say to whoever reads the suites.
    pub(in super::super) fn options(&self) -> ScenarioOptions {
        ScenarioOptions { tests: self.tests.clone(), agent_url: self.agent_url.clone(), miss: self.stub_miss }
    }

    /// The paths to load, with the agent that was chosen.
    pub(in super::super) fn paths(&self, given: &[PathBuf], agent: Option<&str>) -> Vec<PathBuf> {
        paths(given, agent, self.tests.as_ref())
    }

    pub(in super::super) fn flags(&self) -> [FormatFlag; 3] {
        let flag = |name, given| FormatFlag {
            name,
            given,
            formats: &[Dialect::Scenario],
            help: "leave it out, or name a folder of scenarios with `test_name` and `user_input`",
        };
        [
            flag("--tests", self.tests.is_some()),
            flag("--agent-url", self.agent_url.is_some()),
            flag("--stub-miss", self.stub_miss.is_some()),
        ]
    }
}

fn address(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let good =
        rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/') && !rest.contains(char::is_whitespace));
    if good { Ok(text.to_owned()) } else { Err("it is an address, such as `http://127.0.0.1:8081/`".into()) }
}

fn miss(word: &str) -> Result<UnansweredRoute, String> {
    let known = UnansweredRoute::NAMES.iter().find(|(name, _)| *name == word).map(|(_, miss)| *miss);
    known.ok_or_else(|| "it is one of fail, warn".into())
}
