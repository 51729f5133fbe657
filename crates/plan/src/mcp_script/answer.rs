//! What a scripted MCP server answers, and what happens before.

use std::time::Duration;

use serde_json::Value;

use crate::Data;

/// An answer of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolAnswer {
    /// The arguments that a call has, among others; any when absent.
    pub when: Option<Value>,
    /// What happens before it.
    pub steps: Vec<AnswerStep>,
    /// How it ends.
    pub outcome: CallOutcome,
}

/// How a call of a tool ends. `${INPUT.name}` stands for an argument, or for what the client said to the question of that name.
#[derive(Debug, Clone, PartialEq)]
pub enum CallOutcome {
    /// With this. A text is one, anything else is data and its text.
    Reply(Data),
    /// With a complaint of the tool.
    Error(Data),
    /// With this result, as the protocol has it.
    Result(Data),
    /// With an error of the protocol.
    Failure {
        /// Its number.
        code: i64,
        /// Its words.
        message: String,
    },
}

/// Something that happens before an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerStep {
    /// Nothing, for so long.
    Wait(Duration),
    /// Something is logged.
    Log {
        /// How bad it is.
        level: LogLevel,
        /// What is said.
        data: Data,
    },
    /// The client is told how far the call has come, if it wants to be.
    Progress {
        /// So far.
        progress: f64,
        /// Of so much.
        total: Option<f64>,
        /// In words.
        message: Option<String>,
    },
    /// The client is asked, all of this at once.
    Ask(Vec<ClientQuestion>),
    /// The stream of a call over HTTP is closed, so that the client has to come back for the rest.
    Close,
}

/// A question to the client.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientQuestion {
    /// What its answer is called in `${INPUT.name}`.
    pub name: String,
    /// What is wanted.
    pub kind: QuestionKind,
    /// With what, as the protocol has it.
    pub params: Data,
}

/// What a client can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// The user.
    Elicit,
    /// Its model.
    Sample,
    /// The folders that it works in.
    Roots,
}

impl QuestionKind {
    /// The words that a script has for them.
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

    /// The capability that a client needs to be asked.
    pub fn capability(self) -> &'static str {
        match self {
            Self::Elicit => "elicitation",
            Self::Sample => "sampling",
            Self::Roots => "roots",
        }
    }
}

/// How bad something is that is logged, from the least on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// For those who look for a mistake.
    Debug,
    /// It is worth knowing.
    Info,
    /// It is normal and matters.
    Notice,
    /// It may become an error.
    Warning,
    /// Something went wrong.
    Error,
    /// A part of the server fails.
    Critical,
    /// Somebody has to act.
    Alert,
    /// Nothing works.
    Emergency,
}

impl LogLevel {
    /// The protocol's words for them.
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

    /// The protocol's word for it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, level)| *level == self).map_or("info", |(name, _)| name)
    }

    /// The level of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, level)| *level)
    }
}
