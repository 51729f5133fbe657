//! What the model says, before it has a provider's shape.

use agentci_plan::{AnswerPace, Finish};

use super::tokens;

/// What the model says.
#[derive(Debug, Clone)]
pub struct SpokenAnswer {
    /// Which request it answers, from 1; ids are made of it.
    pub(super) number: u64,
    /// Seconds of Unix time.
    pub(super) created: u64,
    /// The model that it says it is.
    pub model: String,
    pub(super) text: Option<String>,
    /// The tools that it wants called.
    pub calls: Vec<WantedCall>,
    pub(super) form: CallForm,
    pub(super) finish: Finish,
    /// The tokens of the request.
    pub input_tokens: u32,
    /// Those of the answer.
    pub output_tokens: u32,
    /// How many equal answers are wanted.
    pub(super) choices: u32,
    /// Whether a stream ends with what was used.
    pub(super) include_usage: bool,
    /// When each token is due.
    pub pace: AnswerPace,
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
pub struct WantedCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// An object.
    pub(super) args: serde_json::Value,
    /// The same as compact JSON, which is how it travels.
    pub json: String,
}

impl SpokenAnswer {
    /// Its words: all at once, or token by token where they take their time.
    pub fn pieces(&self) -> Vec<String> {
        match &self.text {
            None => Vec::new(),
            Some(text) if self.pace.is_immediate() => vec![text.clone()],
            Some(text) => tokens::tokens(text).map(str::to_owned).collect(),
        }
    }

    /// The word of Chat Completions for why the model stopped.
    pub fn finish_reason(&self) -> &'static str {
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
