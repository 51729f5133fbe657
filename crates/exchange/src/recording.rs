//! A recording in memory.

use agentci_wire::http::HttpMethod;
use bytes::Bytes;
use serde_json::{Map, Value};

use super::ExchangeError;
use super::recorder::SEEN;

/// The exchanges of one attempt at a case.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentRecording {
    /// The seed of the ids in requests, so that a replay sends the same ids.
    pub seed: u64,
    pub variables: Vec<HookOutput>,
    /// Every request with its answer, in the order they were sent.
    pub exchanges: Vec<AgentExchange>,
}

impl AgentRecording {
    /// The size limit of a stored recording, in bytes.
    pub const LARGEST: usize = 512 << 20;

    /// The output of a hook, by its number from 0.
    pub fn variables(&self, hook: usize) -> Option<&Map<String, Value>> {
        self.variables.iter().find(|printed| printed.hook == hook).map(|printed| &printed.variables)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct HookOutput {
    /// The number of the hook, from 0.
    pub hook: usize,
    pub variables: Map<String, Value>,
}

/// A request with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentExchange {
    /// When it was sent, in microseconds since the start of the attempt.
    pub at_us: u64,
    pub method: HttpMethod,
    /// The identity by which a replay finds it.
    pub identity: Value,
    /// The head of the answer, if there was one.
    pub response: Option<AnswerHead>,
    /// The pieces of the answer, in order.
    pub pieces: Vec<AnswerPiece>,
    /// How it ended.
    pub end: ConversationEnding,
}

impl AgentExchange {
    /// The observer event, if this is one.
    pub(super) fn seen(&self) -> Option<&Value> {
        let identity = self.identity.as_object().filter(|identity| identity.len() == 1)?;
        identity.get(SEEN)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerHead {
    /// When it arrived.
    pub at_us: u64,
    /// The status code.
    pub status: u16,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerPiece {
    pub part: PieceKind,
    /// When its last byte arrived.
    pub at_us: u64,
    pub raw: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// One event of a stream, with all bytes since the previous one.
    Frame,
    /// Bytes after the last event that are not an event.
    Rest,
    /// One line, with its line end.
    Line,
    /// The whole answer.
    Body,
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationEnding {
    /// When it ended, in microseconds since the start of the attempt.
    pub at_us: u64,
    pub how: AgentExchangeEnd,
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentExchangeEnd {
    /// The answer was read to its end.
    Closed,
    /// The driver stopped reading.
    Left,
    Failed(ExchangeError),
}

impl AgentExchangeEnd {
    /// The ending for a result; `None` if the error does not belong to the exchange itself.
    pub(super) fn of(result: &Result<(), ExchangeError>) -> Option<Self> {
        match result {
            Ok(()) => Some(AgentExchangeEnd::Closed),
            // A replay finds it again, in the recorded head or by comparison.
            Err(ExchangeError::Compressed(_) | ExchangeError::Mismatch(_)) => None,
            Err(error) => Some(AgentExchangeEnd::Failed(error.clone())),
        }
    }
}
