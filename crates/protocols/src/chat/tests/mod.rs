//! Answers as providers document them: whole, streamed, truncated and invalid.

mod hostile;
mod special;
mod spoken;
mod torn;

use serde_json::{Value, json};

use super::{AnswerCall, ModelAnswer, WireApi, read_answer};

/// An answer of one provider, streamed and whole, with the same content.
struct Spoken {
    api: WireApi,
    content_type: &'static str,
    stream: Vec<u8>,
    whole: Value,
    model: Option<&'static str>,
    finish: &'static str,
    ids: [&'static str; 2],
}

const SSE: &str = "text/event-stream; charset=utf-8";
const EVENT_STREAM: &str = "application/vnd.amazon.eventstream";

impl Spoken {
    fn streamed(&self) -> ModelAnswer {
        read_answer(self.api, 200, self.content_type, [self.stream.as_slice()])
    }
}

fn read(api: WireApi, body: &Value) -> ModelAnswer {
    read_answer(api, 200, "application/json", [body.to_string().as_bytes()])
}

fn sse(events: &[Value]) -> Vec<u8> {
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<Vec<_>>().concat().into_bytes()
}

/// Server-sent events with their types as names, as `OpenAI`'s Responses and Anthropic send them.
fn named(events: &[Value]) -> Vec<u8> {
    let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    events.iter().map(event).collect::<Vec<_>>().concat().into_bytes()
}

fn lines(events: &[Value]) -> Vec<u8> {
    events.iter().map(|event| format!("{event}\n")).collect::<Vec<_>>().concat().into_bytes()
}

/// Messages of an AWS event stream; checksums are left empty.
fn aws(events: &[(&str, Value)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (kind, payload) in events {
        let mut head = Vec::new();
        let name = if kind.ends_with("Exception") { ":exception-type" } else { ":event-type" };
        for (name, value) in [(":content-type", "application/json"), (name, kind)] {
            head.push(u8::try_from(name.len()).unwrap());
            head.extend_from_slice(name.as_bytes());
            head.push(7);
            head.extend_from_slice(&u16::try_from(value.len()).unwrap().to_be_bytes());
            head.extend_from_slice(value.as_bytes());
        }
        let payload = payload.to_string();
        let length = u32::try_from(16 + head.len() + payload.len()).unwrap();
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(&u32::try_from(head.len()).unwrap().to_be_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&head);
        bytes.extend_from_slice(payload.as_bytes());
        bytes.extend_from_slice(&[0; 4]);
    }
    bytes
}

fn call(id: &str, name: &str, arguments: &str) -> AnswerCall {
    AnswerCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}
