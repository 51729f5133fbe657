//! Routes each received message to its call.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::error::McpError;
use super::frame::{Direction, FrameWatch};
use agentci_protocols::jsonrpc::{self, JsonRpcMessage, RpcError};
use agentci_protocols::mcp::{Defect, ElicitationQuestion, McpFault, Notification, quote};
use agentci_wire::lock;

/// Maximum number of notifications to keep for one call, and for no call.
const NOTIFICATIONS: usize = 10_000;
/// Maximum size of the notifications to keep for one call, and for no call, in bytes.
const NOTIFICATION_BYTES: usize = 64 << 20;
/// Maximum number of requests that a server may send in one call.
const QUESTIONS: usize = 1_000;
/// Maximum number of defects to keep; duplicates are dropped.
const DEFECTS: usize = 100;

/// A message or event for a call.
#[derive(Debug)]
pub(super) enum CallEvent {
    /// The answer, and its size in bytes.
    Reply(Result<Value, RpcError>, usize),
    Notification(Notification),
    /// A question for the user, with the id of the request.
    Question(Value, ElicitationQuestion),
    /// A request that was refused.
    Refused(String),
    /// There will be no answer.
    Failed(McpError),
}

/// The channel of a message, which may identify its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageOrigin {
    /// A channel that all calls share.
    Shared,
    /// The stream that answers one call.
    Call(u64),
}

/// The calls in progress.
#[derive(Debug, Default)]
pub(super) struct Router {
    state: Mutex<RouterState>,
    watch: FrameWatch,
}

#[derive(Debug, Default)]
struct RouterState {
    issued: u64,
    calls: BTreeMap<u64, ActiveCall>,
    stray: Vec<Notification>,
    stray_bytes: usize,
    defects: Vec<Defect>,
    broken: Option<McpError>,
}

#[derive(Debug)]
struct ActiveCall {
    to: UnboundedSender<CallEvent>,
    /// The number of answers left for further questions.
    answers: usize,
    notifications: usize,
    bytes: usize,
    questions: usize,
}

impl Router {
    pub(super) fn new(watch: FrameWatch) -> Self {
        Self { state: Mutex::default(), watch }
    }

    /// Starts a call with a number of prepared answers. Returns its id and the receiver of its events.
    pub(super) fn open(&self, answers: usize) -> (u64, UnboundedReceiver<CallEvent>) {
        let (to, arrivals) = unbounded_channel();
        let mut state = self.state();
        state.issued += 1;
        let id = state.issued;
        if let Some(error) = &state.broken {
            let _ = to.send(CallEvent::Failed(error.clone()));
        } else {
            state.calls.insert(id, ActiveCall { to, answers, notifications: 0, bytes: 0, questions: 0 });
        }
        (id, arrivals)
    }

    /// Ends a call; further messages for it are dropped.
    pub(super) fn close(&self, id: u64) {
        self.state().calls.remove(&id);
    }

    /// Whether a call still waits for its answer.
    pub(super) fn is_open(&self, id: u64) -> bool {
        self.state().calls.contains_key(&id)
    }

    /// Shows a received message to the observer without routing it.
    pub(super) fn received(&self, bytes: &[u8]) {
        self.watch.show(Direction::Received, bytes);
    }

    /// Shows a message to the observer before it is sent.
    pub(super) fn sending(&self, bytes: &[u8]) {
        self.watch.show(Direction::Sent, bytes);
    }

    /// Routes received bytes. Returns the messages to send in reply at once.
    pub(super) fn arrive(&self, bytes: &[u8], origin: MessageOrigin) -> Vec<Vec<u8>> {
        self.watch.show(Direction::Received, bytes);
        let messages = match jsonrpc::read(bytes) {
            Ok(messages) => messages,
            Err(error) => {
                self.state().defect(McpFault::Noise, error.to_string(), bytes);
                return Vec::new();
            }
        };
        let mut state = self.state();
        let take = |message| match message {
            JsonRpcMessage::Reply { id, outcome } => {
                state.reply(&id, outcome, bytes, origin);
                None
            }
            JsonRpcMessage::Notification { method, params } => {
                state.notify(Notification { method, params, at: Instant::now() }, bytes.len(), origin);
                None
            }
            JsonRpcMessage::Request { id, method, params } => state.request(id, method, &params, bytes, origin),
        };
        messages.into_iter().filter_map(take).collect()
    }

    /// Ends one call with an error.
    pub(super) fn fail(&self, id: u64, error: McpError) {
        self.state().end(id, error);
    }

    /// Ends all calls with an error, including future ones.
    pub(super) fn fail_all(&self, error: &McpError) {
        let mut state = self.state();
        for waiting in std::mem::take(&mut state.calls).into_values() {
            let _ = waiting.to.send(CallEvent::Failed(error.clone()));
        }
        state.broken.get_or_insert_with(|| error.clone());
    }

    /// The first output of the server that is not a message.
    pub(super) fn noise(&self) -> Option<Box<Defect>> {
        self.state().defects.iter().find(|defect| defect.fault == McpFault::Noise).cloned().map(Box::new)
    }

    pub(super) fn defect(&self, fault: McpFault, reason: impl Into<String>, quoted: &[u8]) {
        self.state().defect(fault, reason.into(), quoted);
    }

    pub(super) fn defects(&self) -> Vec<Defect> {
        self.state().defects.clone()
    }

    /// Keeps notifications received before any call.
    pub(super) fn keep(&self, notifications: Vec<Notification>) {
        self.state().stray.splice(0..0, notifications);
    }

    /// Takes the notifications that belong to no call.
    pub(super) fn take_stray(&self) -> Vec<Notification> {
        let mut state = self.state();
        state.stray_bytes = 0;
        std::mem::take(&mut state.stray)
    }

    fn state(&self) -> MutexGuard<'_, RouterState> {
        lock(&self.state)
    }
}

impl RouterState {
    fn reply(&mut self, id: &Value, outcome: Result<Value, RpcError>, bytes: &[u8], origin: MessageOrigin) {
        let number = match (id, origin) {
            // The server could not read the request, so its error has no id; the stream identifies the call.
            (Value::Null, MessageOrigin::Call(number)) => Some(number),
            _ => id.as_u64(),
        };
        if let Some(waiting) = number.and_then(|number| self.calls.remove(&number)) {
            let _ = waiting.to.send(CallEvent::Reply(outcome, bytes.len()));
        } else if !number.is_some_and(|number| (1..=self.issued).contains(&number)) {
            self.defect(McpFault::UnknownReply, format!("no request has the id {id}"), bytes);
        }
    }

    fn notify(&mut self, notification: Notification, size: usize, origin: MessageOrigin) {
        let token = notification.params.get("progressToken").and_then(Value::as_u64);
        let meant = match origin {
            MessageOrigin::Call(id) => Some(id),
            MessageOrigin::Shared if notification.method == "notifications/progress" => token,
            MessageOrigin::Shared if self.calls.len() == 1 => self.calls.keys().next().copied(),
            MessageOrigin::Shared => None,
        };
        let Some(id) = meant else {
            if self.stray.len() < NOTIFICATIONS && self.stray_bytes + size <= NOTIFICATION_BYTES {
                self.stray_bytes += size;
                self.stray.push(notification);
            }
            return;
        };
        let Some(waiting) = self.calls.get_mut(&id) else { return };
        waiting.notifications += 1;
        waiting.bytes += size;
        if waiting.notifications > NOTIFICATIONS {
            self.end(id, McpError::TooMuch { what: "notifications in one call", limit: NOTIFICATIONS });
        } else if waiting.bytes > NOTIFICATION_BYTES {
            self.end(id, McpError::TooMuch { what: "bytes of notifications in one call", limit: NOTIFICATION_BYTES });
        } else {
            let _ = waiting.to.send(CallEvent::Notification(notification));
        }
    }

    /// Handles a request of the server. Returns the reply if it does not depend on the call.
    fn request(
        &mut self,
        id: Value,
        method: String,
        params: &Value,
        bytes: &[u8],
        origin: MessageOrigin,
    ) -> Option<Vec<u8>> {
        match method.as_str() {
            "ping" => return Some(jsonrpc::reply(&id, Ok(json!({})))),
            "roots/list" => return Some(jsonrpc::reply(&id, Ok(json!({ "roots": [] })))),
            _ => {}
        }
        let number = match origin {
            MessageOrigin::Call(number) => Some(number),
            // The channel does not identify the call: take the oldest one that has an answer left.
            MessageOrigin::Shared => {
                let ready = self.calls.iter().find(|(_, waiting)| waiting.answers > 0).map(|(number, _)| *number);
                ready.or_else(|| self.calls.keys().next().copied())
            }
        };
        let waiting = number.and_then(|number| Some((number, self.calls.get_mut(&number)?)));
        let is_question = method == "elicitation/create";
        let Some((number, waiting)) = waiting else {
            self.defect(McpFault::UnwantedRequest, format!("`{method}` while no call is under way"), bytes);
            let refusal = RpcError::new(jsonrpc::INTERNAL_ERROR, "no call is under way");
            return Some(jsonrpc::reply(&id, Err(refusal)));
        };
        waiting.questions += 1;
        if waiting.questions > QUESTIONS {
            let error = McpError::TooMuch { what: "requests in one call", limit: QUESTIONS };
            self.end(number, error);
            return None;
        }
        if is_question {
            waiting.answers = waiting.answers.saturating_sub(1);
            let _ = waiting.to.send(CallEvent::Question(id, ElicitationQuestion::read(params)));
            return None;
        }
        let refusal = RpcError::new(jsonrpc::METHOD_NOT_FOUND, format!("this client does not offer `{method}`"));
        let _ = waiting.to.send(CallEvent::Refused(method));
        Some(jsonrpc::reply(&id, Err(refusal)))
    }

    fn end(&mut self, id: u64, error: McpError) {
        if let Some(waiting) = self.calls.remove(&id) {
            let _ = waiting.to.send(CallEvent::Failed(error));
        }
    }

    fn defect(&mut self, fault: McpFault, reason: String, bytes: &[u8]) {
        let defect = Defect { fault, reason, quote: quote(bytes) };
        if self.defects.len() < DEFECTS && !self.defects.contains(&defect) {
            self.defects.push(defect);
        }
    }
}
