//! An answer of the model, before it is converted to a provider's format.

use agentci_plan::{AnswerPace, Finish};

use super::{ids::numbered, tokens};

/// An answer of the model.
#[derive(Debug, Clone)]
pub(super) struct SpokenAnswer {
    /// The number of the request that it answers, from 1; ids are derived from it.
    pub(super) number: u64,
    /// Unix time in seconds.
    pub(super) created: u64,
    /// The model name to report.
    pub(super) model: String,
    pub(super) text: Option<String>,
    /// The tool calls that it requests.
    pub(super) calls: Vec<WantedCall>,
    pub(super) form: CallForm,
    pub(super) finish: Finish,
    /// Tokens of the request.
    pub(super) input_tokens: u32,
    /// Tokens of the answer.
    pub(super) output_tokens: u32,
    /// The number of equal choices that the request expects.
    pub(super) choices: u32,
    /// Whether a stream ends with the token usage.
    pub(super) include_usage: bool,
    /// When each token is due.
    pub(super) pace: AnswerPace,
    /// The conversation that it belongs to, if the request names one.
    pub(super) conversation: Option<String>,
}

/// The form of calls in an answer of Chat Completions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum CallForm {
    /// Any number of `tool_calls`.
    #[default]
    Tools,
    /// One `function_call` without an id: the request offers `functions`, the predecessor of `tools`.
    Function,
}

/// A tool call that the model requests.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WantedCall {
    /// Id of the call.
    pub(super) id: String,
    /// Name of the tool.
    pub(super) name: String,
    pub(super) args: serde_json::Value,
    /// The arguments as compact JSON, as they are sent.
    pub(super) json: String,
}

impl SpokenAnswer {
    /// The `finish_reason` of Chat Completions.
    pub(super) fn finish_reason(&self) -> &'static str {
        match self.finish {
            Finish::Stop => "stop",
            Finish::Length => "length",
            Finish::ToolCalls if self.form == CallForm::Function => "function_call",
            Finish::ToolCalls => "tool_calls",
            Finish::ContentFilter => "content_filter",
        }
    }

    pub(super) fn total_tokens(&self) -> u64 {
        u64::from(self.input_tokens) + u64::from(self.output_tokens)
    }

    /// The number of tokens that are sent; the usage in the script may differ.
    pub(super) fn spoken(&self) -> u32 {
        let text = self.text.as_deref().map_or(0, tokens::count);
        self.calls.iter().fold(text, |sum, call| sum.saturating_add(tokens::count(&call.json)))
    }

    /// Its unique id, with the provider's prefix.
    pub(super) fn id(&self, prefix: &str) -> String {
        numbered(prefix, self.number, 24)
    }
}
