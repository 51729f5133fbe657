//! Where scenarios are found: which suites `agentci serve tools` plays.

use std::path::PathBuf;

use agentci::Suites;
use agentci::formats::LoadOptions;
use clap::Args;

/// The suites whose tools are played.
#[derive(Debug, Args)]
pub(crate) struct PlayedSuites {
    /// Folders or files with suites; this folder without any
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Leave out files and folders when suites are looked for, by a pattern as in `.gitignore`, seen from this folder (may be
    /// repeated)
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// The agent whose scenarios are meant: a folder below `tests`
    #[arg(short = 'n', long, value_name = "ID")]
    agent: Option<String>,
    /// The folder with a folder of scenarios for each agent [default: `tests`]
    #[arg(long, value_name = "DIR")]
    tests: Option<PathBuf>,
}

impl PlayedSuites {
    /// Reads them.
    pub(crate) fn load(&self) -> Suites {
        let mut options = LoadOptions::default();
        options.agent.clone_from(&self.agent);
        options.exclude.clone_from(&self.exclude);
        options.scenario.tests.clone_from(&self.tests);
        Suites::load_with(paths(&self.paths, self.agent.as_deref(), self.tests.as_ref()), &options)
    }
}

/// The paths to load: those given, else the folder of scenarios, else this folder. None with an agent alone, since that says where
/// to look.
pub(super) fn paths(given: &[PathBuf], agent: Option<&str>, tests: Option<&PathBuf>) -> Vec<PathBuf> {
    match (given, agent, tests) {
        ([], Some(_), _) => Vec::new(),
        ([], None, Some(tests)) => vec![tests.clone()],
        ([], None, None) => vec![PathBuf::from(".")],
        _ => given.to_vec(),
    }
}
