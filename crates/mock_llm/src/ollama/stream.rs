//! An answer bit by bit: lines of JSON. A call comes whole, and the last line has no words.

use super::super::answer::Answer;
use super::super::events::{Events, Framing};
use super::super::routes::Api;
use super::super::tokens::{count, tokens};
use super::moment;
use super::whole::{End, Message, Response, Said, ToolCall};

/// The lines of an answer.
pub(in super::super) fn events(answer: &Answer, api: Api) -> Events {
    let mut events = Events::framed(Framing::Lines);
    let created_at = moment(answer.created);
    let mut line = |content: &str, call: Option<ToolCall<'_>>, spoken: u32, end: Option<End>| {
        let said = match api {
            Api::OllamaGenerate => Said::Response(content),
            _ => Said::Message(Message { role: "assistant", content, tool_calls: call.into_iter().collect() }),
        };
        events.tokens(spoken);
        let done = end.is_some();
        events.data(&Response { model: &answer.model, created_at: &created_at, said, done, end });
    };
    for token in answer.text.as_deref().map(tokens).into_iter().flatten() {
        line(token, None, 1, None);
    }
    // What `generate` answers has no calls.
    for call in answer.calls.iter().enumerate().filter(|_| api != Api::OllamaGenerate) {
        line("", Some(ToolCall::of(call)), count(&call.1.json), None);
    }
    line("", None, 0, Some(End::of(answer)));
    events
}
