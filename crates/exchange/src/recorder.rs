//! Records exchanges.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agentci_trace::Moment;
use bytes::Bytes;
use serde_json::{Map, Value};

use crate::{
    AgentExchange, AgentExchangeEnd, AgentRecording, AnswerHead, AnswerPiece, Clock, ConversationEnding, HookOutput,
    HttpMethod, PieceKind, random_seed,
};

/// The only key in the identity of an observer event.
pub(super) const SEEN: &str = "seen";

/// Records exchanges. Clones write to the same recording.
#[derive(Debug, Clone)]
pub struct ExchangeRecorder {
    recording: Arc<Mutex<AgentRecording>>,
}

impl Default for ExchangeRecorder {
    fn default() -> Self {
        Self::new()
    }
}

impl ExchangeRecorder {
    /// Starts a recording.
    pub fn new() -> Self {
        let recording = AgentRecording { seed: random_seed(), ..AgentRecording::default() };
        Self { recording: Arc::new(Mutex::new(recording)) }
    }

    pub(super) fn seed(&self) -> u64 {
        lock(&self.recording).seed
    }

    /// Records the output of a hook.
    pub fn printed(&mut self, hook: usize, variables: Map<String, Value>) {
        lock(&self.recording).variables.push(HookOutput { hook, variables });
    }

    /// Records an event of another observer.
    pub fn seen(&mut self, what: Value, clock: Clock, at: Moment) {
        let identity = Value::Object(Map::from_iter([(SEEN.to_owned(), what)]));
        self.begin(HttpMethod::Post, &identity, clock, at).answered(at, "null".into());
    }

    /// The recording so far.
    pub fn into_recording(self) -> AgentRecording {
        lock(&self.recording).clone()
    }

    /// Starts an exchange.
    pub(super) fn begin(&mut self, method: HttpMethod, identity: &Value, clock: Clock, at: Moment) -> OpenExchange {
        let mut recording = lock(&self.recording);
        let index = recording.exchanges.len();
        let (at_us, identity) = (at.offset_us, identity.clone());
        let end = ConversationEnding { at_us, how: AgentExchangeEnd::Left };
        let exchange = AgentExchange { at_us, method, identity, response: None, pieces: Vec::new(), end };
        recording.exchanges.push(exchange);
        OpenExchange { recording: Arc::clone(&self.recording), index, clock, ended: false }
    }
}

/// The slot of one exchange in a recording. If it is dropped before the end, the exchange ends as `left`.
#[derive(Debug)]
pub struct OpenExchange {
    recording: Arc<Mutex<AgentRecording>>,
    index: usize,
    clock: Clock,
    ended: bool,
}

impl OpenExchange {
    pub(super) fn head(&mut self, head: AnswerHead) {
        self.change(|exchange| exchange.response = Some(head));
    }

    pub(super) fn piece(&mut self, part: PieceKind, at: Moment, raw: Bytes) {
        self.change(|exchange| exchange.pieces.push(AnswerPiece { part, at_us: at.offset_us, raw }));
    }

    pub(super) fn end(&mut self, at: Moment, how: AgentExchangeEnd) {
        self.ended = true;
        self.change(|exchange| exchange.end = ConversationEnding { at_us: at.offset_us, how });
    }

    /// Records the whole answer of an exchange that is not HTTP.
    pub fn answered(mut self, at: Moment, body: String) {
        self.head(AnswerHead { at_us: at.offset_us, status: 200, headers: Vec::new() });
        self.piece(PieceKind::Body, at, body.into());
        self.end(at, AgentExchangeEnd::Closed);
    }

    fn change(&self, change: impl FnOnce(&mut AgentExchange)) {
        if let Some(exchange) = lock(&self.recording).exchanges.get_mut(self.index) {
            change(exchange);
        }
    }
}

impl Drop for OpenExchange {
    fn drop(&mut self) {
        if !self.ended {
            let at = self.clock.now();
            self.end(at, AgentExchangeEnd::Left);
        }
    }
}

fn lock(recording: &Mutex<AgentRecording>) -> MutexGuard<'_, AgentRecording> {
    recording.lock().unwrap_or_else(PoisonError::into_inner)
}
