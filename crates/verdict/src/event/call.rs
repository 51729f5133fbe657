//! Tool calls in the end of a case.

use serde::{Deserialize, Serialize};

/// A tool call, in enough detail to detect that another run differs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallStep {
    /// The name of the tool.
    pub tool: String,
    /// The first 16 hexadecimal digits of the SHA-256 of the arguments in canonical form.
    pub args_hash: String,
    /// The arguments as JSON without secrets, if they are short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Box<str>>,
    /// Whether a model requested it and the agent sent a result, but the tool was not seen to run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_answered: bool,
    /// Whether it is an exchange with a stub during a call, not a call itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub within: bool,
}

impl CallStep {
    /// Whether the same tool was called with the same arguments. Compares hashes, since not all runs record the
    /// arguments.
    pub fn is_same_call(&self, other: &Self) -> bool {
        self.tool == other.tool && self.args_hash == other.args_hash
    }

    /// Whether a later run took the same step: the same call, and seen to run if it was before. A tool that is seen to
    /// run only in the later run does not mean that the agent changed.
    pub fn is_repeated_by(&self, later: &Self) -> bool {
        self.is_same_call(later) && (self.only_answered || !later.only_answered)
    }
}

/// What was observed about a tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLife {
    /// The name of the tool.
    pub tool: String,
    /// The number of the turn, from 0.
    pub turn: u32,
    /// What was observed, in order: `requested`, `executed`, `answered`, `refused`, `unobserved`.
    pub seen: Vec<String>,
    /// The observers: `stub`, `protocol`, `provider`, `model_wire`.
    pub observers: Vec<String>,
    /// Whether it counts as a call.
    pub counts: bool,
    /// The tools of the exchanges during this call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
}

impl CallLife {
    /// A short description: `requested, answered; seen by model_wire`.
    pub fn words(&self) -> String {
        let seen = if self.seen.is_empty() { "called".to_owned() } else { self.seen.join(", ") };
        let parts =
            if self.parts.is_empty() { String::new() } else { format!("; including {}", self.parts.join(", ")) };
        format!("{seen}; seen by {}{parts}", self.observers.join(", "))
    }
}
