//! The server: a script behind a socket on loopback.

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

/// A timer for the head of each request would cost as much as reading it. A connection that says nothing is a task that waits,
/// and ends with the server.
const LIMITS: ClientLimits = ClientLimits { connections: 10_000, head: None };

/// How a server is started.
#[derive(Debug, Clone)]
pub struct ModelServerOptions {
    /// The address; loopback by default.
    pub bind: IpAddr,
    /// The port; 0, the default, is any that is free.
    pub port: u16,
    /// What every draw depends on; the script's own without it.
    pub seed: Option<u64>,
    /// Who is told what is seen on the wire.
    pub observer: Option<UnboundedSender<EventKind>>,
    /// Whether that is also what the answers use up; an agent may tell of that itself.
    pub observe_tools: bool,
    /// What opens the journal and its reset, beside the key that the script demands. Without either they stay shut.
    pub control_token: Option<String>,
    /// Whether it refuses what its provider would refuse; default: as the script says.
    pub strict: Option<bool>,
    /// The keys that are no secret. A request with another is complained of; without any, all will do.
    pub keys: Vec<String>,
    /// Where such other keys are made known, so that they can be removed from what is shown.
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
    /// The address can not be had.
    #[error("the address {0} can not be used: {1}")]
    Address(SocketAddr, std::io::Error),
    /// The script's patterns can not be used together.
    #[error(transparent)]
    Patterns(#[from] IndexError),
}

/// A model that is a script, served over HTTP until this is dropped.
#[derive(Debug)]
pub struct ModelServer {
    mind: Arc<RuleEngine>,
    serving: Serving,
}

impl ModelServer {
    /// Starts a server; within a runtime that can do input and output.
    pub async fn start(script: Arc<ModelScript>, options: ModelServerOptions) -> Result<Self, ModelServerError> {
        let observer = options.observer.map(|sender| WireObserver::new(sender, options.observe_tools));
        let mut mind = RuleEngine::new(ScriptIndex::new(script)?, options.seed, observer);
        mind.policy = RequestPolicy { strict: options.strict, keys: options.keys, secrets: options.secrets };
        let mind = Arc::new(mind);
        let wanted = SocketAddr::new(options.bind, options.port);
        let control = Control { bind: options.bind, token: options.control_token };
        let door = ModelDoor { mind: Arc::clone(&mind), control };
        let serving = Serving::start(wanted, LIMITS, Arc::new(door)).await;
        let serving = serving.map_err(|error| ModelServerError::Address(wanted, error))?;
        Ok(Self { mind, serving })
    }

    /// The address it got.
    pub fn address(&self) -> SocketAddr {
        self.serving.address()
    }

    /// What an Anthropic SDK is given as its base: `http://127.0.0.1:41234`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// What an OpenAI SDK is given as its base: the same with `/v1`.
    pub fn openai_url(&self) -> String {
        format!("{}/v1", self.url())
    }

    /// What the SDK of each provider is given as its base, with the name that `agentci serve llm` prints it by.
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

    /// Tells the observer of answers that are still being sent, as far as they were sent.
    pub fn flush(&self) {
        self.mind.tell_pending();
    }

    /// The paths that were asked for so far, each once; at most so many.
    pub fn paths(&self, most: usize) -> Vec<String> {
        self.mind.state().journal.paths(most)
    }

    /// The requests so far, as `GET /__agentci/journal` tells them.
    pub fn journal(&self) -> serde_json::Value {
        self.mind.state().journal.value()
    }
}

/// Where requests come in.
struct ModelDoor {
    mind: Arc<RuleEngine>,
    control: Control,
}

impl Handler for ModelDoor {
    type Body = ServedBody;

    async fn respond(&self, request: Request<Incoming>) -> Result<Response<ServedBody>, BrokenOffError> {
        Ok(respond(&self.mind, &self.control, request).await)
    }
}
