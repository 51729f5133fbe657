//! Flags for the services of a run: the stub tool server and the embedder.

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
    /// Applies the flags to the settings of a run.
    pub(super) fn apply(&self, settings: &mut Settings) {
        settings.stub_port = self.stub_port.unwrap_or(settings.stub_port);
        settings.stub_bind = self.stub_bind.unwrap_or(settings.stub_bind);
        settings.embedder.clone_from(&self.embedder);
        settings.semantic_timeout = self.semantic_timeout;
    }

    /// Refuses a flag that has no effect on any selected case.
    pub(super) fn are_useful(&self, suites: &Suites) -> Result<(), CliError> {
        let any = |wanted: fn(&Case) -> bool| {
            // A broken case may use it.
            let mut cases = suites.loaded().iter().flat_map(LoadedSuite::written_cases);
            cases.any(|case| case.broken.is_some() || wanted(case))
        };
        let tools = ("uses stub tools over HTTP", "a case has them in `world: { tools: { routes: {..} } }`");
        let meanings = ("has a semantic check", "this check is called `semantic`");
        let (flag, (what, help)) = match () {
            () if self.stub_port.is_some() && !any(is_routed) => ("--stub-port", tools),
            () if self.stub_bind.is_some() && !any(is_routed) => ("--stub-bind", tools),
            () if self.embedder.is_some() && !any(is_compared) => ("--embedder", meanings),
            () if self.semantic_timeout.is_some() && !any(is_compared) => ("--semantic-timeout", meanings),
            () => return Ok(()),
        };
        let message = format!("`{flag}` has no effect: no selected case {what}");
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
    if time.is_zero() { Err("must be greater than zero".into()) } else { Ok(time) }
}

fn embedder(id: &str) -> Result<String, String> {
    let known = agentci::embed::choose(Some(id), None).map(|_| id.to_owned());
    known.map_err(|error| error.to_string().replace("\nhelp: ", "; "))
}
