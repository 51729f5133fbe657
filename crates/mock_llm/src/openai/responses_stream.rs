//! Streams of the Responses API: each event has a name, a number, and the item it belongs to.

use serde_json::{Value, json};

use super::responses::{call, call_item, message, part, response};
use crate::{answer::SpokenAnswer, events::AnswerEvents, tokens::tokens};

#[derive(Default)]
struct ResponsesWriter {
    events: AnswerEvents,
    number: u64,
}

impl ResponsesWriter {
    fn event(&mut self, name: &'static str, mut fields: Value) {
        if let Value::Object(fields) = &mut fields {
            fields.insert("type".into(), name.into());
            fields.insert("sequence_number".into(), self.number.into());
        }
        self.number += 1;
        self.events.named(name, &fields);
    }

    fn delta(&mut self, name: &'static str, item_id: &str, output_index: usize, of_text: bool, delta: &str) {
        self.events.tokens(1);
        let mut event = json!({ "type": name, "sequence_number": self.number, "item_id": item_id });
        event["output_index"] = output_index.into();
        if of_text {
            event["content_index"] = 0.into();
        }
        event["delta"] = delta.into();
        if of_text {
            event["logprobs"] = json!([]);
        }
        self.number += 1;
        self.events.named(name, &event);
    }

    fn message(&mut self, answer: &SpokenAnswer, text: &str) -> Value {
        let id = answer.id("msg_");
        let place = |more: Value| {
            let mut fields = json!({ "item_id": id, "output_index": 0, "content_index": 0 });
            if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
                fields.extend(more);
            }
            fields
        };
        let begun = message(answer, "in_progress", None);
        self.event("response.output_item.added", json!({ "output_index": 0, "item": begun }));
        self.event("response.content_part.added", place(json!({ "part": part("") })));
        for token in tokens(text) {
            self.delta("response.output_text.delta", &id, 0, true, token);
        }
        self.event("response.output_text.done", place(json!({ "text": text, "logprobs": [] })));
        self.event("response.content_part.done", place(json!({ "part": part(text) })));
        let done = message(answer, "completed", Some(text));
        self.event("response.output_item.done", json!({ "output_index": 0, "item": done }));
        done
    }

    fn call(&mut self, answer: &SpokenAnswer, at: usize, output_index: usize) -> Value {
        let (id, wanted) = (call_item(answer, at), &answer.calls[at]);
        let begun = call(answer, at, "in_progress", false);
        self.event("response.output_item.added", json!({ "output_index": output_index, "item": begun }));
        for token in tokens(&wanted.json) {
            self.delta("response.function_call_arguments.delta", &id, output_index, false, token);
        }
        let whole = json!({
            "item_id": id, "output_index": output_index, "name": wanted.name, "arguments": wanted.json,
        });
        self.event("response.function_call_arguments.done", whole);
        let done = call(answer, at, "completed", true);
        self.event("response.output_item.done", json!({ "output_index": output_index, "item": done }));
        done
    }
}

pub(in super::super) fn events(answer: &SpokenAnswer) -> AnswerEvents {
    let mut writer = ResponsesWriter::default();
    writer.event("response.created", json!({ "response": response(answer, None) }));
    writer.event("response.in_progress", json!({ "response": response(answer, None) }));
    let mut items = Vec::new();
    if let Some(text) = &answer.text {
        items.push(writer.message(answer, text));
    }
    for at in 0..answer.calls.len() {
        let output_index = items.len();
        items.push(writer.call(answer, at, output_index));
    }
    let done = response(answer, Some(items));
    let name = if done["status"] == "incomplete" { "response.incomplete" } else { "response.completed" };
    writer.event(name, json!({ "response": done }));
    writer.events
}
