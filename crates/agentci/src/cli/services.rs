//! Flags about what a run has beside the agents: the stub tool server and the embedder.

use std::net::IpAddr;
use std::time::Duration;

use agentci::plan::{Case, ToolSource};
use agentci::source::parse_duration;
use agentci::{LoadedSuite, Settings, Suites};
use clap::Args;

use super::CliError;

/// Flags about the stub tool server and the embedder.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ServiceFlags {
    /// Port of the stub tool server [default: the suite's, else any free port]
    #[arg(long, value_name = "PORT", help_heading = "Stub tool server")]
    stub_port: Option<u16>,
    /// Address the stub tool server listens on [default: `127.0.0.1`]
    #[arg(long, value_name = "ADDR", help_heading = "Stub tool server")]
    stub_bind: Option<IpAddr>,
    /// Embedder: `builtin` or `openai:MODEL` [default: the suite's, else `openai` if an API key is set, else `builtin`]
    #[arg(long, value_name = "ID", value_parser = embedder, help_heading = "Semantic checks")]
    embedder: Option<String>,
    /// Timeout per embedding request [default: 30s]
    #[arg(long, value_name = "DURATION", value_parser = some_time, help_heading = "Semantic checks")]
    semantic_timeout: Option<Duration>,
}

impl ServiceFlags {
    /// Puts them into the settings of a run.
    pub(super) fn apply(&self, settings: &mut Settings) {
        settings.stub_port = self.stub_port.unwrap_or(settings.stub_port);
        settings.stub_bind = self.stub_bind.unwrap_or(settings.stub_bind);
        settings.embedder.clone_from(&self.embedder);
        settings.semantic_timeout = self.semantic_timeout;
    }

    /// What is wrong with a flag that no selected case has a use for.
    pub(super) fn are_useful(&self, suites: &Suites) -> Result<(), CliError> {
        let any = |wanted: fn(&Case) -> bool| {
            // A case that cannot be read may be one that has a use for it.
            let mut cases = suites.loaded().iter().flat_map(LoadedSuite::selected_cases);
            cases.any(|case| case.broken.is_some() || wanted(case))
        };
        let tools = (
            "calls tools over HTTP that are played for it",
            "a case has them under `world: { tools: { routes: {..} } }`",
        );
        let meanings = ("compares meanings", "the check for it is `semantic`");
        let (flag, (what, help)) = match () {
            () if self.stub_port.is_some() && !any(is_routed) => ("--stub-port", tools),
            () if self.stub_bind.is_some() && !any(is_routed) => ("--stub-bind", tools),
            () if self.embedder.is_some() && !any(is_compared) => ("--embedder", meanings),
            () if self.semantic_timeout.is_some() && !any(is_compared) => ("--semantic-timeout", meanings),
            () => return Ok(()),
        };
        let message = format!("no selected case has a use for `{flag}`: none {what}");
        Err(CliError::new(message, format!("leave it out; {help}")))
    }
}

fn is_routed(case: &Case) -> bool {
    matches!(case.world.tools, ToolSource::Routes(_))
}

fn is_compared(case: &Case) -> bool {
    let mut checks = case.checks.iter().chain(case.turns.iter().flat_map(|turn| turn.checks.iter()));
    checks.any(|check| check.kind.value == "semantic")
}

fn some_time(text: &str) -> Result<Duration, String> {
    let time = parse_duration(text)?;
    if time.is_zero() { Err("nothing is answered in no time".into()) } else { Ok(time) }
}

fn embedder(id: &str) -> Result<String, String> {
    let known = agentci::embed::choose(Some(id), None).map(|_| id.to_owned());
    known.map_err(|error| error.to_string().replace("\nhelp: ", "; "))
}
