//! Cohere's chat, version 2.

use serde_json::{Value, json};

use super::answer::{AnswerCall, AnswerUsage, ModelAnswer, count, list, named, text};
use super::pieces::{CallInput, CallPieces};
use super::read::{Assembled, object, some};

pub(super) fn assemble(events: &[Value]) -> Assembled {
    let (mut said, mut thought, mut plan) = (String::new(), String::new(), String::new());
    let mut calls = CallPieces::default();
    let (mut id, mut end) = (None, None);
    for event in events {
        let message = &event["delta"]["message"];
        match text(event, "type") {
            "message-start" => id = named(event, "id"),
            "content-start" | "content-delta" => {
                said.push_str(text(&message["content"], "text"));
                thought.push_str(text(&message["content"], "thinking"));
            }
            "tool-plan-delta" => plan.push_str(text(message, "tool_plan")),
            "tool-call-start" | "tool-call-delta" => {
                let call = &message["tool_calls"];
                let part = AnswerCall::read(text(call, "id"), &call["function"], "arguments");
                calls.take(event["index"].as_u64(), part, CallInput::Json);
            }
            "message-end" => end = event.get("delta"),
            _ => {}
        }
    }
    let calls: Vec<Value> = calls.calls(true).map(|call| call.value()).collect();
    let thought = (!thought.is_empty()).then(|| json!({ "type": "thinking", "thinking": thought }));
    let said = (!said.is_empty()).then(|| json!({ "type": "text", "text": said }));
    let content: Vec<Value> = thought.into_iter().chain(said).collect();
    let message = object([
        ("role", json!("assistant")),
        ("content", content.into()),
        ("tool_plan", some(plan)),
        ("tool_calls", if calls.is_empty() { Value::Null } else { calls.into() }),
    ]);
    let of_end = |key: &str| end.and_then(|end| end.get(key)).cloned().unwrap_or_default();
    let whole = object([
        ("id", json!(id)),
        ("message", message),
        ("finish_reason", of_end("finish_reason")),
        ("usage", of_end("usage")),
    ]);
    Assembled { whole, complete: end.is_some() }
}

pub(super) fn fill(whole: &Value, answer: &mut ModelAnswer) {
    let message = &whole["message"];
    (answer.id, answer.finish) = (named(whole, "id"), named(whole, "finish_reason"));
    for part in list(message, "content") {
        answer.text.push_str(text(part, "text"));
        answer.reasoning.push_str(text(part, "thinking"));
    }
    answer.reasoning.push_str(text(message, "tool_plan"));
    for call in list(message, "tool_calls") {
        answer.calls.push(AnswerCall::read(text(call, "id"), &call["function"], "arguments"));
    }
    let usage = &whole["usage"];
    // The actual tokens, or the billed ones if only those are known.
    let of = |key: &str| count(&usage["tokens"], key).or_else(|| count(&usage["billed_units"], key));
    let (input, output) = (of("input_tokens"), of("output_tokens"));
    let cached_input = count(usage, "cached_tokens");
    answer.usage = AnswerUsage { input, output, cached_input, ..AnswerUsage::default() }.known();
}
