//! The record of a model request, without the conversation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The prefix of a time that was the present time of its run.
pub const NOW: &str = "now ";

/// A prompt: a request to a model without its messages. Requests that differ only in their messages have the same
/// prompt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptPrompt {
    /// The id within the run.
    pub id: String,
    /// The name of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The parameters, such as `temperature`.
    pub parameters: PromptParameters,
    /// The system prompt, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<SystemPrompt>,
    /// The offered tools, sorted by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<PromptTool>,
}

/// The parameters of a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptParameters {
    /// The hash of the parameters without times.
    pub hash: String,
    /// The times that occur, in order; those that were the present time of the run have the prefix `now `.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<String>,
    /// The values; absent if they are too long to keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<BTreeMap<String, Value>>,
}

/// A system prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemPrompt {
    /// The id within the run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The lines: the hash of each and, after a space, its text as far as it is kept.
    pub lines: Vec<String>,
    /// The times that occur in the lines, by the line number from 0; those that were the present time of the run have
    /// the prefix `now `.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub times: BTreeMap<String, Vec<String>>,
    /// The number of lines that the last entry represents, if there are more than are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_is: Option<usize>,
}

/// A tool that a request offers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptTool {
    /// The id within the run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The name; for a tool of the provider, its type.
    pub name: String,
    /// The hash of the tool without times.
    pub hash: String,
    /// The times that occur, in order; those that were the present time of the run have the prefix `now `.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<String>,
    /// The description, as far as it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The schema of its arguments; absent if it has none, or one that is too long to keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// The other settings of its declaration, such as `strict`.
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

    /// The number of lines.
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
    /// Whether prompts of two runs are the same, regardless of time and place.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.model == other.model
            && self.parameters.is_same(&other.parameters)
            && same_system(self.system.as_ref(), other.system.as_ref())
            && self.tools.len() == other.tools.len()
            && self.tools.iter().zip(&other.tools).all(|(one, other)| one.is_same(other))
    }
}

/// Whether two system prompts are the same; two missing ones are.
pub(super) fn same_system(one: Option<&SystemPrompt>, other: Option<&SystemPrompt>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.is_same(other),
        (None, None) => true,
        _ => false,
    }
}

/// Times may differ if both were the present time of their run.
fn same_times(one: &[String], other: &[String]) -> bool {
    let is_now = |time: &str| time.starts_with(NOW);
    let written = |time: &str| time.strip_prefix(NOW).unwrap_or(time).to_owned();
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| (is_now(one) && is_now(other)) || written(one) == written(other))
}
