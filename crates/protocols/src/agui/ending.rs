//! How an answer ended.

use agentci_trace::ToolCall;
use serde_json::Value;

use super::content::plain;
use super::fields::{AguiFields, AguiResult};
use super::interrupt::{self, Interrupt};

/// How an answer ended. Where several runs followed one another, it is the first that failed, or else the end of the last.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerEnding {
    /// The run came to its end.
    Finished {
        /// In which way.
        outcome: RunOutcome,
        /// Its result, if it gave one beside the messages.
        result: Option<Value>,
    },
    /// The agent gave up.
    Failed {
        /// Its words.
        message: String,
        /// Its code for what went wrong.
        code: Option<String>,
    },
    /// The stream ended in the middle of a run.
    Truncated {
        /// How many events came.
        events: usize,
        /// The type of the last.
        last: String,
        /// What was left open, each with its kind and id.
        open: Vec<String>,
    },
    /// The stream ended before any event.
    Silent,
}

/// In which way a run came to its end.
#[derive(Debug, Clone, PartialEq)]
pub enum RunOutcome {
    /// It is done, but for calls that the client is to answer in the next run.
    Success {
        /// Those calls.
        pending: Vec<ToolCall>,
    },
    /// It waits for answers of another kind; the conversation knows them too.
    Interrupted(Vec<Interrupt>),
    /// Someone stopped it.
    Cancelled,
}

impl AnswerEnding {
    /// What is wrong with an answer that ended without saying so, and what to do about it.
    pub fn cut_short(&self) -> Option<(String, &'static str)> {
        match self {
            AnswerEnding::Truncated { events, last, open } => {
                let mut message = format!(
                    "the stream ended after {events} event{} without `RUN_FINISHED` or `RUN_ERROR`; the last was `{last}`",
                    if *events == 1 { "" } else { "s" }
                );
                if !open.is_empty() {
                    message.push_str("\nleft open: ");
                    message.push_str(&open.join(", "));
                }
                Some((message, "look at the server's log: it stopped, or something between closed the connection"))
            }
            AnswerEnding::Silent => Some((
                "the stream ended without a single event".into(),
                "look at the server's log: it accepted the request and sent nothing",
            )),
            AnswerEnding::Finished { .. } | AnswerEnding::Failed { .. } => None,
        }
    }
}

/// What `RUN_FINISHED` says of its outcome.
pub(super) enum FinishedOutcome {
    /// Done; these calls are the client's, if any are named.
    Success(Vec<String>),
    Interrupt(Vec<Interrupt>),
    Cancelled,
    /// Something newer than this reader; it counts as done.
    Unknown(String),
}

/// Reads the outcome of a run.
pub(super) fn said(fields: &mut AguiFields<'_>) -> AguiResult<FinishedOutcome> {
    const PENDING: &str = "outcome.pendingToolCallIds";
    let Some(Value::Object(outcome)) = fields.optional("outcome", "an object", Value::is_object)? else {
        return Ok(FinishedOutcome::Success(Vec::new()));
    };
    fields.fields.extend(outcome.into_iter().map(|(name, value)| (format!("outcome.{name}"), value)));
    let kind = fields.text("outcome.type")?;
    match kind.as_str() {
        "success" => {
            let ids = match fields.optional(PENDING, "a list of texts", Value::is_array)? {
                Some(Value::Array(ids)) => ids,
                _ => Vec::new(),
            };
            match ids.iter().find(|id| !id.is_string()) {
                Some(other) => Err(fields.wrong(PENDING, "a list of texts", other)),
                None => Ok(FinishedOutcome::Success(ids.into_iter().map(plain).collect())),
            }
        }
        "interrupt" => {
            let list = fields.list("outcome.interrupts")?;
            interrupt::interrupts(list).map(FinishedOutcome::Interrupt).map_err(|field| fields.missing(field))
        }
        "cancelled" => Ok(FinishedOutcome::Cancelled),
        _ => Ok(FinishedOutcome::Unknown(kind)),
    }
}
