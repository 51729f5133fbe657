//! A recording in memory.

use agentci_wire::http::HttpMethod;
use bytes::Bytes;
use serde_json::{Map, Value};

use super::ExchangeError;
use super::recorder::SEEN;

/// What was sent and what came back in one attempt at a case.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentRecording {
    /// What the ids in requests were made from, so that a replay sends the same ones.
    pub seed: u64,
    /// What hooks printed.
    pub variables: Vec<HookOutput>,
    /// Every request with its answer, in the order they were sent.
    pub exchanges: Vec<AgentExchange>,
}

impl AgentRecording {
    /// The most bytes a stored recording may have.
    pub const LARGEST: usize = 512 << 20;

    /// What a hook printed, by its number from 0.
    pub fn variables(&self, hook: usize) -> Option<&Map<String, Value>> {
        self.variables.iter().find(|printed| printed.hook == hook).map(|printed| &printed.variables)
    }
}

/// What a hook printed.
#[derive(Debug, Clone, PartialEq)]
pub struct HookOutput {
    /// Which hook, from 0.
    pub hook: usize,
    /// Its variables.
    pub variables: Map<String, Value>,
}

/// A request with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentExchange {
    /// When it was sent, in microseconds since the attempt began.
    pub at_us: u64,
    /// What was asked for.
    pub method: HttpMethod,
    /// What makes it the same request.
    pub identity: Value,
    /// The head of the answer, if there was one.
    pub response: Option<AnswerHead>,
    /// What came, in order.
    pub pieces: Vec<AnswerPiece>,
    /// How it ended.
    pub end: ConversationEnding,
}

impl AgentExchange {
    /// What someone else saw of the agent, if it is no exchange but that.
    pub(super) fn seen(&self) -> Option<&Value> {
        let identity = self.identity.as_object().filter(|identity| identity.len() == 1)?;
        identity.get(SEEN)
    }
}

/// The head of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerHead {
    /// When it came.
    pub at_us: u64,
    /// The status code.
    pub status: u16,
    /// Headers, names in small letters.
    pub headers: Vec<(String, String)>,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerPiece {
    /// What it is.
    pub part: PieceKind,
    /// When the last of it came.
    pub at_us: u64,
    /// Its bytes.
    pub raw: Bytes,
}

/// What a piece of an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// One event of a stream, with all bytes since the one before it.
    Frame,
    /// What came after the last event and was none.
    Rest,
    /// One line, with its end.
    Line,
    /// The answer as a whole.
    Body,
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationEnding {
    /// When.
    pub at_us: u64,
    /// How.
    pub how: AgentExchangeEnd,
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentExchangeEnd {
    /// The answer came to its end.
    Closed,
    /// Nobody read on.
    Left,
    /// It failed.
    Failed(ExchangeError),
}

impl AgentExchangeEnd {
    /// How an exchange ends with this result; nothing if the error is not one of the exchange itself.
    pub(super) fn of(result: &Result<(), ExchangeError>) -> Option<Self> {
        match result {
            Ok(()) => Some(AgentExchangeEnd::Closed),
            // The head of the answer says so again.
            Err(ExchangeError::Compressed(_) | ExchangeError::Mismatch(_)) => None,
            Err(error) => Some(AgentExchangeEnd::Failed(error.clone())),
        }
    }
}
