//! Flags about how suites are found and read: `--exclude`, and those that belong to one format: `--mock-config` to aumai, `--config` to ananke, and those of scenario and yao.

pub(super) mod scenario;
pub(super) mod yao;

use std::path::PathBuf;

use agentci::formats::{LoadOptions, MockSource};
use agentci::plan::Dialect;
use agentci::{LoadedSuite, Suites};
use clap::Args;

use super::context::Context;
use scenario::ScenarioFlags;
use yao::YaoFlags;

/// Flags about how suites are found, and about suites of one format.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct DialectFlags {
    /// Leave out files and folders when suites are looked for, by a pattern as in `.gitignore`, seen from this folder (may be
    /// repeated)
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// The scripted model that answers tests of the aumai format [default: `mock_config.yaml` beside the tests]
    #[arg(long, value_name = "FILE")]
    mock_config: Option<PathBuf>,
    /// The config of tests of the ananke format [default: the nearest `ananke.config.yaml` in a parent directory]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The agent whose tests are meant: a folder below `tests` in the scenario format, an assistant's id in the yao format
    #[arg(short = 'n', long, visible_alias = "name", value_name = "ID")]
    agent: Option<String>,
    #[command(flatten)]
    scenario: ScenarioFlags,
    #[command(flatten)]
    yao: YaoFlags,
}

impl DialectFlags {
    /// What they say to whoever reads the suites.
    pub(crate) fn options(&self) -> LoadOptions {
        let mut options = LoadOptions::default();
        options.mock = self.mock_config.clone().map_or(MockSource::Beside, MockSource::File);
        options.config.clone_from(&self.config);
        options.agent.clone_from(&self.agent);
        options.exclude.clone_from(&self.exclude);
        options.scenario = self.scenario.options();
        options.yao = self.yao.options();
        options
    }

    /// The agent that was chosen.
    pub(crate) fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// Those of the yao format.
    pub(crate) fn yao(&self) -> &YaoFlags {
        &self.yao
    }

    /// The paths to load: those given, else what the flags point at, else this folder. None with an agent alone, since that says
    /// where to look.
    pub(crate) fn paths(&self, given: &[PathBuf]) -> Vec<PathBuf> {
        match (given, &self.agent, &self.scenario.tests) {
            ([], ..) if self.yao.input.is_some() => Vec::new(),
            ([], Some(_), _) => Vec::new(),
            ([], None, Some(tests)) => vec![tests.clone()],
            ([], None, None) => vec![PathBuf::from(".")],
            _ => given.to_vec(),
        }
    }

    /// Whether there is a suite that has a use for each flag, and of which something is selected; says so if not.
    pub(crate) fn fit(&self, suites: &Suites, context: &Context) -> bool {
        let Some((message, help)) = self.misfit(suites) else { return true };
        context.complain(&message, Some(help));
        false
    }

    /// What is wrong with the first flag that no selected suite has a use for, and what to do.
    pub(crate) fn misfit(&self, suites: &Suites) -> Option<(String, &'static str)> {
        let scenario = &[Dialect::Scenario][..];
        let leave = "leave it out, or name a folder of scenarios with `test_name` and `user_input`";
        let mut flags = vec![
            (
                "--mock-config",
                self.mock_config.is_some(),
                &[Dialect::Aumai][..],
                "leave it out; a native suite has its script under `target: { mock: {..} }`",
            ),
            ("--config", self.config.is_some(), &[Dialect::Ananke], "leave it out, or name tests with `turns:`"),
            (
                "--agent",
                self.agent.is_some(),
                &[Dialect::Scenario, Dialect::Yao],
                "leave it out, or run it where there is a folder `tests` with a folder of that name, or name that folder \
                 with `--tests`",
            ),
            ("--tests", self.scenario.tests.is_some(), scenario, leave),
            ("--agent-url", self.scenario.agent_url.is_some(), scenario, leave),
            ("--stub-miss", self.scenario.stub_miss.is_some(), scenario, leave),
        ];
        let assistants = "leave it out, or name tests of an assistant with `-i`";
        // Others have `-c` for the config.
        let config = "`-c` names the connector of an assistant; for the config of ananke tests write `--config FILE`";
        let ending = self.yao.connector.as_ref().and_then(|id| id.rsplit_once('.'));
        let is_file = ending.is_some_and(|(_, ending)| matches!(ending, "yaml" | "yml"));
        let help = |flag: &str| if flag == "--connector" && is_file { config } else { assistants };
        flags.extend(self.yao.given().map(|flag| (flag, true, &[Dialect::Yao][..], help(flag))));
        let any = |dialects: &[Dialect], meant: &dyn Fn(&LoadedSuite) -> bool| {
            suites.loaded().iter().any(|loaded| dialects.contains(&loaded.suite.dialect) && meant(loaded))
        };
        // A suite without cases has nothing to select.
        let chosen = |loaded: &LoadedSuite| loaded.suite.cases.is_empty() || !loaded.selected.is_empty();
        // It may be that of a suite that was refused, which is told of by its own problems.
        let refused = suites.problems().has_errors();
        let useless = |(_, given, dialects, _): &(&str, bool, &[Dialect], &'static str)| {
            *given && !refused && !any(dialects, &chosen)
        };
        let (flag, _, dialects, help) = flags.into_iter().find(useless)?;
        let none = if any(dialects, &|_| true) { "none is selected" } else { "there is none" };
        let names: Vec<&str> = dialects.iter().map(|dialect| dialect.name()).collect();
        let (format, names) = (if names.len() == 1 { "format" } else { "formats" }, names.join(" and "));
        Some((format!("`{flag}` is for suites of the {names} {format}, and {none}"), help))
    }
}
