//! Chat Completions bit by bit.

use serde_json::{Value, json};

use super::chat::{FINGERPRINT, usage};
use crate::answer::{CallForm, SpokenAnswer, WantedCall};
use crate::{events::AnswerEvents, tokens::tokens};

struct ChunkWriter<'a> {
    answer: &'a SpokenAnswer,
    id: String,
    events: AnswerEvents,
}

impl ChunkWriter<'_> {
    fn delta(&mut self, index: u32, delta: &Value, finish_reason: Option<&str>) {
        let choice = json!({ "index": index, "delta": delta, "logprobs": null, "finish_reason": finish_reason });
        self.chunk(&json!([choice]), &Value::Null);
    }

    /// The tokens of a text, each in a delta of its own like this one, whose last text is empty.
    fn deltas(&mut self, index: u32, empty: &Value, text: &str) {
        self.delta(index, empty, None);
        self.events.say_like_last(tokens(text));
    }

    fn tool_call(&mut self, index: u32, at: usize, call: &WantedCall) {
        let function = json!({ "name": call.name, "arguments": "" });
        let begin = json!({ "index": at, "id": call.id, "type": "function", "function": function });
        self.delta(index, &json!({ "tool_calls": [begin] }), None);
        let more = json!({ "index": at, "function": { "arguments": "" } });
        self.deltas(index, &json!({ "tool_calls": [more] }), &call.json);
    }

    fn function(&mut self, index: u32, call: &WantedCall) {
        self.delta(index, &json!({ "function_call": { "name": call.name, "arguments": "" } }), None);
        self.deltas(index, &json!({ "function_call": { "arguments": "" } }), &call.json);
    }

    fn chunk(&mut self, choices: &Value, usage: &Value) {
        let mut chunk = json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.answer.created,
            "model": self.answer.model,
            "service_tier": "default",
            "system_fingerprint": FINGERPRINT,
            "choices": choices,
        });
        if self.answer.include_usage {
            chunk["usage"] = usage.clone();
        }
        self.events.data(&chunk);
    }
}

pub(in super::super) fn events(answer: &SpokenAnswer) -> AnswerEvents {
    let mut writer = ChunkWriter { answer, id: answer.id("chatcmpl-"), events: AnswerEvents::default() };
    for index in 0..answer.choices {
        match &answer.text {
            Some(text) => {
                writer.delta(index, &json!({ "role": "assistant", "content": "" }), None);
                writer.deltas(index, &json!({ "content": "" }), text);
            }
            None => writer.delta(index, &json!({ "role": "assistant" }), None),
        }
        for (at, call) in answer.calls.iter().enumerate() {
            match answer.form {
                CallForm::Tools => writer.tool_call(index, at, call),
                CallForm::Function => writer.function(index, call),
            }
        }
        writer.delta(index, &json!({}), Some(answer.finish_reason()));
    }
    if answer.include_usage {
        writer.chunk(&json!([]), &usage(answer));
    }
    writer.events.raw("[DONE]");
    writer.events
}
