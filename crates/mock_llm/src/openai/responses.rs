//! `POST /v1/responses`.

use std::collections::HashMap;

use agentci_plan::Finish;
use serde_json::{Value, json};

use crate::fields::{RequestFields, missing, wrong};
use crate::parsed_request::{GivenResult, ParsedRequest, result_text, text};
use crate::{answer::SpokenAnswer, refusal::ModelRefusal};

/// The maximum length of a conversation's id, in bytes.
const CONVERSATION_ID: usize = 200;

pub(in super::super) fn read(body: &Value) -> Result<ParsedRequest, ModelRefusal> {
    let fields = RequestFields::open(body)?;
    let mut parsed = ParsedRequest {
        model: fields.text("model")?.map(str::to_owned),
        stream: fields.truth("stream")?,
        choices: 1,
        previous: fields.text("previous_response_id")?.map(str::to_owned),
        conversation: conversation(&fields)?,
        ..ParsedRequest::default()
    };
    if parsed.previous.is_some() && parsed.conversation.is_some() {
        let message = "`previous_response_id` and `conversation` cannot be used together";
        return Err(ModelRefusal::of_part("previous_response_id", message).code("mutually_exclusive_parameters"));
    }
    fields.check_tools()?;
    match fields.get("input") {
        Some(input @ Value::String(text)) => {
            parsed.hear("user", input);
            parsed.user.clone_from(text);
        }
        Some(Value::Array(items)) => read_items(items, &mut parsed)?,
        Some(other) => return Err(wrong("input", "a string or a list of items", other)),
        None if parsed.previous.is_some() || parsed.conversation.is_some() || fields.get("prompt").is_some() => {}
        None => return Err(missing("input")),
    }
    Ok(parsed)
}

/// The conversation that a request names, by id or as an object with an id.
fn conversation(fields: &RequestFields<'_>) -> Result<Option<String>, ModelRefusal> {
    let id = match fields.get("conversation") {
        None => return Ok(None),
        Some(Value::String(id)) => id,
        Some(other) => match other.get("id") {
            Some(Value::String(id)) => id,
            _ => return Err(wrong("conversation", "an id or an object that has one", other)),
        },
    };
    if id.is_empty() || id.len() > CONVERSATION_ID {
        let message = format!("the id of a conversation must have from 1 to {CONVERSATION_ID} bytes");
        return Err(ModelRefusal::of_part("conversation", message).code("invalid_value"));
    }
    Ok(Some(id.clone()))
}

/// Reads items. Consecutive items of the model are one answer: its text and its calls. Outputs belong to their calls
/// wherever they are (deepseek-ai/awesome-deepseek-integration#740): one before its call counts as if it came after.
pub(super) fn read_items(items: &[Value], parsed: &mut ParsedRequest) -> Result<(), ModelRefusal> {
    let mut in_answer = false;
    let text_of = |item: &Value, key: &str| item[key].as_str().map(str::to_owned);
    let calls = items.iter().enumerate().filter(|(_, item)| text_of(item, "type").as_deref() == Some("function_call"));
    // Of several calls with the same id, the first counts; it comes last here.
    let calls: HashMap<String, usize> =
        calls.rev().filter_map(|(at, item)| Some((text_of(item, "call_id")?, at))).collect();
    let mut early: HashMap<usize, Vec<GivenResult>> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        let place = format!("input[{at}]");
        let Value::Object(_) = item else { return Err(wrong(&place, "an object", item)) };
        // The type of a reference is optional.
        let usual = if item.get("role").is_none() && item.get("id").is_some() { "item_reference" } else { "message" };
        let kind = item["type"].as_str().unwrap_or(usual);
        parsed.items.take(kind, item);
        let role = item["role"].as_str();
        let of_model = matches!(
            (kind, role),
            ("message", Some("assistant")) | ("function_call" | "reasoning" | "item_reference", _)
        );
        if of_model && !in_answer {
            parsed.answered();
        }
        in_answer = of_model;
        if !matches!(role, Some("system" | "developer")) {
            parsed.hear(role.unwrap_or(kind), item);
        }
        match (kind, role) {
            ("message", Some("user")) => parsed.user = text(&item["content"]),
            ("message", None) => {
                return Err(ModelRefusal::of_part(&place, "a message needs a `role` that is a string"));
            }
            ("function_call", _) => {
                parsed.repeat(text_of(item, "call_id"), text_of(item, "name"), text_of(item, "arguments"));
                early.remove(&at).unwrap_or_default().into_iter().for_each(|given| parsed.take_result(given));
            }
            ("function_call_output", _) => {
                let given = GivenResult::new(item["call_id"].as_str(), result_text(&item["output"]));
                match calls.get(&given.call_id) {
                    Some(call) if *call > at => early.entry(*call).or_default().push(given),
                    _ => parsed.take_result(given),
                }
            }
            _ => {}
        }
    }
    Ok(())
}

pub(in super::super) fn whole(answer: &SpokenAnswer) -> Value {
    response(answer, Some(items(answer)))
}

/// An earlier answer, for `GET /v1/responses/{id}`.
pub(in super::super) fn again(answer: Option<&SpokenAnswer>, id: &str) -> Result<Value, ModelRefusal> {
    let unknown = || ModelRefusal::new(404, format!("Response with id '{}' not found.", id.escape_debug()));
    answer.map(whole).ok_or_else(unknown)
}

/// The response object; without items, it is in progress.
pub(super) fn response(answer: &SpokenAnswer, items: Option<Vec<Value>>) -> Value {
    let reason = match answer.finish {
        Finish::Length => Some("max_output_tokens"),
        Finish::ContentFilter => Some("content_filter"),
        Finish::Stop | Finish::ToolCalls => None,
    };
    let done = items.is_some();
    let status = match (done, reason) {
        (false, _) => "in_progress",
        (true, Some(_)) => "incomplete",
        (true, None) => "completed",
    };
    let usage = json!({
        "input_tokens": answer.input_tokens,
        "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": answer.output_tokens,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": answer.total_tokens(),
    });
    json!({
        "id": answer.id("resp_"),
        "object": "response",
        "created_at": answer.created,
        "status": status,
        "background": false,
        "conversation": answer.conversation.as_ref().map(|id| json!({ "id": id })),
        "error": null,
        "incomplete_details": reason.filter(|_| done).map(|reason| json!({ "reason": reason })),
        "instructions": null,
        "max_output_tokens": null,
        "metadata": {},
        "model": answer.model,
        "output": items.unwrap_or_default(),
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "reasoning": { "effort": null, "summary": null },
        "store": true,
        "temperature": 1.0,
        "text": { "format": { "type": "text" } },
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": if done { usage } else { Value::Null },
        "user": null,
    })
}

fn items(answer: &SpokenAnswer) -> Vec<Value> {
    let said = answer.text.iter().map(|text| message(answer, "completed", Some(text)));
    let calls = (0..answer.calls.len()).map(|at| call(answer, at, "completed", true));
    said.chain(calls).collect()
}

/// The text as an item; empty if in progress.
pub(super) fn message(answer: &SpokenAnswer, status: &str, text: Option<&str>) -> Value {
    let content: Vec<Value> = text.map(part).into_iter().collect();
    json!({ "id": answer.id("msg_"), "type": "message", "status": status, "role": "assistant", "content": content })
}

/// A text as a part of a message.
pub(super) fn part(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
}

/// A call as an item; its arguments are empty unless `whole`.
pub(super) fn call(answer: &SpokenAnswer, at: usize, status: &str, whole: bool) -> Value {
    let call = &answer.calls[at];
    json!({
        "id": call_item(answer, at),
        "type": "function_call",
        "status": status,
        "arguments": if whole { call.json.as_str() } else { "" },
        "call_id": call.id,
        "name": call.name,
    })
}

pub(super) fn call_item(answer: &SpokenAnswer, at: usize) -> String {
    format!("{}_{at}", answer.id("fc_"))
}
