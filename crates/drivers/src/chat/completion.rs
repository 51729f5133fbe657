//! What a model answered, put together from its pieces.

use agentci_trace::{EventKind, ToolCall, Usage};
use serde_json::{Map, Value, json};

/// What a model answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Completion {
    /// Its words.
    pub(super) text: String,
    /// Why it will not.
    pub(super) refusal: String,
    /// What it thought.
    pub(super) reasoning: String,
    /// The tools that it wants called.
    pub(crate) calls: Vec<CompletionCall>,
    /// Why it stopped, in OpenAI's words where there are some.
    pub(crate) finish: Option<String>,
    /// The model that it says it is.
    pub(super) model: Option<String>,
    /// What it used.
    pub(super) usage: Usage,
    /// Thoughts as its provider wants them back, signed.
    pub(super) thoughts: Vec<Value>,
    /// Calls of tools that the provider ran itself, and their results, in order.
    pub(crate) provided: Vec<EventKind>,
}

/// A tool that the model wants called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompletionCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments: JSON, unless the model erred.
    pub arguments: String,
}

/// What the model said or thought just now, as a trace tells it.
pub(crate) type SpokenPieces = Result<Vec<EventKind>, CompletionError>;

/// Reads an answer of a model, piece by piece or whole.
pub(crate) trait AnswerReader {
    /// Takes the data of an event.
    fn event(&mut self, data: &str) -> SpokenPieces;

    /// Takes an answer that came whole.
    fn whole(&mut self, answer: &Value) -> SpokenPieces;

    /// Whether everything was said.
    fn is_over(&self) -> bool;

    /// What the answer comes to.
    fn finish(&mut self) -> Result<Completion, CompletionError>;
}

/// Why an answer can not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CompletionError {
    /// It is not what the provider's protocol describes.
    Malformed(String),
    /// It ended before the model did.
    CutOff,
    /// The provider says that something went wrong.
    Failed {
        /// Its name for that.
        kind: Option<String>,
        /// Its words.
        message: String,
    },
}

/// What is wrong with an answer that ended for this reason, in the words of any provider; nothing if the model said all it wanted.
pub(crate) fn cut_short(reason: &str) -> Option<String> {
    let words = match reason.replace('-', "_").as_str() {
        "length" | "max_tokens" | "max_output_tokens" | "model_context_window_exceeded" => {
            "the answer is cut short: the model reached its token limit"
        }
        "content_filter" | "refusal" => "the answer is cut short: a content filter or a refusal stopped the model",
        _ => return None,
    };
    Some(format!("{words} (finish reason `{reason}`)"))
}

/// OpenAI's word for why an answer ended, from the word of any provider.
pub(crate) fn finish_word(reason: &str) -> String {
    let spelt = reason.replace('-', "_");
    let word = match spelt.as_str() {
        "end_turn" | "stop_sequence" => "stop",
        "max_tokens" | "max_output_tokens" | "model_context_window_exceeded" => "length",
        "tool_use" => "tool_calls",
        "refusal" => "content_filter",
        other => other,
    };
    word.to_owned()
}

/// The arguments of a call, which travel as text; `Err` holds them as they came where they are no JSON.
pub(crate) fn parse_arguments(text: &str) -> Result<Value, Value> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    serde_json::from_str(text).map_err(|_| text.into())
}

impl Completion {
    /// What counts as its words: those, or why it will not.
    pub(super) fn words(&self) -> &str {
        if self.text.is_empty() { &self.refusal } else { &self.text }
    }

    /// The answer as a message of the conversation.
    pub(super) fn message(&self) -> Value {
        let mut message = Map::new();
        message.insert("role".into(), "assistant".into());
        let silent = self.text.is_empty() && (!self.calls.is_empty() || !self.refusal.is_empty());
        message.insert("content".into(), if silent { Value::Null } else { self.text.as_str().into() });
        if !self.refusal.is_empty() {
            message.insert("refusal".into(), self.refusal.as_str().into());
        }
        if !self.calls.is_empty() {
            message.insert("tool_calls".into(), self.calls.iter().map(CompletionCall::value).collect());
        }
        if !self.thoughts.is_empty() {
            message.insert("thinking_blocks".into(), self.thoughts.clone().into());
        }
        Value::Object(message)
    }

    /// The answer as a trace shows it, and as functions of an agent see it.
    pub(super) fn value(&self) -> Value {
        let mut value = Map::new();
        value.insert("content".into(), self.text.as_str().into());
        for (name, text) in [("refusal", &self.refusal), ("reasoning_content", &self.reasoning)] {
            if !text.is_empty() {
                value.insert(name.into(), text.as_str().into());
            }
        }
        if !self.calls.is_empty() {
            value.insert("tool_calls".into(), self.calls.iter().map(CompletionCall::value).collect());
        }
        value.insert("finish_reason".into(), self.finish.clone().into());
        value.insert("model".into(), self.model.clone().into());
        let Usage { tokens_in, tokens_out, .. } = self.usage;
        value.insert("usage".into(), json!({ "prompt_tokens": tokens_in, "completion_tokens": tokens_out }));
        Value::Object(value)
    }
}

impl CompletionCall {
    /// The call as a message has it.
    pub(super) fn value(&self) -> Value {
        json!({
            "id": self.id,
            "type": "function",
            "function": { "name": self.name, "arguments": self.arguments },
        })
    }

    /// Its arguments; `Err` holds them as they came where they are no JSON.
    pub(crate) fn parsed(&self) -> Result<Value, Value> {
        parse_arguments(&self.arguments)
    }

    /// The call as a trace has it.
    pub(crate) fn traced(&self) -> ToolCall {
        let args = self.parsed().unwrap_or_else(|raw| raw).into();
        ToolCall { call_id: self.id.clone(), name: self.name.clone(), args, ..ToolCall::default() }
    }
}
