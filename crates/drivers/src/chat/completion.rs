//! The answer of a model, assembled from its pieces.

use agentci_protocols::chat::{AnswerCall, ModelAnswer, ProviderTool};
use agentci_trace::{EventKind, Observer, ToolCall, ToolResult, Usage};
use serde_json::{Map, Value, json};

/// The answer of a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Completion {
    pub(super) text: String,
    pub(super) refusal: String,
    pub(super) reasoning: String,
    /// The tool calls that it requests.
    pub(crate) calls: Vec<AnswerCall>,
    /// The finish reason, in OpenAI's terms where possible.
    pub(crate) finish: Option<String>,
    /// The model name in the answer.
    pub(super) model: Option<String>,
    pub(super) usage: Usage,
    /// Signed reasoning blocks, as the provider expects them back.
    pub(super) thoughts: Vec<Value>,
    /// Tool calls that the provider executed itself, and their results, in order.
    pub(crate) provided: Vec<EventKind>,
}

/// New text and reasoning, as trace events.
pub(crate) type SpokenPieces = Result<Vec<EventKind>, CompletionError>;

/// Reads an answer of a model, streamed or whole.
pub(crate) trait AnswerReader {
    /// Handles the data of an event.
    fn event(&mut self, data: &str) -> SpokenPieces;

    /// Handles an answer that is not streamed.
    fn whole(&mut self, answer: &Value) -> SpokenPieces;

    /// Whether the answer is complete.
    fn is_over(&self) -> bool;

    /// The assembled answer.
    fn finish(&mut self) -> Result<Completion, CompletionError>;
}

/// Why an answer cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CompletionError {
    /// It does not follow the provider's protocol.
    Malformed(String),
    /// It ended before it was complete.
    CutOff,
    /// The provider reported an error.
    Failed { kind: Option<String>, message: String },
}

/// What is wrong with an answer that ended for this reason, given by any provider; `None` if the answer is complete.
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

/// OpenAI's name for the finish reason of any provider.
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

impl Completion {
    /// Its text, or its refusal if there is no text.
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
            message.insert("tool_calls".into(), self.calls.iter().map(AnswerCall::value).collect());
        }
        if !self.thoughts.is_empty() {
            message.insert("thinking_blocks".into(), self.thoughts.clone().into());
        }
        Value::Object(message)
    }

    /// The answer as the trace and hooks show it.
    pub(super) fn value(&self) -> Value {
        let mut value = Map::new();
        value.insert("content".into(), self.text.as_str().into());
        for (name, text) in [("refusal", &self.refusal), ("reasoning_content", &self.reasoning)] {
            if !text.is_empty() {
                value.insert(name.into(), text.as_str().into());
            }
        }
        if !self.calls.is_empty() {
            value.insert("tool_calls".into(), self.calls.iter().map(AnswerCall::value).collect());
        }
        value.insert("finish_reason".into(), self.finish.clone().into());
        value.insert("model".into(), self.model.clone().into());
        let Usage { tokens_in, tokens_out, .. } = self.usage;
        value.insert("usage".into(), json!({ "prompt_tokens": tokens_in, "completion_tokens": tokens_out }));
        Value::Object(value)
    }
}

impl From<ModelAnswer> for Completion {
    fn from(answer: ModelAnswer) -> Self {
        let used = answer.usage.unwrap_or_default();
        // A result may follow in a later answer.
        let steps = |tool: ProviderTool| {
            let answered = !tool.result.is_null() || tool.error.is_some();
            provided(tool).into_iter().take(if answered { 2 } else { 1 })
        };
        Self {
            text: answer.text,
            reasoning: answer.reasoning,
            calls: answer.calls,
            finish: answer.finish,
            model: answer.model,
            usage: Usage { tokens_in: used.input, tokens_out: used.output, cost_usd: None },
            provided: answer.provider_tools.into_iter().flat_map(steps).collect(),
            ..Self::default()
        }
    }
}

/// The call and the result of a tool that the provider executed.
pub(crate) fn provided(tool: ProviderTool) -> [EventKind; 2] {
    let ProviderTool { id, name, arguments, result, error } = tool;
    let call = ToolCall::new(id.clone(), name, arguments, Observer::Provider);
    let result = ToolResult::new(id, error.map_or(Ok(result), Err), Observer::Provider);
    [EventKind::ToolCall(call), EventKind::ToolResult(result)]
}
