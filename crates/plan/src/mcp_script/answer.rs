//! Answers of a scripted MCP server, and the steps before them.

use std::time::Duration;

use serde_json::Value;

use crate::Data;

#[derive(Debug, Clone, PartialEq)]
pub struct ToolAnswer {
    /// Arguments that the call must contain; any when absent.
    pub when: Option<Value>,
    /// Steps before the answer.
    pub steps: Vec<AnswerStep>,
    pub outcome: CallOutcome,
}

/// The outcome of a tool call. `${INPUT.name}` is replaced by an argument, or by the client's answer to the question
/// with that name.
#[derive(Debug, Clone, PartialEq)]
pub enum CallOutcome {
    /// A result: a string is its text, anything else is structured data with its text form.
    Reply(Data),
    /// An error of the tool.
    Error(Data),
    /// A complete result in the protocol's format.
    Result(Data),
    /// An error of the protocol.
    Failure {
        /// The error code.
        code: i64,
        /// The error message.
        message: String,
    },
}

/// A step before an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerStep {
    /// Waits for this long.
    Wait(Duration),
    /// Logs something.
    Log {
        /// The severity.
        level: LogLevel,
        /// The logged data.
        data: Data,
    },
    /// Reports progress to the client, if the client requested it.
    Progress {
        /// The current value.
        progress: f64,
        /// The final value, if known.
        total: Option<f64>,
        /// A description.
        message: Option<String>,
    },
    /// Asks the client all of these questions at once.
    Ask(Vec<ClientQuestion>),
    /// Closes the stream of a call over HTTP, so that the client has to reconnect for the rest.
    Close,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ClientQuestion {
    /// The name of the answer in `${INPUT.name}`.
    pub name: String,
    /// What to request.
    pub kind: QuestionKind,
    /// The parameters in the protocol's format.
    pub params: Data,
}

/// What a client can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// Input of the user.
    Elicit,
    /// A completion of its model.
    Sample,
    /// The folders that it works in.
    Roots,
}

impl QuestionKind {
    /// The names in a script.
    pub const NAMES: [(&'static str, Self); 3] =
        [("elicit", Self::Elicit), ("sample", Self::Sample), ("roots", Self::Roots)];

    /// The protocol's method.
    pub fn method(self) -> &'static str {
        match self {
            Self::Elicit => "elicitation/create",
            Self::Sample => "sampling/createMessage",
            Self::Roots => "roots/list",
        }
    }

    /// The capability that the client must declare.
    pub fn capability(self) -> &'static str {
        match self {
            Self::Elicit => "elicitation",
            Self::Sample => "sampling",
            Self::Roots => "roots",
        }
    }
}

/// Severities of log messages, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Information for debugging.
    Debug,
    /// Normal information.
    Info,
    /// A normal but significant event.
    Notice,
    /// A possible problem.
    Warning,
    Error,
    /// A failure of a component.
    Critical,
    /// A problem that needs immediate action.
    Alert,
    /// The system is unusable.
    Emergency,
}

impl LogLevel {
    /// The protocol's names.
    pub const NAMES: [(&'static str, Self); 8] = [
        ("debug", Self::Debug),
        ("info", Self::Info),
        ("notice", Self::Notice),
        ("warning", Self::Warning),
        ("error", Self::Error),
        ("critical", Self::Critical),
        ("alert", Self::Alert),
        ("emergency", Self::Emergency),
    ];

    /// The protocol's name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, level)| *level == self).map_or("info", |(name, _)| name)
    }

    /// The level with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, level)| *level)
    }
}
