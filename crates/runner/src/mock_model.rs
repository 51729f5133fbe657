//! The scripted model of an attempt: its server, and the environment for the agent.

use agentci_mock_llm::{ModelServer, ModelServerOptions};
use agentci_plan::{Mode, ModelWorld, Speech, Target, ToolSource, World};
use agentci_trace::{EventKind, Trace};
use tokio::sync::mpsc::UnboundedSender;

use crate::{findings::each_once, job::CaseJob, recorded_world::handed_environment, setup_error::SetupError};

/// The API key for the agent, so that no real key is sent to a script.
const PLACEHOLDER_KEY: &str = "agentci-placeholder";

/// The variables where SDKs look for API keys of the providers that the model replaces.
const KEYS: [&str; 2] = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"];

/// Google's SDK looks for these in this order and warns if both are set: the last one is set if neither is.
const GEMINI_KEYS: [&str; 2] = ["GOOGLE_API_KEY", "GEMINI_API_KEY"];

/// Further variables for keys, overridden only if they are set. Anthropic's SDK sends both of its keys if both are set,
/// and OpenAI's fails if it finds an Azure key next to its own and is not told which one to use.
const OTHER_KEYS: [&str; 6] = [
    "ANTHROPIC_AUTH_TOKEN",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_AD_TOKEN",
    "AZURE_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    OLLAMA_KEY,
];

/// Ollama needs a key only if the script requires one.
const OLLAMA_KEY: &str = "OLLAMA_API_KEY";

/// Variables for addresses, overridden only if they are set, because agents choose their provider by them; some end in
/// a version.
const OTHER_ADDRESSES: [&str; 4] = ["AZURE_OPENAI_ENDPOINT", "AZURE_API_BASE", "OLLAMA_BASE_URL", "OLLAMA_API_BASE"];

/// Turns off the telemetry of frameworks, as each framework documents. `OTEL_SDK_DISABLED` is not included, since spans
/// may be what is tested.
const TELEMETRY: [(&str, &str); 14] = [
    ("OPENAI_AGENTS_DISABLE_TRACING", "1"),
    ("LANGSMITH_TRACING", "false"),
    ("LANGCHAIN_TRACING_V2", "false"),
    ("CREWAI_DISABLE_TELEMETRY", "true"),
    ("CREWAI_DISABLE_TRACKING", "true"),
    ("TRACELOOP_TELEMETRY", "false"),
    ("ANONYMIZED_TELEMETRY", "False"),
    ("AGNO_TELEMETRY", "false"),
    ("MEM0_TELEMETRY", "False"),
    ("HAYSTACK_TELEMETRY_ENABLED", "False"),
    ("HF_HUB_DISABLE_TELEMETRY", "1"),
    ("NEXT_TELEMETRY_DISABLED", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DO_NOT_TRACK", "1"),
];

/// The maximum number of refusals that are reported per case; all are in the run's events.
const TOLD: usize = 3;

/// The maximum number of requested paths that are listed.
const LISTED: usize = 5;

/// An address where nothing answers.
const NOWHERE: &str = "http://127.0.0.1:9";

/// The host of the model.
const LOOPBACK: &str = "127.0.0.1";

/// The scripted model of an attempt.
pub(crate) struct AttemptModel {
    /// Its addresses, for variables in the suite: `${MODEL.openai_base_url}` and the like.
    pub(crate) addresses: Vec<(&'static str, String)>,
    /// The environment that points SDKs at it.
    pub(crate) environment: Vec<(String, String)>,
    /// Stops when this is dropped.
    pub(crate) server: ModelServer,
}

impl AttemptModel {
    /// The environment for an agent that also serves other cases. It must get neither the address of this case nor
    /// reach the real provider.
    pub(crate) fn environment_without_address(&self) -> impl Iterator<Item = (String, String)> {
        let url = self.server.url();
        self.environment.iter().map(move |(name, value)| (name.clone(), value.replace(&url, NOWHERE)))
    }

    /// The paths that were requested so far.
    pub(crate) fn reached(&self) -> Vec<String> {
        self.server.paths(LISTED)
    }
}

/// Starts the model, if the case has one; `observer` receives what is seen on its wire.
pub(crate) async fn start(
    job: &CaseJob<'_>,
    seed: u64,
    observer: Option<UnboundedSender<EventKind>>,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<AttemptModel>, SetupError> {
    let Some(world) = &job.case.world.model else { return Ok(None) };
    let options = ModelServerOptions {
        // A seed in the script makes every attempt the same, as its author intended.
        seed: Some(world.script.seed.unwrap_or(seed)),
        observer,
        observe_tools: !tells_of_calls(&job.case.target, &job.case.world),
        strict: Some(world.is_strict()),
        keys: known_keys(&job.case.target, world, lookup),
        secrets: Some(job.secrets.fetched.clone()),
        ..ModelServerOptions::default()
    };
    let server = Box::pin(ModelServer::start(world.script.clone(), options))
        .await
        .map_err(|error| job.invalid(world.span, format!("the scripted model could not be started: {error}")))?;
    let environment = environment(&server, world, job.run.options.environment);
    let key = ("api_key", key(world).to_owned());
    Ok(Some(AttemptModel { addresses: server.addresses().into_iter().chain([key]).collect(), environment, server }))
}

/// Messages for requests that the scripted model refused and that are not findings themselves, without duplicates. An
/// agent rarely reports more than the status of such a response.
pub(crate) fn refusals(trace: &Trace) -> Vec<String> {
    let complained = |message: &str| {
        let says =
            |kind: &EventKind| matches!(kind, EventKind::ModelTrouble(trouble) if trouble.message.contains(message));
        trace.events().iter().any(|event| says(&event.kind))
    };
    let refused = trace.events().iter().filter_map(|event| {
        let EventKind::ModelCall { response, .. } = &event.kind else { return None };
        // Ollama's errors are strings.
        let error = &response["error"];
        error["message"].as_str().or(error.as_str()).map(str::to_owned)
    });
    let told = each_once(refused).filter(|message| !complained(message)).take(TOLD);
    told.map(|message| format!("the scripted model refused a request: {message}")).collect()
}

/// The keys that are not secret: the placeholder, the script's own, and those that the target passes to the agent.
fn known_keys(target: &Target, world: &ModelWorld, lookup: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let handed = handed_environment(target).iter().filter_map(|(_, text)| text.fill(lookup).ok());
    world.script.api_key.clone().into_iter().chain([PLACEHOLDER_KEY.to_owned()]).chain(handed).collect()
}

/// Whether another component reports the agent's calls, so that the model wire must not report them again: the stub
/// tool server, or the protocol if agentci answers its tools.
pub(crate) fn tells_of_calls(target: &Target, world: &World) -> bool {
    match target {
        Target::Process(process) if process.speaks == Speech::Text => return false,
        Target::Http(_) => return matches!(world.tools, ToolSource::Routes(_)),
        Target::Process(_) | Target::Mock(_) | Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Chat(_) => {}
    }
    world.tools != ToolSource::None
        || world.allowed.is_some()
        || !world.live.tools.is_empty()
        || world.live.module.is_some()
}

/// Whether the tools of a model that agentci calls are answered: by a recording, a script, or live tools.
pub(crate) fn answers_tools(job: &CaseJob<'_>) -> bool {
    let world = &job.case.world;
    let executed =
        !world.live.tools.is_empty() || world.live.module.is_some() || !job.run.options.settings.tools.is_empty();
    matches!(world.tools, ToolSource::Cassette(_))
        || !world.scripted.is_empty()
        || (executed && job.run.options.mode != Mode::Replay)
}

/// The API key for the agent.
fn key(world: &ModelWorld) -> &str {
    world.script.api_key.as_deref().unwrap_or(PLACEHOLDER_KEY)
}

fn environment(
    server: &ModelServer,
    world: &ModelWorld,
    outside: &dyn Fn(&str) -> Option<String>,
) -> Vec<(String, String)> {
    let set = |name: &str| outside(name).filter(|value| !value.is_empty());
    let mut variables = vec![
        ("OPENAI_BASE_URL".to_owned(), server.openai_url()),
        ("OPENAI_API_BASE".to_owned(), server.openai_url()),
        ("ANTHROPIC_BASE_URL".to_owned(), server.url()),
        ("GOOGLE_GEMINI_BASE_URL".to_owned(), server.url()),
        ("OLLAMA_HOST".to_owned(), server.url()),
    ];
    for name in OTHER_ADDRESSES {
        let Some(real) = set(name) else { continue };
        let is_versioned = real.trim_end_matches('/').ends_with("/v1");
        variables.push((name.to_owned(), if is_versioned { server.openai_url() } else { server.url() }));
    }
    let key = key(world);
    let gemini = GEMINI_KEYS.into_iter().filter(|name| set(name).is_some());
    let gemini_default = GEMINI_KEYS.last().copied().filter(|_| GEMINI_KEYS.iter().all(|name| set(name).is_none()));
    let is_demanded = |name: &str| name == OLLAMA_KEY && world.script.api_key.is_some();
    let others = OTHER_KEYS.into_iter().filter(|name| set(name).is_some() || is_demanded(name));
    let names = KEYS.into_iter().chain(gemini).chain(gemini_default).chain(others);
    variables.extend(names.map(|name| (name.to_owned(), key.to_owned())));
    variables.extend(TELEMETRY.map(|(name, value)| (name.to_owned(), value.to_owned())));
    variables
}

/// Keeps an agent from reaching local servers through an external proxy.
pub(crate) fn no_proxy(outside: &dyn Fn(&str) -> Option<String>) -> impl Iterator<Item = (String, String)> {
    ["NO_PROXY", "no_proxy"].into_iter().map(move |name| {
        let known = outside(name).filter(|hosts| !hosts.is_empty());
        let hosts = known.map_or(LOOPBACK.to_owned(), |hosts| format!("{hosts},{LOOPBACK}"));
        (name.to_owned(), hosts)
    })
}
