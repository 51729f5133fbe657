//! Streams of Chat Completions.

use serde::Serialize;

use super::chat::{ChatUsage, FINGERPRINT, TIER};
use crate::answer::{CallForm, SpokenAnswer, WantedCall};
use crate::{events::AnswerEvents, tokens::tokens};

/// The fields that all chunks of an answer share.
#[derive(Serialize)]
struct ChunkHead<'a> {
    id: String,
    object: &'static str,
    created: u64,
    model: &'a str,
    service_tier: &'static str,
    system_fingerprint: &'static str,
}

/// The other fields of a chunk.
#[derive(Serialize)]
#[expect(clippy::option_option, reason = "`usage` is absent, null or an object")]
struct ChunkRest<'a> {
    choices: &'a [ChunkChoice<'a>],
    /// If requested, present in every chunk and null in all but the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<ChatUsage>>,
}

#[derive(Serialize)]
struct ChunkChoice<'a> {
    index: u32,
    delta: ChunkDelta<'a>,
    logprobs: (),
    finish_reason: Option<&'static str>,
}

#[derive(Clone, Copy, Default, Serialize)]
struct ChunkDelta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<[ToolCallDelta<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<FunctionDelta<'a>>,
}

#[derive(Clone, Copy, Serialize)]
struct ToolCallDelta<'a> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'static str>,
    function: FunctionDelta<'a>,
}

#[derive(Clone, Copy, Serialize)]
struct FunctionDelta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    arguments: &'a str,
}

struct ChunkWriter<'a> {
    answer: &'a SpokenAnswer,
    /// A [`ChunkHead`] as JSON, written once for all chunks.
    head: Vec<u8>,
    events: AnswerEvents,
}

impl ChunkWriter<'_> {
    fn delta(&mut self, index: u32, delta: ChunkDelta<'_>, finish_reason: Option<&'static str>) {
        self.chunk(&[ChunkChoice { index, delta, logprobs: (), finish_reason }], None);
    }

    /// Writes one delta per token. `empty` is the template: each token replaces its last empty string.
    fn deltas(&mut self, index: u32, empty: ChunkDelta<'_>, text: &str) {
        self.delta(index, empty, None);
        self.events.say_like_last(tokens(text));
    }

    fn tool_call(&mut self, index: u32, at: usize, call: &WantedCall) {
        let delta = |call| ChunkDelta { tool_calls: Some([call]), ..ChunkDelta::default() };
        let (begin, more) = FunctionDelta::of(call);
        let (id, kind) = (Some(call.id.as_str()), Some("function"));
        self.delta(index, delta(ToolCallDelta { index: at, id, r#type: kind, function: begin }), None);
        let more = ToolCallDelta { index: at, id: None, r#type: None, function: more };
        self.deltas(index, delta(more), &call.json);
    }

    fn function(&mut self, index: u32, call: &WantedCall) {
        let delta = |function| ChunkDelta { function_call: Some(function), ..ChunkDelta::default() };
        let (begin, more) = FunctionDelta::of(call);
        self.delta(index, delta(begin), None);
        self.deltas(index, delta(more), &call.json);
    }

    fn chunk(&mut self, choices: &[ChunkChoice<'_>], usage: Option<ChatUsage>) {
        let usage = self.answer.include_usage.then_some(usage);
        self.events.data_after(&self.head, &ChunkRest { choices, usage });
    }
}

impl<'a> FunctionDelta<'a> {
    /// The first delta of a call, and the template for each token of its arguments.
    fn of(call: &'a WantedCall) -> (Self, Self) {
        (Self { name: Some(&call.name), arguments: "" }, Self { name: None, arguments: "" })
    }
}

pub(in super::super) fn events(answer: &SpokenAnswer) -> AnswerEvents {
    let head = ChunkHead {
        id: answer.id("chatcmpl-"),
        object: "chat.completion.chunk",
        created: answer.created,
        model: &answer.model,
        service_tier: TIER,
        system_fingerprint: FINGERPRINT,
    };
    let head = serde_json::to_vec(&head).expect("strings and numbers serialize as JSON");
    let mut writer = ChunkWriter { answer, head, events: AnswerEvents::default() };
    let empty = ChunkDelta { content: Some(""), ..ChunkDelta::default() };
    for index in 0..answer.choices {
        let begin = ChunkDelta { role: Some("assistant"), ..ChunkDelta::default() };
        match &answer.text {
            Some(text) => {
                writer.delta(index, ChunkDelta { content: Some(""), ..begin }, None);
                writer.deltas(index, empty, text);
            }
            None => writer.delta(index, begin, None),
        }
        for (at, call) in answer.calls.iter().enumerate() {
            match answer.form {
                CallForm::Tools => writer.tool_call(index, at, call),
                CallForm::Function => writer.function(index, call),
            }
        }
        writer.delta(index, ChunkDelta::default(), Some(answer.finish_reason()));
    }
    if answer.include_usage {
        writer.chunk(&[], Some(ChatUsage::of(answer)));
    }
    writer.events.raw("[DONE]");
    writer.events
}
