//! The HTTP server of a scripted model.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use agentci_plan::ModelScript;
use agentci_trace::EventKind;
use agentci_wire::FetchedSecrets;
use hyper::body::Incoming;
use hyper::{Request, Response};
use tokio::sync::mpsc::UnboundedSender;

use super::rule_engine::{RequestPolicy, RuleEngine};
use super::{control::Control, exchange::respond, in_process::ScriptIndex, index::IndexError, observer::WireObserver};
use agentci_wire::serve::{BrokenOffError, ClientLimits, Handler, ServedBody, Serving};

/// No timeout for the head of a request: the timer would cost as much as reading it. An idle connection is only a
/// waiting task, which ends with the server.
const LIMITS: ClientLimits = ClientLimits { connections: 10_000, head: None };

#[derive(Debug, Clone)]
pub struct ModelServerOptions {
    /// The address to listen on. Default: loopback.
    pub bind: IpAddr,
    /// The port. Default: 0, any free port.
    pub port: u16,
    /// The seed for random choices. Default: the script's seed.
    pub seed: Option<u64>,
    /// Receives the events that are observed on the wire.
    pub observer: Option<UnboundedSender<EventKind>>,
    /// Whether to report token usage; `false` if the agent reports its usage itself. Default: `true`.
    pub observe_tools: bool,
    /// The token for the journal and its reset; the script's API key is accepted, too. Without either, they are not
    /// available.
    pub control_token: Option<String>,
    /// Whether to refuse what the provider would refuse. Default: the script's setting.
    pub strict: Option<bool>,
    /// The keys that are not secret. A request with another key causes a warning; if this is empty, all keys are
    /// accepted.
    pub keys: Vec<String>,
    /// Receives other keys, to redact them.
    pub secrets: Option<FetchedSecrets>,
}

impl Default for ModelServerOptions {
    fn default() -> Self {
        Self {
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            seed: None,
            observer: None,
            observe_tools: true,
            control_token: None,
            strict: None,
            keys: Vec::new(),
            secrets: None,
        }
    }
}

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ModelServerError {
    /// The server cannot listen on the address.
    #[error("the address {0} cannot be used: {1}")]
    Address(SocketAddr, std::io::Error),
    /// The script's patterns cannot be used together.
    #[error(transparent)]
    Patterns(#[from] IndexError),
}

/// A scripted model, served over HTTP until this is dropped.
#[derive(Debug)]
pub struct ModelServer {
    engine: Arc<RuleEngine>,
    serving: Serving,
}

impl ModelServer {
    /// Starts a server. Needs a Tokio runtime with I/O enabled.
    pub async fn start(script: Arc<ModelScript>, options: ModelServerOptions) -> Result<Self, ModelServerError> {
        let observer = options.observer.map(|sender| WireObserver::new(sender, options.observe_tools));
        let mut engine = RuleEngine::new(ScriptIndex::new(script)?, options.seed, observer);
        engine.policy = RequestPolicy { strict: options.strict, keys: options.keys, secrets: options.secrets };
        let engine = Arc::new(engine);
        let wanted = SocketAddr::new(options.bind, options.port);
        let control = Control { bind: options.bind, token: options.control_token };
        let handler = ModelHandler { engine: Arc::clone(&engine), control };
        let serving = Serving::start(wanted, LIMITS, Arc::new(handler)).await;
        let serving = serving.map_err(|error| ModelServerError::Address(wanted, error))?;
        Ok(Self { engine, serving })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.serving.address()
    }

    /// The base URL for an Anthropic SDK: `http://127.0.0.1:41234`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// The base URL for an OpenAI SDK: the same with `/v1`.
    pub fn openai_url(&self) -> String {
        format!("{}/v1", self.url())
    }

    /// The base URL for the SDK of each provider, with its name in the output of `agentci serve llm`.
    pub fn addresses(&self) -> [(&'static str, String); 6] {
        [
            ("url", self.url()),
            ("openai_base_url", self.openai_url()),
            ("anthropic_base_url", self.url()),
            ("azure_endpoint", self.url()),
            ("gemini_base_url", self.url()),
            ("ollama_host", self.url()),
        ]
    }

    /// Reports answers that are still being sent to the observer, as far as they were sent.
    pub fn flush(&self) {
        self.engine.tell_pending();
    }

    /// The first `most` distinct paths that were requested.
    pub fn paths(&self, most: usize) -> Vec<String> {
        self.engine.state().journal.paths(most)
    }

    /// The requests so far, as `GET /__agentci/journal` returns them.
    pub fn journal(&self) -> serde_json::Value {
        self.engine.state().journal.value()
    }
}

/// Handles incoming requests.
struct ModelHandler {
    engine: Arc<RuleEngine>,
    control: Control,
}

impl Handler for ModelHandler {
    type Body = ServedBody;

    async fn respond(&self, request: Request<Incoming>) -> Result<Response<ServedBody>, BrokenOffError> {
        Ok(respond(&self.engine, &self.control, request).await)
    }
}
