//! Chat Completions bit by bit.

use serde::Serialize;

use super::super::answer::{Answer, CallForm, WantedCall};
use super::super::events::Events;
use super::super::tokens::tokens;
use super::chat::{FINGERPRINT, Usage};
use super::finish_reason;

#[derive(Serialize)]
#[expect(clippy::option_option, reason = "absent and null are two things on the wire")]
struct Chunk<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    model: &'a str,
    service_tier: &'static str,
    system_fingerprint: &'static str,
    choices: &'a [Choice<'a>],
    /// Null in all chunks but the last of a stream that tells it, absent in any other stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<Usage>>,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u32,
    delta: Delta<'a>,
    logprobs: (),
    finish_reason: Option<&'static str>,
}

#[derive(Serialize, Default)]
struct Delta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<[CallDelta<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<FunctionDelta<'a>>,
}

#[derive(Serialize)]
struct CallDelta<'a> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'static str>,
    function: FunctionDelta<'a>,
}

#[derive(Serialize)]
struct FunctionDelta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    arguments: &'a str,
}

/// Writes chunks of one answer.
struct Writer<'a> {
    answer: &'a Answer,
    id: String,
    events: Events,
}

impl Writer<'_> {
    fn delta(&mut self, index: u32, delta: Delta<'_>, finish_reason: Option<&'static str>) {
        self.chunk(&[Choice { index, delta, logprobs: (), finish_reason }], None);
    }

    fn tool_call(&mut self, index: u32, at: usize, call: &WantedCall) {
        let function = FunctionDelta { name: Some(&call.name), arguments: "" };
        let begin = CallDelta { index: at, id: Some(&call.id), r#type: Some("function"), function };
        self.delta(index, Delta { tool_calls: Some([begin]), ..Delta::default() }, None);
        let function = FunctionDelta { name: None, arguments: "" };
        let more = CallDelta { index: at, id: None, r#type: None, function };
        self.delta(index, Delta { tool_calls: Some([more]), ..Delta::default() }, None);
        self.events.say_like_last(tokens(&call.json));
    }

    /// The call of a function that is not a tool.
    fn function(&mut self, index: u32, call: &WantedCall) {
        let begin = FunctionDelta { name: Some(&call.name), arguments: "" };
        self.delta(index, Delta { function_call: Some(begin), ..Delta::default() }, None);
        let more = FunctionDelta { name: None, arguments: "" };
        self.delta(index, Delta { function_call: Some(more), ..Delta::default() }, None);
        self.events.say_like_last(tokens(&call.json));
    }

    fn chunk(&mut self, choices: &[Choice<'_>], usage: Option<Usage>) {
        let answer = self.answer;
        self.events.data(&Chunk {
            id: &self.id,
            object: "chat.completion.chunk",
            created: answer.created,
            model: &answer.model,
            service_tier: "default",
            system_fingerprint: FINGERPRINT,
            choices,
            usage: answer.include_usage.then_some(usage),
        });
    }
}

/// The chunks of an answer, choice after choice, and the end.
pub(super) fn events(answer: &Answer) -> Events {
    let mut writer = Writer { answer, id: answer.id("chatcmpl-"), events: Events::default() };
    for index in 0..answer.choices {
        let begin = Delta { role: Some("assistant"), content: answer.text.as_ref().map(|_| ""), ..Delta::default() };
        writer.delta(index, begin, None);
        if let Some(text) = &answer.text {
            writer.delta(index, Delta { content: Some(""), ..Delta::default() }, None);
            writer.events.say_like_last(tokens(text));
        }
        for (at, call) in answer.calls.iter().enumerate() {
            match answer.form {
                CallForm::Tools => writer.tool_call(index, at, call),
                CallForm::Function => writer.function(index, call),
            }
        }
        writer.delta(index, Delta::default(), Some(finish_reason(answer)));
    }
    if answer.include_usage {
        writer.chunk(&[], Some(Usage::of(answer)));
    }
    writer.events.raw("[DONE]");
    writer.events
}
