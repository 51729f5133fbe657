//! The scripted model of an attempt: its server, and what the agent is told of it.

use agentci_plan::{Mode, ModelWorld, Speech, Target, ToolSource, World};
use agentci_stubs::{ModelServer, ServerOptions};
use agentci_trace::{Kind, Trace};
use agentci_verdict::{Cause, Finding};
use tokio::sync::mpsc::UnboundedSender;

use crate::findings;
use crate::job::Job;

/// The key an agent is given when neither the script nor its environment has one; SDKs insist on some key.
const PLACEHOLDER_KEY: &str = "agentci-placeholder";

/// How many refusals are told of a case; they are all in the run's events.
const TOLD: usize = 3;

/// Where the model is.
const LOOPBACK: &str = "127.0.0.1";

/// The scripted model of an attempt; it ends with it.
pub(crate) struct Model {
    /// What leads an SDK to it.
    pub(crate) environment: Vec<(String, String)>,
    /// It is there until this is dropped.
    _server: ModelServer,
}

/// Starts the model, if the case has one; `observer` is told what is seen on its wire.
pub(crate) async fn start(
    job: &Job<'_>,
    seed: u64,
    observer: Option<UnboundedSender<Kind>>,
) -> Result<Option<Model>, Box<Finding>> {
    let Some(world) = &job.case.world.model else { return Ok(None) };
    let options = ServerOptions {
        // The script's own seed makes every attempt alike, as whoever wrote it wants.
        seed: Some(world.script.seed.unwrap_or(seed)),
        observer,
        observe_tools: !tells_of_calls(&job.case.target, &job.case.world),
        ..ServerOptions::default()
    };
    let server = Box::pin(ModelServer::start(world.script.clone(), options)).await.map_err(|error| {
        let message = format!("the scripted model could not be started: {error}");
        Box::new(findings::plain(Cause::Config, message, Some(job.place(world.span))))
    })?;
    let environment = environment(&server, world, job.options.environment);
    Ok(Some(Model { environment, _server: server }))
}

/// The requests that the scripted model refused, in words, each told once. An agent seldom says more of one than its status.
pub(crate) fn refusals(trace: &Trace) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for event in trace.events() {
        let Kind::ModelCall { response, .. } = &event.kind else { continue };
        let Some(message) = response["error"]["message"].as_str() else { continue };
        let note = format!("the scripted model refused a request: {message}");
        if told.len() < TOLD && !told.contains(&note) {
            told.push(note);
        }
    }
    told
}

/// Whether someone else tells of the agent's calls, and the wire must not tell of them again: the server that plays its tools,
/// or the protocol, where its tools are answered by us.
fn tells_of_calls(target: &Target, world: &World) -> bool {
    match target {
        Target::Process(process) if process.speaks == Speech::Text => return false,
        Target::Http(_) => return matches!(world.tools, ToolSource::Routes(_)),
        _ => {}
    }
    world.tools != ToolSource::None
        || world.allowed.is_some()
        || !world.live.tools.is_empty()
        || world.live.module.is_some()
}

/// Whether a model that is asked by us has its tools answered: by a recording, by what is written down, or by the tools.
pub(crate) fn answers_tools(job: &Job<'_>) -> bool {
    let world = &job.case.world;
    let executed = !world.live.tools.is_empty() || world.live.module.is_some() || !job.options.tools.is_empty();
    matches!(world.tools, ToolSource::Cassette(_))
        || !world.scripted.is_empty()
        || (executed && job.options.mode != Mode::Replay)
}

fn environment(
    server: &ModelServer,
    world: &ModelWorld,
    outside: &dyn Fn(&str) -> Option<String>,
) -> Vec<(String, String)> {
    let mut variables = vec![
        ("OPENAI_BASE_URL".to_owned(), server.openai_url()),
        ("OPENAI_API_BASE".to_owned(), server.openai_url()),
        ("ANTHROPIC_BASE_URL".to_owned(), server.url()),
    ];
    for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"] {
        let key = world.script.api_key.clone();
        let key = key.or_else(|| outside(name).is_none_or(|key| key.is_empty()).then(|| PLACEHOLDER_KEY.to_owned()));
        variables.extend(key.map(|key| (name.to_owned(), key)));
    }
    variables
}

/// Keeps an agent from looking for servers of this machine through a proxy that leads out of it.
pub(crate) fn no_proxy(outside: &dyn Fn(&str) -> Option<String>) -> impl Iterator<Item = (String, String)> {
    ["NO_PROXY", "no_proxy"].into_iter().map(move |name| {
        let known = outside(name).filter(|hosts| !hosts.is_empty());
        let hosts = known.map_or(LOOPBACK.to_owned(), |hosts| format!("{hosts},{LOOPBACK}"));
        (name.to_owned(), hosts)
    })
}
