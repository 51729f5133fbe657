//! Flags for loading suites in the scenario format, and the suites that `agentci serve tools` serves.

use std::path::PathBuf;

use agentci::Suites;
use agentci::formats::{LoadOptions, ScenarioOptions};
use agentci::plan::{Dialect, UnansweredRoute};
use clap::Args;

use crate::cli::dialect::format_flag::FormatFlag;

/// Flags about suites of the scenario format.
#[derive(Debug, Clone, Default, Args)]
pub(in super::super) struct ScenarioFlags {
    /// Directory with one subdirectory of scenarios per agent [default: `tests`]
    #[arg(long, value_name = "DIR", help_heading = "Scenario format")]
    tests: Option<PathBuf>,
    /// URL of the agent [default: `url` in `agentci.yaml`, else `http://127.0.0.1:8081/`]
    #[arg(long, value_name = "URL", value_parser = address, help_heading = "Scenario format")]
    agent_url: Option<String>,
    /// What to do when no fixture matches a tool request [default: as in `agentci.yaml`, else fail] [possible values: fail, warn]
    #[arg(long, value_name = "ACTION", value_parser = miss, help_heading = "Scenario format")]
    stub_miss: Option<UnansweredRoute>,
}

impl ScenarioFlags {
    /// The options for loading suites.
    pub(in super::super) fn options(&self) -> ScenarioOptions {
        ScenarioOptions { tests: self.tests.clone(), agent_url: self.agent_url.clone(), miss: self.stub_miss }
    }

    /// The paths to load with the chosen agent.
    pub(in super::super) fn paths(&self, given: &[PathBuf], agent: Option<&str>) -> Vec<PathBuf> {
        paths(given, agent, self.tests.as_ref())
    }

    pub(in super::super) fn flags(&self) -> [FormatFlag; 3] {
        let help = "leave it out, or select a folder of scenarios with `test_name` and `user_input`";
        let flag = |name, given| FormatFlag { name, given, formats: &[Dialect::Scenario], help };
        [
            flag("--tests", self.tests.is_some()),
            flag("--agent-url", self.agent_url.is_some()),
            flag("--stub-miss", self.stub_miss.is_some()),
        ]
    }
}

/// The suites whose tools are played.
#[derive(Debug, Args)]
pub(crate) struct PlayedSuites {
    /// Suite files, or directories to search for suites [default: current directory]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Skip paths when searching for suites: a `.gitignore` pattern, relative to the current directory (may be repeated)
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Select the scenarios of this agent: a directory in `tests`
    #[arg(short = 'n', long, value_name = "ID")]
    agent: Option<String>,
    /// Directory with one subdirectory of scenarios per agent [default: `tests`]
    #[arg(long, value_name = "DIR")]
    tests: Option<PathBuf>,
}

impl PlayedSuites {
    /// Loads the suites.
    pub(crate) fn load(&self) -> Suites {
        let mut options = LoadOptions::default();
        options.agent.clone_from(&self.agent);
        options.exclude.clone_from(&self.exclude);
        options.scenario.tests.clone_from(&self.tests);
        Suites::load_with(paths(&self.paths, self.agent.as_deref(), self.tests.as_ref()), &options)
    }
}

/// The paths to load: the given ones, else the folder of scenarios, else the current folder. Empty with an agent alone,
/// which determines where to search.
fn paths(given: &[PathBuf], agent: Option<&str>, tests: Option<&PathBuf>) -> Vec<PathBuf> {
    match (given, agent, tests) {
        ([], Some(_), _) => Vec::new(),
        ([], None, Some(tests)) => vec![tests.clone()],
        ([], None, None) => vec![PathBuf::from(".")],
        _ => given.to_vec(),
    }
}

fn address(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let good =
        rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/') && !rest.contains(char::is_whitespace));
    if good { Ok(text.to_owned()) } else { Err("expected a URL such as `http://127.0.0.1:8081/`".into()) }
}

fn miss(word: &str) -> Result<UnansweredRoute, String> {
    let known = UnansweredRoute::NAMES.iter().find(|(name, _)| *name == word).map(|(_, miss)| *miss);
    known.ok_or_else(|| "expected one of fail, warn".into())
}
