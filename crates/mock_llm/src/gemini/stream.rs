//! An answer bit by bit: responses that have one part each. A call comes whole, and the last response says why the model stopped.

use super::super::answer::Answer;
use super::super::events::{Events, Framing};
use super::super::tokens::{count, tokens};
use super::finish_reason;
use super::whole::{Candidate, Content, ID, Part, Response, Usage};

/// The responses of an answer.
pub(in super::super) fn events(answer: &Answer, framing: Framing) -> Events {
    let mut events = Events::framed(framing);
    let id = answer.id(ID);
    for index in 0..answer.choices {
        let said = answer.text.as_deref().map(tokens).into_iter().flatten().map(|token| (Part::Text(token), 1));
        let calls = answer.calls.iter().map(|call| (Part::of(call), count(&call.json)));
        let mut parts = said.chain(calls).peekable();
        let mut send = |part: Option<Part<'_>>, spoken: u32, ends: bool| {
            let candidate = Candidate {
                content: Content { parts: part.into_iter().collect(), role: "model" },
                finish_reason: ends.then(|| finish_reason(answer.finish)),
                index,
            };
            events.tokens(spoken);
            events.data(&Response {
                candidates: vec![candidate],
                usage_metadata: Usage::of(answer),
                model_version: &answer.model,
                response_id: &id,
            });
        };
        if parts.peek().is_none() {
            send(None, 0, true);
        }
        while let Some((part, spoken)) = parts.next() {
            send(Some(part), spoken, parts.peek().is_none());
        }
    }
    events.close();
    events
}
