//! How an answer ended.

use agentci_trace::ToolCall;
use serde_json::Value;

use super::content::plain;
use super::fields::{AguiFields, AguiResult};
use super::interrupt::{self, Interrupt};

/// How an answer ended. If it has several runs, this is the first failure, or else the end of the last run.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerEnding {
    /// The run finished.
    Finished {
        outcome: RunOutcome,
        /// Its result, if it has one besides the messages.
        result: Option<Value>,
    },
    /// The agent reported an error.
    Failed {
        /// The error message.
        message: String,
        /// The error code.
        code: Option<String>,
    },
    /// The stream ended early.
    CutShort(CutShort),
}

/// How a stream ended early.
#[derive(Debug, Clone, PartialEq)]
pub enum CutShort {
    /// In the middle of a run.
    Truncated {
        /// The number of events.
        events: usize,
        /// The type of the last event.
        last: String,
        /// What is still open, each with its kind and id.
        open: Vec<String>,
    },
    /// Before any event.
    Silent,
}

#[derive(Debug, Clone, PartialEq)]
pub enum RunOutcome {
    /// It succeeded, except for calls that the client has to answer in the next run.
    Success {
        /// The calls to answer.
        pending: Vec<ToolCall>,
    },
    /// It waits for answers to interrupts, which are also in the conversation.
    Interrupted(Vec<Interrupt>),
    /// It was cancelled.
    Cancelled,
}

impl CutShort {
    /// The error and the help.
    pub fn words(&self) -> (String, &'static str) {
        match self {
            CutShort::Truncated { events, last, open } => {
                let mut message = format!(
                    "the stream ended after {events} event{} without `RUN_FINISHED` or `RUN_ERROR`; the last was `{last}`",
                    if *events == 1 { "" } else { "s" }
                );
                if !open.is_empty() {
                    message.push_str("\nleft open: ");
                    message.push_str(&open.join(", "));
                }
                (message, "look at the server's log: it stopped, or something in between closed the connection")
            }
            CutShort::Silent => (
                "the stream ended without a single event".into(),
                "look at the server's log: it accepted the request and sent nothing",
            ),
        }
    }
}

/// The outcome in `RUN_FINISHED`.
pub(super) enum FinishedOutcome {
    /// Success, with the calls that the client has to answer, if any are named.
    Success(Vec<String>),
    Interrupt(Vec<Interrupt>),
    Cancelled,
    /// An unknown outcome; it counts as success.
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
            let ids = match fields.optional(PENDING, "a list of strings", Value::is_array)? {
                Some(Value::Array(ids)) => ids,
                _ => Vec::new(),
            };
            match ids.iter().find(|id| !id.is_string()) {
                Some(other) => Err(fields.wrong(PENDING, "a list of strings", other)),
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
