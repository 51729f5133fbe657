//! What a scripted model in this process replies: no transport, so its answer is already read.

use std::fmt::Debug;
use std::time::Duration;

use super::answer::ModelAnswer;

/// A scripted model in this process.
pub trait ScriptedModel: Debug {
    /// Answers a request, which is JSON in the format of `OpenAI`'s Chat Completions.
    fn ask(&self, request: &str) -> ModelReply;
}

/// How a scripted model replies to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelReply {
    /// It answers normally.
    Said(Box<PacedAnswer>),
    /// It answers with an error.
    Refused {
        /// The HTTP status that the error would have.
        status: u16,
        /// The error message.
        message: String,
        /// The value of `Retry-After`.
        retry_after: Option<Duration>,
        /// The delay before the error.
        after: Duration,
    },
    /// Its answer is not JSON.
    Malformed,
    /// Its answer is truncated.
    Cut,
    /// It never answers.
    Hang,
}

/// An answer, and when each piece of its text is due.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PacedAnswer {
    /// The whole answer.
    pub answer: ModelAnswer,
    /// The time until the answer starts.
    pub latency: Duration,
    /// The pieces of its text, each with its time, counted from the start of the answer.
    pub pieces: Vec<(Duration, String)>,
}

impl PacedAnswer {
    /// Whether everything comes at once.
    pub fn is_immediate(&self) -> bool {
        self.latency.is_zero() && self.pieces.iter().all(|(due, _)| due.is_zero())
    }
}
