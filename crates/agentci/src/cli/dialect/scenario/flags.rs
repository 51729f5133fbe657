//! Flags of the scenario format.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use agentci::formats::ScenarioOptions;
use agentci::plan::{Case, Dialect, Missed, ToolSource};
use agentci::source::parse_duration;
use agentci::{LoadedSuite, Suites};
use clap::Args;

use crate::cli::reports::ReportFlags;

/// Flags about suites of the scenario format.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ScenarioFlags {
    /// The folder with a folder of scenarios for each agent [default: `tests`]
    #[arg(long, value_name = "DIR", help_heading = "Scenarios")]
    pub(crate) tests: Option<PathBuf>,
    /// The address of the agent [default: as in `agentci.yaml`]
    #[arg(long, value_name = "URL", value_parser = address, help_heading = "Scenarios")]
    pub(crate) agent_url: Option<String>,
    /// What to do when no fixture matches a tool request: fail or warn
    #[arg(long, value_name = "WHAT", value_parser = miss, help_heading = "Scenarios")]
    pub(crate) stub_miss: Option<Missed>,
}

/// Flags about running suites of the scenario format.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ScenarioRunFlags {
    /// The port of the stub tool server [default: any free port]
    #[arg(long, value_name = "P", help_heading = "Scenarios")]
    pub(crate) stub_port: Option<u16>,
    /// The address of the stub tool server [default: reachable from this machine only]
    #[arg(long, value_name = "ADDR", help_heading = "Scenarios")]
    pub(crate) stub_bind: Option<IpAddr>,
    /// Embedder for semantic checks: `builtin` or `openai:MODEL` [default: `openai` if an API key is set, else `builtin`]
    #[arg(long, value_name = "ID", value_parser = embedder, help_heading = "Semantic checks")]
    pub(crate) embedder: Option<String>,
    /// Timeout of one request for embeddings [default: 30 s]
    #[arg(long, value_name = "DURATION", value_parser = some_time, help_heading = "Semantic checks")]
    pub(crate) semantic_timeout: Option<Duration>,
    /// Also write the results as `results.csv`
    #[arg(long, help_heading = "Scenarios")]
    pub(crate) stable_name: bool,
}

impl ScenarioRunFlags {
    /// What is wrong with flags that no selected case has a use for, and what to do. All selected cases count, whichever of them
    /// a shard leaves.
    pub(crate) fn useless(&self, suites: &Suites, reports: &ReportFlags) -> Option<(String, String)> {
        // What is wrong with the suites is told already. Scenarios have a use for all flags, even where one has no tools.
        if suites.loaded().is_empty() || scenarios(suites) > 0 {
            return None;
        }
        if self.stable_name {
            return Some((
                "`--stable-name` is for suites of the scenario format, and there is none".to_owned(),
                "leave it out; other reports have the names that `--report NAME=PATH` gives them".to_owned(),
            ));
        }
        let folder = reports.no_folder().err().map(|misfit| (misfit.message, misfit.help));
        folder.or_else(|| self.unmet(suites))
    }

    /// What is wrong with one name for the results of several suites.
    pub(crate) fn shared_name(&self, suites: &Suites) -> Option<(String, String)> {
        let to_run = scenarios(suites);
        (self.stable_name && to_run > 1).then(|| {
            (
                format!("`--stable-name` is for one suite, and {to_run} are to be run"),
                "run them one by one with `--agent`, each into a folder of its own".to_owned(),
            )
        })
    }

    /// What is wrong with a flag about tools or meanings that no selected case has a use for.
    fn unmet(&self, suites: &Suites) -> Option<(String, String)> {
        let any = |wanted: &dyn Fn(&Case) -> bool| {
            suites.loaded().iter().flat_map(LoadedSuite::selected_cases).any(|case| wanted(case))
        };
        // A case that can not be read may be one that has a use for it.
        let routed = |case: &Case| case.broken.is_some() || matches!(case.world.tools, ToolSource::Routes(_));
        let compared = |case: &Case| {
            let mut checks = case.checks.iter().chain(case.turns.iter().flat_map(|turn| turn.checks.iter()));
            case.broken.is_some() || checks.any(|check| check.kind.value == "semantic")
        };
        let tools = (
            "calls tools over HTTP that are played for it",
            "a case has them under `world: { tools: { routes: {..} } }`",
        );
        let meanings = ("compares meanings", "the check for it is `semantic`");
        let (flag, (what, help)) = match () {
            () if self.stub_port.is_some() && !any(&routed) => ("--stub-port", tools),
            () if self.stub_bind.is_some() && !any(&routed) => ("--stub-bind", tools),
            () if self.embedder.is_some() && !any(&compared) => ("--embedder", meanings),
            () if self.semantic_timeout.is_some() && !any(&compared) => ("--semantic-timeout", meanings),
            () => return None,
        };
        Some((format!("no selected case has a use for `{flag}`: none {what}"), format!("leave it out; {help}")))
    }
}

/// How many suites of scenarios have something selected.
fn scenarios(suites: &Suites) -> usize {
    let selected = |loaded: &&LoadedSuite| loaded.suite.dialect == Dialect::Scenario && !loaded.selected.is_empty();
    suites.loaded().iter().filter(selected).count()
}

fn address(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let good =
        rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/') && !rest.contains(char::is_whitespace));
    if good { Ok(text.to_owned()) } else { Err("it is an address, such as `http://127.0.0.1:8081/`".into()) }
}

fn miss(word: &str) -> Result<Missed, String> {
    let known = Missed::NAMES.iter().find(|(name, _)| *name == word).map(|(_, miss)| *miss);
    known.ok_or_else(|| "it is one of fail, warn".into())
}

fn some_time(text: &str) -> Result<Duration, String> {
    let time = parse_duration(text)?;
    if time.is_zero() { Err("nothing is answered in no time".into()) } else { Ok(time) }
}

fn embedder(id: &str) -> Result<String, String> {
    let known = agentci::embed::choose(Some(id), None).map(|_| id.to_owned());
    known.map_err(|error| error.to_string().replace("\nhelp: ", "; "))
}

impl ScenarioFlags {
    /// What they say to whoever reads the suites.
    pub(crate) fn options(&self) -> ScenarioOptions {
        ScenarioOptions { tests: self.tests.clone(), agent_url: self.agent_url.clone(), miss: self.stub_miss }
    }
}
