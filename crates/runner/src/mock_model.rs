//! The scripted model of an attempt: its server, and what the agent is told of it.

use agentci_mock_llm::{ModelServer, ModelServerOptions};
use agentci_plan::{Mode, ModelWorld, Speech, Target, ToolSource, World};
use agentci_trace::{EventKind, Trace};
use tokio::sync::mpsc::UnboundedSender;

use crate::{findings::each_once, job::CaseJob, open_error::NotOpened, recorded_world::handed_environment};

/// The key that an agent is given, so that no real one is sent to a script.
const PLACEHOLDER_KEY: &str = "agentci-placeholder";

/// Where the SDKs look for keys of the providers that the model stands in for.
const KEYS: [&str; 2] = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"];

/// Google's SDK looks for these in this order, and warns when it finds both: the last is set where none of them is.
const GEMINI_KEYS: [&str; 2] = ["GOOGLE_API_KEY", "GEMINI_API_KEY"];

/// Where some of them look, too; set only where it is set already. Anthropic's SDK sends both of its keys when it finds both, and
/// OpenAI's refuses to work when it finds one of Azure beside its own and is not told which to use.
const OTHER_KEYS: [&str; 6] = [
    "ANTHROPIC_AUTH_TOKEN",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_AD_TOKEN",
    "AZURE_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    OLLAMA_KEY,
];

/// Ollama needs a key only where a script demands one.
const OLLAMA_KEY: &str = "OLLAMA_API_KEY";

/// Addresses that are set only where they are set already, since agents choose their provider by them; some end in a version.
const OTHER_ADDRESSES: [&str; 4] = ["AZURE_OPENAI_ENDPOINT", "AZURE_API_BASE", "OLLAMA_BASE_URL", "OLLAMA_API_BASE"];

/// What keeps frameworks from calling home: each is documented by the framework. `OTEL_SDK_DISABLED` is not among them, since spans
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

/// How many refusals are told of a case; they are all in the run's events.
const TOLD: usize = 3;

/// How many paths that the agent asked for are listed.
const LISTED: usize = 5;

/// Where nobody answers.
const NOWHERE: &str = "http://127.0.0.1:9";

/// Where the model is.
const LOOPBACK: &str = "127.0.0.1";

/// The scripted model of an attempt; it ends with it.
pub(crate) struct AttemptModel {
    /// Where it is, for texts of the suite: `${MODEL.openai_base_url}` and the like.
    pub(crate) addresses: Vec<(&'static str, String)>,
    /// What leads an SDK to it.
    pub(crate) environment: Vec<(String, String)>,
    /// It is there until this is dropped.
    pub(crate) server: ModelServer,
}

impl AttemptModel {
    /// The same for an agent that serves other cases as well. It must not find the address of this case, nor go to the provider.
    pub(crate) fn environment_without_address(&self) -> impl Iterator<Item = (String, String)> {
        let url = self.server.url();
        self.environment.iter().map(move |(name, value)| (name.clone(), value.replace(&url, NOWHERE)))
    }

    /// What was asked for so far.
    pub(crate) fn reached(&self) -> Vec<String> {
        self.server.paths(LISTED)
    }
}

/// Starts the model, if the case has one; `observer` is told what is seen on its wire.
pub(crate) async fn start(
    job: &CaseJob<'_>,
    seed: u64,
    observer: Option<UnboundedSender<EventKind>>,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<AttemptModel>, NotOpened> {
    let Some(world) = &job.case.world.model else { return Ok(None) };
    let options = ModelServerOptions {
        // The script's own seed makes every attempt alike, as whoever wrote it wants.
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

/// The requests that the scripted model refused and that are no findings by themselves, in words, each told once. An agent seldom
/// says more of one than its status.
pub(crate) fn refusals(trace: &Trace) -> Vec<String> {
    let complained = |message: &str| {
        let says =
            |kind: &EventKind| matches!(kind, EventKind::ModelTrouble(trouble) if trouble.message.contains(message));
        trace.events().iter().any(|event| says(&event.kind))
    };
    let refused = trace.events().iter().filter_map(|event| {
        let EventKind::ModelCall { response, .. } = &event.kind else { return None };
        // Ollama's errors are texts.
        let error = &response["error"];
        error["message"].as_str().or(error.as_str()).map(str::to_owned)
    });
    let told = each_once(refused).filter(|message| !complained(message)).take(TOLD);
    told.map(|message| format!("the scripted model refused a request: {message}")).collect()
}

/// The keys that are no secret: the placeholder, the script's own, and what the target hands over by itself.
fn known_keys(target: &Target, world: &ModelWorld, lookup: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let handed = handed_environment(target).iter().filter_map(|(_, text)| text.fill(lookup).ok());
    world.script.api_key.clone().into_iter().chain([PLACEHOLDER_KEY.to_owned()]).chain(handed).collect()
}

/// Whether someone else tells of the agent's calls, and the wire must not tell of them again: the server that plays its tools,
/// or the protocol, where its tools are answered by us.
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

/// Whether a model that is asked by us has its tools answered: by a recording, by what is written down, or by the tools.
pub(crate) fn answers_tools(job: &CaseJob<'_>) -> bool {
    let world = &job.case.world;
    let executed =
        !world.live.tools.is_empty() || world.live.module.is_some() || !job.run.options.settings.tools.is_empty();
    matches!(world.tools, ToolSource::Cassette(_))
        || !world.scripted.is_empty()
        || (executed && job.run.options.mode != Mode::Replay)
}

/// The key that an agent is given.
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

/// Keeps an agent from looking for servers of this machine through a proxy that leads out of it.
pub(crate) fn no_proxy(outside: &dyn Fn(&str) -> Option<String>) -> impl Iterator<Item = (String, String)> {
    ["NO_PROXY", "no_proxy"].into_iter().map(move |name| {
        let known = outside(name).filter(|hosts| !hosts.is_empty());
        let hosts = known.map_or(LOOPBACK.to_owned(), |hosts| format!("{hosts},{LOOPBACK}"));
        (name.to_owned(), hosts)
    })
}
