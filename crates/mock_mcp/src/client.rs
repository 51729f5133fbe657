//! The client of a server, and the way back to it while one of its requests is answered.

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

/// How long a client may take to answer a question.
const PATIENCE: Duration = Duration::from_mins(10);

/// A client: what it can do, and the questions that it has yet to answer.
#[derive(Debug)]
pub(crate) struct ServedClient {
    /// The revision that it speaks.
    pub(crate) version: String,
    /// What it can do.
    pub(crate) capabilities: Value,
    state: Mutex<ClientState>,
}

#[derive(Debug, Default)]
struct ClientState {
    /// What is as bad as this, and worse, is logged; nothing at all without it.
    logged: Option<LogLevel>,
    asked: u64,
    waiting: BTreeMap<String, oneshot::Sender<Result<Value, RpcError>>>,
}

impl ServedClient {
    /// A client of this revision, for which everything from a level on is logged.
    pub(crate) fn new(version: &str, capabilities: Value, logged: Option<LogLevel>) -> Self {
        let state = Mutex::new(ClientState { logged, ..ClientState::default() });
        Self { version: version.to_owned(), capabilities, state }
    }

    /// Whether it can be asked this.
    pub(crate) fn can(&self, kind: QuestionKind) -> bool {
        self.capabilities.get(kind.capability()).is_some_and(Value::is_object)
    }

    /// Logs nothing below this from now on.
    pub(crate) fn set_level(&self, level: LogLevel) {
        lock(&self.state).logged = Some(level);
    }

    pub(crate) fn logs(&self, level: LogLevel) -> bool {
        lock(&self.state).logged.is_some_and(|least| level >= least)
    }

    /// Takes an answer to the question that it belongs to; there may be none.
    pub(crate) fn answered(&self, id: &Value, outcome: Result<Value, RpcError>) {
        let waiting = id.as_str().and_then(|id| lock(&self.state).waiting.remove(id));
        if let Some(waiting) = waiting {
            // Whoever asked may have gone.
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

/// Something on the way to a client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ToClient {
    Message(Value),
    /// An answer that is spoilt on purpose.
    Spoilt {
        /// All of it.
        text: String,
        /// How it is spoilt.
        spoilt: SpoiltMessage,
    },
    /// The stream ends here, and the call does not.
    Close,
}

/// The way back to a client while one of its requests is answered.
#[derive(Debug, Clone)]
pub(crate) struct ClientLine(pub(crate) UnboundedSender<ToClient>);

impl ClientLine {
    /// Sends something; a client that has gone does not get it.
    pub(crate) fn send(&self, outgoing: ToClient) {
        let _ = self.0.send(outgoing);
    }

    pub(crate) fn notify(&self, method: &str, params: &Value) {
        self.send(ToClient::Message(json!({ "jsonrpc": "2.0", "method": method, "params": params })));
    }

    /// Asks the client something, and waits for what it says.
    pub(crate) async fn ask(
        &self,
        client: &ServedClient,
        kind: QuestionKind,
        params: &Value,
    ) -> Result<Value, RpcError> {
        let (id, answer) = client.question();
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": kind.method(), "params": params });
        self.send(ToClient::Message(message));
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(RpcError::new(INTERNAL_ERROR, "the client left before it answered")),
            Err(_) => Err(RpcError::new(
                INTERNAL_ERROR,
                format!("the client did not answer `{}` within {} s", kind.method(), PATIENCE.as_secs()),
            )),
        }
    }
}
