//! The answer of a model, in one format for all providers.

use agentci_trace::ToolCall;
use serde_json::{Map, Value, json};

/// The API of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WireApi {
    /// `OpenAI`'s Chat Completions.
    Chat,
    /// `OpenAI`'s Responses.
    Responses,
    /// Anthropic's Messages.
    Messages,
    /// Google's `generateContent`.
    Gemini,
    /// Ollama's `chat` and `generate`.
    Ollama,
    /// Cohere's chat, version 2.
    Cohere,
    /// Amazon Bedrock's Converse, and `InvokeModel` with the models of Anthropic and Amazon.
    Bedrock,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelAnswer {
    /// The provider's id of the answer.
    pub id: Option<String>,
    /// The model name in the answer.
    pub model: Option<String>,
    /// The text, including a refusal.
    pub text: String,
    /// The reasoning, as far as the provider returns it.
    pub reasoning: String,
    /// The tool calls that it requests.
    pub calls: Vec<AnswerCall>,
    /// The tools that the provider executed itself.
    pub provider_tools: Vec<ProviderTool>,
    /// The token usage, if the answer contains it.
    pub usage: Option<AnswerUsage>,
    /// The finish reason of the provider.
    pub finish: Option<String>,
    /// The error in place of the answer, or within it.
    pub error: Option<String>,
    pub complete: bool,
    /// Notes on parts that could not be read.
    pub notes: Vec<String>,
    /// The answer as the provider would have sent it without streaming; null if there is none.
    pub whole: Value,
}

/// A tool call that a model requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerCall {
    /// The id; empty if the provider sends none.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments as JSON, which need not be valid.
    pub arguments: String,
}

/// A tool that the provider executed itself, such as web search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProviderTool {
    /// The id; empty if the provider sends none.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// Its arguments, as far as the answer contains them.
    pub arguments: Value,
    /// Its result, as far as the answer contains it.
    pub result: Value,
    /// The error, if it failed.
    pub error: Option<String>,
}

/// The token usage of an answer; `None` is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnswerUsage {
    /// Input tokens, including cached ones.
    pub input: Option<u64>,
    /// Output tokens, including reasoning.
    pub output: Option<u64>,
    /// Input tokens that were read from the cache.
    pub cached_input: Option<u64>,
    /// Input tokens that were written to the cache, which some providers charge more for.
    pub cache_writes: Option<u64>,
    /// Output tokens of the reasoning.
    pub reasoning: Option<u64>,
}

impl AnswerCall {
    /// Reads a function call whose arguments are in this field.
    pub(super) fn read(id: &str, function: &Value, field: &str) -> Self {
        Self { id: id.to_owned(), name: text(function, "name").to_owned(), arguments: arguments(function.get(field)) }
    }

    /// The call in the format of Chat Completions.
    pub fn value(&self) -> Value {
        let function = json!({ "name": self.name, "arguments": self.arguments });
        json!({ "id": self.id, "type": "function", "function": function })
    }

    /// Its parsed arguments; `Err` contains the raw text if it is not JSON.
    pub fn parsed(&self) -> Result<Value, Value> {
        parse_arguments(&self.arguments)
    }

    /// The call as a trace shows it.
    pub fn traced(&self) -> ToolCall {
        let args = self.parsed().unwrap_or_else(|raw| raw).into();
        ToolCall { call_id: self.id.clone(), name: self.name.clone(), args, ..ToolCall::default() }
    }
}

impl AnswerUsage {
    /// The usage of a provider whose input does not include cached tokens.
    pub(super) fn beside_cache(
        input: Option<u64>,
        output: Option<u64>,
        cached: Option<u64>,
        written: Option<u64>,
    ) -> Option<Self> {
        let all =
            |input: u64| input.saturating_add(cached.unwrap_or_default()).saturating_add(written.unwrap_or_default());
        let input = input.map(all);
        Self { input, output, cached_input: cached, cache_writes: written, reasoning: None }.known()
    }

    /// `None` if nothing is known.
    pub(super) fn known(self) -> Option<Self> {
        (self.input.is_some() || self.output.is_some()).then_some(self)
    }
}

/// Parses the arguments of a call; `Err` contains the raw text if it is not JSON.
pub fn parse_arguments(text: &str) -> Result<Value, Value> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    serde_json::from_str(text).map_err(|_| text.into())
}

/// The string at a key; empty if there is none.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The non-empty string at a key.
pub(super) fn named(value: &Value, key: &str) -> Option<String> {
    Some(text(value, key)).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The list at a key; empty if there is none.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A number of tokens; Cohere sends floats.
pub(super) fn count(value: &Value, key: &str) -> Option<u64> {
    let value = value.get(key)?;
    let of_float = || value.as_f64().filter(|count| (0.0..9e15).contains(count)).map(whole);
    value.as_u64().or_else(of_float)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is known to be from 0 to 9e15")]
fn whole(count: f64) -> u64 {
    count as u64
}

/// Arguments as JSON: most providers send a string, some the data itself.
pub(super) fn arguments(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(data) => data.to_string(),
    }
}
