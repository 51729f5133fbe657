//! An answer of a model, in one shape for all providers.

use serde_json::{Value, json};

/// The API that an answer was given by.
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

/// An answer of a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelAnswer {
    /// The provider's id of it.
    pub id: Option<String>,
    /// The model that gave it, as the answer says.
    pub model: Option<String>,
    /// What it says; a refusal included.
    pub text: String,
    /// What the model thought, as far as the provider tells.
    pub reasoning: String,
    /// The tools that it wants called.
    pub calls: Vec<AnswerCall>,
    /// The tools that the provider ran itself.
    pub provider_tools: Vec<ProviderTool>,
    /// What it used up, where the answer says so.
    pub usage: Option<AnswerUsage>,
    /// Why it ended, in the provider's word.
    pub finish: Option<String>,
    /// The error that came instead of it, or in the middle of it.
    pub error: Option<String>,
    /// Whether it came to its end.
    pub complete: bool,
    /// What could not be read.
    pub notes: Vec<String>,
    /// The answer as the provider would have sent it at once; null where there is none.
    pub whole: Value,
}

/// A tool that a model wants called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerCall {
    /// Empty where the provider gives none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// As JSON; what a model wrote need not be valid.
    pub arguments: String,
}

/// A tool that the provider ran itself, such as a search of the web.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProviderTool {
    /// Empty where the provider gives none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments, as far as the answer tells.
    pub arguments: Value,
    /// What it gave, as far as the answer tells.
    pub result: Value,
    /// What went wrong.
    pub error: Option<String>,
}

/// Tokens that an answer used up; `None` is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnswerUsage {
    /// Tokens that the model read, cached ones included.
    pub input: Option<u64>,
    /// Tokens that the model wrote, reasoning included.
    pub output: Option<u64>,
    /// Of the input: tokens that came from the cache.
    pub cached_input: Option<u64>,
    /// Of the input: tokens that were put into the cache, which some providers charge more for.
    pub cache_writes: Option<u64>,
    /// Of the output: tokens that were thought.
    pub reasoning: Option<u64>,
}

impl AnswerCall {
    /// Reads a call of a function, which has its arguments in this field.
    pub(super) fn read(id: &str, function: &Value, field: &str) -> Self {
        Self { id: id.to_owned(), name: text(function, "name").to_owned(), arguments: arguments(function.get(field)) }
    }

    /// The call as Chat Completions write it.
    pub(super) fn written(self) -> Value {
        let function = json!({ "name": self.name, "arguments": self.arguments });
        json!({ "id": self.id, "type": "function", "function": function })
    }
}

impl AnswerUsage {
    /// The usage of a provider that does not count what the cache gave and took among the input.
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

    /// Nothing where nothing is known.
    pub(super) fn known(self) -> Option<Self> {
        (self.input.is_some() || self.output.is_some()).then_some(self)
    }
}

/// The text at a key; empty where there is none.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The text at a key that is not empty.
pub(super) fn named(value: &Value, key: &str) -> Option<String> {
    Some(text(value, key)).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The list at a key; empty where there is none.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A number of tokens; Cohere writes them as floats.
pub(super) fn count(value: &Value, key: &str) -> Option<u64> {
    let value = value.get(key)?;
    let of_float = || value.as_f64().filter(|count| (0.0..9e15).contains(count)).map(whole);
    value.as_u64().or_else(of_float)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is known to be from 0 to 9e15")]
fn whole(count: f64) -> u64 {
    count as u64
}

/// Arguments as JSON: most providers send a text, some the data itself.
pub(super) fn arguments(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(data) => data.to_string(),
    }
}
