//! Tool calls, as the end of a case tells them.

use serde::{Deserialize, Serialize};

/// A tool call, as far as it takes to see that another run went another way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallStep {
    /// The tool.
    pub tool: String,
    /// The first 16 hexadecimal digits of the SHA-256 of the arguments in canonical form.
    pub args_hash: String,
    /// The arguments as JSON without secrets, if that is short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Box<str>>,
    /// Whether a model asked for it and the agent sent a result, and nobody saw the tool run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_answered: bool,
    /// Whether it is an exchange with a stub during a call, not a call of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub within: bool,
}

impl CallStep {
    /// Whether the same tool was called with the same arguments. Not all runs have written down the arguments themselves.
    pub fn is_same_call(&self, other: &Self) -> bool {
        self.tool == other.tool && self.args_hash == other.args_hash
    }

    /// Whether a later run took the same step: the same call, and seen to run if it was. That a tool is seen to run only
    /// now does not mean that the agent changed.
    pub fn is_repeated_by(&self, later: &Self) -> bool {
        self.is_same_call(later) && (self.only_answered || !later.only_answered)
    }
}

/// What was observed of a tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLife {
    /// The tool.
    pub tool: String,
    /// In which turn, from 0.
    pub turn: u32,
    /// What was observed of it, in order: `requested`, `executed`, `answered`, `refused`, `unobserved`.
    pub seen: Vec<String>,
    /// Who observed it: `stub`, `protocol`, `provider`, `model_wire`.
    pub observers: Vec<String>,
    /// Whether it counts as made.
    pub counts: bool,
    /// The exchanges that are parts of it, by the tool that was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
}

impl CallLife {
    /// It in a few words: `requested and answered, seen by the model wire`.
    pub fn words(&self) -> String {
        let seen = if self.seen.is_empty() { "called".to_owned() } else { self.seen.join(", ") };
        let parts =
            if self.parts.is_empty() { String::new() } else { format!("; within it {}", self.parts.join(", ")) };
        format!("{seen}; seen by {}{parts}", self.observers.join(", "))
    }
}
