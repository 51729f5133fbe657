//! What is kept of a request to a model, the conversation aside.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What stands before a time that was the present of its run.
pub const NOW: &str = "now ";

/// One way in which an agent asks a model. Requests of one conversation that differ in their messages alone are one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptPrompt {
    /// What tells it from the others of its run.
    pub id: String,
    /// The model that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What else it asks for, such as `temperature`.
    pub parameters: PromptParameters,
    /// Its system prompt, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<SystemPrompt>,
    /// The tools that it offers, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<PromptTool>,
}

/// The parameters of a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptParameters {
    /// What tells them from others, times aside.
    pub hash: String,
    /// The times in them, in order; those that were the present of the run have `now ` before them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<String>,
    /// Their values; absent where they are too long to be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<BTreeMap<String, Value>>,
}

/// A system prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemPrompt {
    /// What tells it from the others of its run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Its lines: the hash of each and, after a space, its text as far as it is kept.
    pub lines: Vec<String>,
    /// The times in its lines, by the number of the line from 0; those that were the present of the run have `now ` before them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub times: BTreeMap<String, Vec<String>>,
    /// How many lines the last one stands for, where there are more than are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_is: Option<usize>,
}

/// A tool that a request offers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptTool {
    /// What tells it from the others of its run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Its name; of a tool of the provider, its type.
    pub name: String,
    /// What tells it from others, times aside.
    pub hash: String,
    /// The times in it, in order; those that were the present of the run have `now ` before them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<String>,
    /// What it says of itself, as far as it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The schema of its arguments; absent where it has none, or one that is too long to be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// What else is declared of it, such as `strict`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, Value>,
}

/// One line of a system prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PromptLine<'p> {
    pub(super) hash: &'p str,
    pub(super) times: &'p [String],
    pub(super) text: Option<&'p str>,
}

impl PromptLine<'_> {
    pub(super) fn is_same(&self, other: &PromptLine<'_>) -> bool {
        self.hash == other.hash && same_times(self.times, other.times)
    }
}

impl SystemPrompt {
    pub(super) fn lines(&self) -> impl Iterator<Item = PromptLine<'_>> {
        self.lines.iter().enumerate().map(|(number, line)| {
            let (hash, text) = line.split_once(' ').map_or((line.as_str(), None), |(hash, text)| (hash, Some(text)));
            PromptLine { hash, times: self.times.get(&number.to_string()).map(Vec::as_slice).unwrap_or_default(), text }
        })
    }

    /// How many lines it has.
    pub(super) fn count(&self) -> usize {
        self.lines.len() + self.last_is.map_or(0, |more| more.saturating_sub(1))
    }

    fn is_same(&self, other: &Self) -> bool {
        self.lines.len() == other.lines.len()
            && self.last_is == other.last_is
            && self.lines().zip(other.lines()).all(|(one, other)| one.is_same(&other))
    }
}

impl PromptTool {
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.name == other.name && self.hash == other.hash && same_times(&self.times, &other.times)
    }
}

impl PromptParameters {
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.hash == other.hash && same_times(&self.times, &other.times)
    }
}

impl KeptPrompt {
    /// Whether a request of one run is that of another run, whenever and wherever that was.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.model == other.model
            && self.parameters.is_same(&other.parameters)
            && same_system(self.system.as_ref(), other.system.as_ref())
            && self.tools.len() == other.tools.len()
            && self.tools.iter().zip(&other.tools).all(|(one, other)| one.is_same(other))
    }
}

/// Whether two system prompts are the same; two that are not there are.
pub(super) fn same_system(one: Option<&SystemPrompt>, other: Option<&SystemPrompt>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.is_same(other),
        (None, None) => true,
        _ => false,
    }
}

/// Times may differ where both were the present of their run.
fn same_times(one: &[String], other: &[String]) -> bool {
    let is_now = |time: &str| time.starts_with(NOW);
    let written = |time: &str| time.strip_prefix(NOW).unwrap_or(time).to_owned();
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| (is_now(one) && is_now(other)) || written(one) == written(other))
}
