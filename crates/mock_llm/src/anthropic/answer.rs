//! Writes a message, whole or streamed.

use agentci_plan::Finish;
use serde_json::{Value, json};

use crate::{answer::SpokenAnswer, events::AnswerEvents, tokens::tokens};

fn stop_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "end_turn",
        Finish::Length => "max_tokens",
        Finish::ToolCalls => "tool_use",
        Finish::ContentFilter => "refusal",
    }
}

pub(in super::super) fn whole(answer: &SpokenAnswer) -> Value {
    let said = answer.text.as_deref().filter(|text| !text.is_empty()).map(text_block);
    let calls = answer.calls.iter().map(|call| tool_use(&call.id, &call.name, &call.args));
    let usage = usage(answer.input_tokens, answer.output_tokens);
    message(answer, &said.into_iter().chain(calls).collect::<Vec<_>>(), Some(stop_reason(answer.finish)), &usage)
}

fn message(answer: &SpokenAnswer, content: &[Value], stop_reason: Option<&str>, usage: &Value) -> Value {
    json!({
        "id": answer.id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": null,
        "usage": usage,
    })
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn tool_use(id: &str, name: &str, input: &Value) -> Value {
    json!({ "type": "tool_use", "id": id, "name": name, "input": input })
}

fn usage(input: u32, output: u32) -> Value {
    json!({
        "input_tokens": input,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": output,
    })
}

pub(in super::super) fn events(answer: &SpokenAnswer) -> AnswerEvents {
    let mut events = AnswerEvents::default();
    let begun = message(answer, &[], None, &usage(answer.input_tokens, 1));
    events.typed(&json!({ "type": "message_start", "message": begun }));
    let mut index = 0;
    if let Some(text) = answer.text.as_ref().filter(|text| !text.is_empty()) {
        block(&mut events, index, &text_block(""), &json!({ "type": "text_delta", "text": "" }), text);
        index += 1;
    }
    let empty = json!({ "type": "input_json_delta", "partial_json": "" });
    for call in &answer.calls {
        block(&mut events, index, &tool_use(&call.id, &call.name, &json!({})), &empty, &call.json);
        index += 1;
    }
    let end = json!({ "stop_reason": stop_reason(answer.finish), "stop_sequence": null });
    let usage = usage(answer.input_tokens, answer.output_tokens);
    events.typed(&json!({ "type": "message_delta", "delta": end, "usage": usage }));
    events.typed(&json!({ "type": "message_stop" }));
    events
}

/// Writes one block, from start to end. `empty` is the template of its deltas: each token replaces its last empty
/// string.
fn block(events: &mut AnswerEvents, index: usize, begun: &Value, empty: &Value, text: &str) {
    events.typed(&json!({ "type": "content_block_start", "index": index, "content_block": begun }));
    if index == 0 {
        events.typed(&json!({ "type": "ping" }));
    }
    events.typed(&json!({ "type": "content_block_delta", "index": index, "delta": empty }));
    events.say_like_last(tokens(text));
    events.typed(&json!({ "type": "content_block_stop", "index": index }));
}
