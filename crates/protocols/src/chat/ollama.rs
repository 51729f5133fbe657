//! Ollama's `chat` and `generate`.

use serde_json::{Map, Value, json};

use super::answer::{AnswerCall, AnswerUsage, ModelAnswer, count, list, named, text};
use super::read::{Assembled, object, some};

pub(super) fn assemble(events: &[Value]) -> Assembled {
    let (mut content, mut thinking, mut response) = (String::new(), String::new(), String::new());
    let mut calls: Vec<Value> = Vec::new();
    let mut last = Map::new();
    for event in events {
        let message = &event["message"];
        content.push_str(text(message, "content"));
        thinking.push_str(text(message, "thinking"));
        thinking.push_str(text(event, "thinking"));
        response.push_str(text(event, "response"));
        calls.extend_from_slice(list(message, "tool_calls"));
        let rest = event.as_object().into_iter().flatten();
        last.extend(rest.map(|(key, value)| (key.clone(), value.clone())));
    }
    let complete = last.get("done") == Some(&json!(true));
    if last.contains_key("message") {
        let calls = if calls.is_empty() { Value::Null } else { calls.into() };
        let message = object([
            ("role", json!("assistant")),
            ("content", json!(content)),
            ("thinking", some(thinking)),
            ("tool_calls", calls),
        ]);
        last.insert("message".into(), message);
    } else {
        last.insert("response".into(), response.into());
        last.insert("thinking".into(), some(thinking));
    }
    Assembled { whole: last.into(), complete }
}

pub(super) fn fill(whole: &Value, answer: &mut ModelAnswer) {
    let message = &whole["message"];
    answer.model = named(whole, "model");
    answer.text = format!("{}{}", text(message, "content"), text(whole, "response"));
    answer.reasoning = format!("{}{}", text(message, "thinking"), text(whole, "thinking"));
    answer.finish = named(whole, "done_reason");
    for call in list(message, "tool_calls") {
        answer.calls.push(AnswerCall::read(text(call, "id"), &call["function"], "arguments"));
    }
    let (input, output) = (count(whole, "prompt_eval_count"), count(whole, "eval_count"));
    answer.usage = AnswerUsage { input, output, ..AnswerUsage::default() }.known();
}
