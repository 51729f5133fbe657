//! An answer at once.

use serde::Serialize;
use serde_json::Value;

use super::super::answer::{Answer, WantedCall};
use super::finish_reason;

/// A response, whole or a part of a stream.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names are the provider's")]
pub(super) struct Response<'a> {
    pub(super) candidates: Vec<Candidate<'a>>,
    pub(super) usage_metadata: Usage,
    pub(super) model_version: &'a str,
    pub(super) response_id: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Candidate<'a> {
    pub(super) content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) finish_reason: Option<&'static str>,
    pub(super) index: u32,
}

#[derive(Serialize)]
pub(super) struct Content<'a> {
    pub(super) parts: Vec<Part<'a>>,
    pub(super) role: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Part<'a> {
    Text(&'a str),
    FunctionCall(FunctionCall<'a>),
}

#[derive(Serialize)]
pub(super) struct FunctionCall<'a> {
    id: &'a str,
    name: &'a str,
    args: &'a Value,
}

impl<'a> Part<'a> {
    pub(super) fn of(call: &'a WantedCall) -> Self {
        Part::FunctionCall(FunctionCall { id: &call.id, name: &call.name, args: &call.args })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Usage {
    prompt_token_count: u32,
    candidates_token_count: u32,
    total_token_count: u64,
    prompt_tokens_details: [Detail; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Detail {
    modality: &'static str,
    token_count: u32,
}

impl Usage {
    pub(super) fn of(answer: &Answer) -> Self {
        Self {
            prompt_token_count: answer.input_tokens,
            candidates_token_count: answer.output_tokens,
            total_token_count: answer.total_tokens(),
            prompt_tokens_details: [Detail { modality: "TEXT", token_count: answer.input_tokens }],
        }
    }
}

/// What ids of answers begin with; Google's have no prefix.
pub(super) const ID: &str = "agentci";

/// The whole response.
pub(in super::super) fn whole(answer: &Answer) -> Vec<u8> {
    let candidate = |index| {
        let said = answer.text.as_deref().filter(|text| !text.is_empty()).map(Part::Text);
        let parts = said.into_iter().chain(answer.calls.iter().map(Part::of)).collect();
        Candidate {
            content: Content { parts, role: "model" },
            finish_reason: Some(finish_reason(answer.finish)),
            index,
        }
    };
    let response = Response {
        candidates: (0..answer.choices).map(candidate).collect(),
        usage_metadata: Usage::of(answer),
        model_version: &answer.model,
        response_id: &answer.id(ID),
    };
    serde_json::to_vec(&response).unwrap_or_default()
}
