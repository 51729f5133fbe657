//! A message bit by bit.

use serde::Serialize;
use serde_json::{Map, Value};

use super::super::answer::Answer;
use super::super::events::Events;
use super::super::tokens::tokens;
use super::stop_reason;
use super::whole::{Block, Message, Usage};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event<'a> {
    MessageStart { message: Message<'a> },
    ContentBlockStart { index: usize, content_block: Block<'a> },
    Ping,
    ContentBlockDelta { index: usize, delta: Delta<'a> },
    ContentBlockStop { index: usize },
    MessageDelta { delta: End, usage: Usage },
    MessageStop,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Delta<'a> {
    TextDelta { text: &'a str },
    InputJsonDelta { partial_json: &'a str },
}

#[derive(Serialize)]
struct End {
    stop_reason: &'static str,
    stop_sequence: (),
}

/// The events of a message.
pub(in super::super) fn events(answer: &Answer) -> Events {
    let mut events = Events::default();
    let message = Message {
        id: &answer.id("msg_"),
        r#type: "message",
        role: "assistant",
        model: &answer.model,
        content: Vec::new(),
        stop_reason: None,
        stop_sequence: (),
        usage: Usage::new(answer.input_tokens, 1),
    };
    events.named("message_start", &Event::MessageStart { message });
    let mut index = 0;
    if let Some(text) = answer.text.as_ref().filter(|text| !text.is_empty()) {
        begin(&mut events, index, Block::Text { text: "" });
        delta(&mut events, index, Delta::TextDelta { text: "" }, text);
        events.named("content_block_stop", &Event::ContentBlockStop { index });
        index += 1;
    }
    let nothing = Value::Object(Map::new());
    for call in &answer.calls {
        begin(&mut events, index, Block::ToolUse { id: &call.id, name: &call.name, input: &nothing });
        delta(&mut events, index, Delta::InputJsonDelta { partial_json: "" }, &call.json);
        events.named("content_block_stop", &Event::ContentBlockStop { index });
        index += 1;
    }
    let end = End { stop_reason: stop_reason(answer.finish), stop_sequence: () };
    let usage = Usage::new(answer.input_tokens, answer.output_tokens);
    events.named("message_delta", &Event::MessageDelta { delta: end, usage });
    events.named("message_stop", &Event::MessageStop);
    events
}

/// A block begins; after the first one comes a sign of life, as in the real stream.
fn begin(events: &mut Events, index: usize, content_block: Block<'_>) {
    events.named("content_block_start", &Event::ContentBlockStart { index, content_block });
    if index == 0 {
        events.named("ping", &Event::Ping);
    }
}

/// The tokens of a text, each in the place of the empty text of a delta.
fn delta(events: &mut Events, index: usize, delta: Delta<'_>, text: &str) {
    events.named("content_block_delta", &Event::ContentBlockDelta { index, delta });
    events.say_like_last(tokens(text));
}
