//! A recording in memory.

use std::time::Duration;

use agentci_wire::http::Method;
use bytes::Bytes;
use serde_json::{Map, Value};

use super::ExchangeError;
use super::recorder::SEEN;

/// What was sent and what came back in one attempt at a case.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// What the ids in requests were made from, so that a replay sends the same ones.
    pub seed: u64,
    /// What hooks printed.
    pub variables: Vec<Printed>,
    /// Every request with its answer, in the order they were sent.
    pub exchanges: Vec<Exchange>,
}

impl Recording {
    /// The most bytes a stored recording may have.
    pub const LARGEST: usize = 512 << 20;

    /// What a hook printed, by its number from 0.
    pub fn variables(&self, hook: usize) -> Option<&Map<String, Value>> {
        self.variables.iter().find(|printed| printed.hook == hook).map(|printed| &printed.variables)
    }
}

/// What a hook printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Printed {
    /// Which hook, from 0.
    pub hook: usize,
    /// Its variables.
    pub variables: Map<String, Value>,
}

/// A request with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// When it was sent, in microseconds since the attempt began.
    pub at_us: u64,
    /// What was asked for.
    pub method: Method,
    /// What makes it the same request.
    pub identity: Value,
    /// The head of the answer, if there was one.
    pub response: Option<Head>,
    /// What came, in order.
    pub pieces: Vec<Piece>,
    /// How it ended.
    pub end: End,
}

impl Exchange {
    /// What someone else saw of the agent, if it is no exchange but that.
    pub(super) fn seen(&self) -> Option<&Value> {
        let identity = self.identity.as_object().filter(|identity| identity.len() == 1)?;
        identity.get(SEEN)
    }
}

/// The head of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// When it came.
    pub at_us: u64,
    /// The status code.
    pub status: u16,
    /// Headers, names in small letters.
    pub headers: Vec<(String, String)>,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub part: Part,
    /// When the last of it came.
    pub at_us: u64,
    /// Its bytes.
    pub raw: Bytes,
}

/// What a piece of an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
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
pub struct End {
    /// When.
    pub at_us: u64,
    /// How.
    pub how: How,
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// The answer came to its end.
    Closed,
    /// Nobody read on.
    Left,
    /// The request could not be sent, in these words.
    Unsendable(String),
    /// Nobody could be reached.
    Unreachable(String),
    /// The connection broke.
    Broken(String),
    /// The answer, or an event of it, was too large.
    TooLarge(String),
    /// It took longer than this.
    Timeout(Duration),
}

impl How {
    /// How an exchange ends with an error; nothing if the error is not one of the exchange itself.
    pub(super) fn of(error: &ExchangeError) -> Option<Self> {
        Some(match error.clone() {
            ExchangeError::Unsendable(words) => How::Unsendable(words),
            ExchangeError::Unreachable(words) => How::Unreachable(words),
            ExchangeError::Broken(words) => How::Broken(words),
            ExchangeError::TooLarge(words) => How::TooLarge(words),
            ExchangeError::Timeout { after } => How::Timeout(after),
            // The head of the answer says so again.
            ExchangeError::Compressed(_) | ExchangeError::Mismatch(_) => return None,
        })
    }

    /// The error it was, if any.
    pub(super) fn error(&self) -> Option<ExchangeError> {
        Some(match self.clone() {
            How::Closed | How::Left => return None,
            How::Unsendable(words) => ExchangeError::Unsendable(words),
            How::Unreachable(words) => ExchangeError::Unreachable(words),
            How::Broken(words) => ExchangeError::Broken(words),
            How::TooLarge(words) => ExchangeError::TooLarge(words),
            How::Timeout(after) => ExchangeError::Timeout { after },
        })
    }
}
