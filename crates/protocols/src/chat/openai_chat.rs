//! `OpenAI`'s Chat Completions, also for compatible servers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::answer::{AnswerCall, AnswerUsage, ModelAnswer, count, list, named, text};
use super::pieces::{CallInput, CallPieces};
use super::read::{Assembled, object, some};

/// The maximum number of choices that are read of one answer.
const CHOICES_MOST: usize = 128;

/// Assembles a streamed answer of Chat Completions.
#[derive(Debug, Default)]
pub struct ChatAssembly {
    choices: BTreeMap<u64, AnswerChoice>,
    id: Option<String>,
    model: Option<String>,
    usage: Value,
}

/// A choice; most requests expect only one.
#[derive(Debug, Default)]
struct AnswerChoice {
    content: String,
    refusal: String,
    reasoning: String,
    calls: CallPieces,
    /// The deprecated `function_call`, a single call without an id.
    function: CallPieces,
    finish: Option<String>,
}

impl ChatAssembly {
    /// Adds an event; an answer that is not streamed counts as its only event.
    pub fn take(&mut self, event: &Value) {
        self.id = self.id.take().or_else(|| named(event, "id"));
        self.model = self.model.take().or_else(|| named(event, "model"));
        // Groq sends the usage in `x_groq`.
        for found in [event.get("usage"), event.pointer("/x_groq/usage")].into_iter().flatten() {
            if found.is_object() {
                self.usage = found.clone();
            }
        }
        for choice in list(event, "choices") {
            let index = choice["index"].as_u64().unwrap_or_default();
            if self.choices.len() < CHOICES_MOST || self.choices.contains_key(&index) {
                self.choices.entry(index).or_default().take(choice);
            }
        }
    }

    /// The number of tool calls so far.
    pub fn calls(&self) -> usize {
        self.choices.values().next().map_or(0, |choice| choice.calls.count())
    }

    /// The answer so far.
    pub fn finish(self) -> ModelAnswer {
        self.assembled().read(fill)
    }

    fn assembled(self) -> Assembled {
        let Self { choices, id, model, usage } = self;
        let complete = choices.values().next().is_some() && choices.values().all(|choice| choice.finish.is_some());
        let choices: Vec<Value> = choices.into_iter().map(|(index, choice)| choice.whole(index)).collect();
        let whole = object([
            ("id", json!(id)),
            ("object", json!("chat.completion")),
            ("model", json!(model)),
            ("choices", choices.into()),
            ("usage", usage),
        ]);
        Assembled { whole, complete }
    }
}

impl AnswerChoice {
    fn take(&mut self, choice: &Value) {
        let is_object = |part: &&Value| part.is_object();
        let streamed = choice.get("delta").filter(is_object);
        // Some servers send the whole message as their only event.
        let delta = streamed.or_else(|| choice.get("message").filter(is_object)).unwrap_or(&Value::Null);
        self.content.push_str(&words(&delta["content"]));
        self.refusal.push_str(text(delta, "refusal"));
        self.reasoning.push_str(reasoning(delta));
        for (place, call) in (0..).zip(list(delta, "tool_calls")) {
            let index = call["index"].as_u64().or_else(|| streamed.is_none().then_some(place));
            let (part, input) = piece(call);
            self.calls.take(index, part, input);
        }
        if let Some(call) = delta.get("function_call").filter(|call| call.is_object()) {
            self.function.take(Some(0), AnswerCall::read("", call, "arguments"), CallInput::Json);
        }
        self.finish = named(choice, "finish_reason").or(self.finish.take());
    }

    fn whole(self, index: u64) -> Value {
        let calls: Vec<Value> = self.calls.calls(self.finish.is_some()).map(|call| call.value()).collect();
        let function = self.function.calls(true).next();
        let function = function.map(|call| json!({ "name": call.name, "arguments": call.arguments }));
        let message = object([
            ("role", json!("assistant")),
            ("content", some(self.content)),
            ("refusal", some(self.refusal)),
            ("reasoning_content", some(self.reasoning)),
            ("tool_calls", if calls.is_empty() { Value::Null } else { calls.into() }),
            ("function_call", function.unwrap_or_default()),
        ]);
        json!({ "index": index, "message": message, "finish_reason": self.finish })
    }
}

pub(super) fn assemble(events: &[Value]) -> Assembled {
    let mut answer = ChatAssembly::default();
    for event in events {
        answer.take(event);
    }
    answer.assembled()
}

pub(super) fn fill(whole: &Value, answer: &mut ModelAnswer) {
    (answer.id, answer.model) = (named(whole, "id"), named(whole, "model"));
    answer.usage = whole.get("usage").and_then(usage);
    let Some(choice) = list(whole, "choices").first() else { return };
    let message = &choice["message"];
    answer.finish = named(choice, "finish_reason");
    answer.text = words(&message["content"]) + text(message, "refusal");
    reasoning(message).clone_into(&mut answer.reasoning);
    answer.calls.extend(list(message, "tool_calls").iter().map(called));
    // Some servers repeat a call in the deprecated form.
    if let Some(call) = message.get("function_call").filter(|call| call.is_object() && answer.calls.is_empty()) {
        answer.calls.push(AnswerCall::read("", call, "arguments"));
    }
}

/// A complete call.
fn called(call: &Value) -> AnswerCall {
    let (mut call, input) = piece(call);
    if input == CallInput::FreeText {
        call.arguments = json!(call.arguments).to_string();
    }
    call
}

/// A call or a piece of one. The input of a custom tool is free text.
fn piece(call: &Value) -> (AnswerCall, CallInput) {
    let id = text(call, "id");
    match call.get("custom") {
        Some(custom) => (AnswerCall::read(id, custom, "input"), CallInput::FreeText),
        None => (AnswerCall::read(id, &call["function"], "arguments"), CallInput::Json),
    }
}

/// The text of a message's content: a string, or parts, which Mistral sends along with its reasoning.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(|part| text(part, "text")).collect(),
        _ => String::new(),
    }
}

/// The reasoning, as named by `DeepSeek` and vLLM, or by `OpenRouter`.
fn reasoning(message: &Value) -> &str {
    let names = ["reasoning_content", "reasoning"];
    names.into_iter().map(|name| text(message, name)).find(|text| !text.is_empty()).unwrap_or_default()
}

fn usage(usage: &Value) -> Option<AnswerUsage> {
    let (input, output) = (&usage["prompt_tokens_details"], &usage["completion_tokens_details"]);
    // DeepSeek has a different name for cache hits.
    let cached = count(input, "cached_tokens").or_else(|| count(usage, "prompt_cache_hit_tokens"));
    AnswerUsage {
        input: count(usage, "prompt_tokens"),
        output: count(usage, "completion_tokens"),
        cached_input: cached,
        reasoning: count(output, "reasoning_tokens"),
        ..AnswerUsage::default()
    }
    .known()
}
