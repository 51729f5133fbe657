//! An answer at once.

use serde::Serialize;
use serde_json::Value;

use super::super::answer::{Answer, WantedCall};
use super::super::routes::Api;
use super::{done_reason, moment};

/// An answer, whole or a part of a stream.
#[derive(Serialize)]
pub(super) struct Response<'a> {
    pub(super) model: &'a str,
    pub(super) created_at: &'a str,
    #[serde(flatten)]
    pub(super) said: Said<'a>,
    pub(super) done: bool,
    #[serde(flatten)]
    pub(super) end: Option<End>,
}

/// What is said, in a field of its own for each endpoint.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Said<'a> {
    Message(Message<'a>),
    Response(&'a str),
}

#[derive(Serialize)]
pub(super) struct Message<'a> {
    pub(super) role: &'static str,
    pub(super) content: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<ToolCall<'a>>,
}

#[derive(Serialize)]
pub(super) struct ToolCall<'a> {
    id: &'a str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    index: usize,
    name: &'a str,
    arguments: &'a Value,
}

impl<'a> ToolCall<'a> {
    pub(super) fn of((index, call): (usize, &'a WantedCall)) -> Self {
        Self { id: &call.id, function: Function { index, name: &call.name, arguments: &call.args } }
    }
}

/// What the last part says; times are in nanoseconds.
#[derive(Serialize)]
pub(super) struct End {
    done_reason: &'static str,
    total_duration: u64,
    load_duration: u64,
    prompt_eval_count: u32,
    prompt_eval_duration: u64,
    eval_count: u32,
    eval_duration: u64,
}

impl End {
    pub(super) fn of(answer: &Answer) -> Self {
        Self {
            done_reason: done_reason(answer.finish),
            total_duration: 4_000_000,
            load_duration: 1_000_000,
            prompt_eval_count: answer.input_tokens,
            prompt_eval_duration: 1_000_000,
            eval_count: answer.output_tokens,
            eval_duration: 2_000_000,
        }
    }
}

/// The whole answer.
pub(in super::super) fn whole(answer: &Answer, api: Api) -> Vec<u8> {
    let text = answer.text.as_deref().unwrap_or_default();
    let said = match api {
        Api::OllamaGenerate => Said::Response(text),
        _ => Said::Message(Message {
            role: "assistant",
            content: text,
            tool_calls: answer.calls.iter().enumerate().map(ToolCall::of).collect(),
        }),
    };
    let created_at = moment(answer.created);
    let end = Some(End::of(answer));
    let response = Response { model: &answer.model, created_at: &created_at, said, done: true, end };
    serde_json::to_vec(&response).unwrap_or_default()
}
