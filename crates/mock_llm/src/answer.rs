//! What the model says, before it has a provider's shape.

use agentci_plan::{AnswerPace, Finish};

use super::tokens;

/// What the model says.
#[derive(Debug, Clone)]
pub(super) struct SpokenAnswer {
    /// Which request it answers, from 1; ids are made of it.
    pub(super) number: u64,
    /// Seconds of Unix time.
    pub(super) created: u64,
    pub(super) model: String,
    pub(super) text: Option<String>,
    pub(super) calls: Vec<WantedCall>,
    pub(super) form: CallForm,
    pub(super) finish: Finish,
    pub(super) input_tokens: u32,
    pub(super) output_tokens: u32,
    /// How many equal answers are wanted.
    pub(super) choices: u32,
    /// Whether a stream ends with what was used.
    pub(super) include_usage: bool,
    pub(super) pace: AnswerPace,
    /// The conversation that it belongs to, where the request names one.
    pub(super) conversation: Option<String>,
}

/// What calls are in an answer of Chat Completions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum CallForm {
    /// Any number of `tool_calls`.
    #[default]
    Tools,
    /// One `function_call`, which has no id: the request offers `functions`, which came before tools.
    Function,
}

/// A tool that the model wants called.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WantedCall {
    pub(super) id: String,
    pub(super) name: String,
    /// An object.
    pub(super) args: serde_json::Value,
    /// The same as compact JSON, which is how it travels.
    pub(super) json: String,
}

impl SpokenAnswer {
    pub(super) fn total_tokens(&self) -> u64 {
        u64::from(self.input_tokens) + u64::from(self.output_tokens)
    }

    /// How many tokens are spoken; what the script says was used may be another number.
    pub(super) fn spoken(&self) -> u32 {
        let text = self.text.as_deref().map_or(0, tokens::count);
        self.calls.iter().fold(text, |sum, call| sum.saturating_add(tokens::count(&call.json)))
    }

    /// An id of its own, as the provider would begin it.
    pub(super) fn id(&self, prefix: &str) -> String {
        format!("{prefix}{:024}", self.number)
    }
}
