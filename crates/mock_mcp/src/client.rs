//! The client of a server, and the channel to it while one of its requests is answered.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use agentci_plan::mcp_script::{LogLevel, QuestionKind};
use agentci_protocols::jsonrpc::{INTERNAL_ERROR, RpcError};
use agentci_wire::lock;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use crate::faults::SpoiltMessage;

/// The timeout for a client's answer to a question.
const PATIENCE: Duration = Duration::from_mins(10);

/// A client: its capabilities, and its open questions.
#[derive(Debug)]
pub(crate) struct ServedClient {
    /// The protocol revision.
    pub(crate) version: String,
    pub(crate) capabilities: Value,
    state: Mutex<ClientState>,
}

#[derive(Debug, Default)]
struct ClientState {
    /// The minimum level of log messages to send; none are sent without it.
    logged: Option<LogLevel>,
    asked: u64,
    waiting: BTreeMap<String, oneshot::Sender<Result<Value, RpcError>>>,
}

impl ServedClient {
    /// A client of this revision that gets log messages from the level `logged`.
    pub(crate) fn new(version: &str, capabilities: Value, logged: Option<LogLevel>) -> Self {
        let state = Mutex::new(ClientState { logged, ..ClientState::default() });
        Self { version: version.to_owned(), capabilities, state }
    }

    /// Whether it has the capability for this kind of question.
    pub(crate) fn can(&self, kind: QuestionKind) -> bool {
        self.capabilities.get(kind.capability()).is_some_and(Value::is_object)
    }

    /// Sets the minimum level of log messages.
    pub(crate) fn set_level(&self, level: LogLevel) {
        lock(&self.state).logged = Some(level);
    }

    pub(crate) fn logs(&self, level: LogLevel) -> bool {
        lock(&self.state).logged.is_some_and(|least| level >= least)
    }

    /// Passes an answer to its question. An unknown id is ignored.
    pub(crate) fn answered(&self, id: &Value, outcome: Result<Value, RpcError>) {
        let waiting = id.as_str().and_then(|id| lock(&self.state).waiting.remove(id));
        if let Some(waiting) = waiting {
            // The request that asked may be gone.
            let _ = waiting.send(outcome);
        }
    }

    fn question(&self) -> (String, oneshot::Receiver<Result<Value, RpcError>>) {
        let (to, answer) = oneshot::channel();
        let mut state = lock(&self.state);
        state.asked += 1;
        let id = format!("ask-{}", state.asked);
        state.waiting.insert(id.clone(), to);
        (id, answer)
    }
}

/// Something to send to a client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outgoing {
    Message(Value),
    /// An answer with a fault.
    Spoilt {
        /// The complete text.
        text: String,
        spoilt: SpoiltMessage,
    },
    /// Closes the stream; the call continues.
    Close,
}

/// The channel to a client while one of its requests is answered.
#[derive(Debug, Clone)]
pub(crate) struct ClientLine(pub(crate) UnboundedSender<Outgoing>);

impl ClientLine {
    /// Sends something; ignored if the client has disconnected.
    pub(crate) fn send(&self, outgoing: Outgoing) {
        let _ = self.0.send(outgoing);
    }

    pub(crate) fn notify(&self, method: &str, params: &Value) {
        self.send(Outgoing::Message(json!({ "jsonrpc": "2.0", "method": method, "params": params })));
    }

    /// Asks the client a question, and waits for its answer.
    pub(crate) async fn ask(
        &self,
        client: &ServedClient,
        kind: QuestionKind,
        params: &Value,
    ) -> Result<Value, RpcError> {
        let (id, answer) = client.question();
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": kind.method(), "params": params });
        self.send(Outgoing::Message(message));
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(RpcError::new(INTERNAL_ERROR, "the client disconnected before it answered")),
            Err(_) => Err(RpcError::new(
                INTERNAL_ERROR,
                format!("the client did not answer `{}` within {} s", kind.method(), PATIENCE.as_secs()),
            )),
        }
    }
}
