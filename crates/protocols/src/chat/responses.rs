//! `OpenAI`'s Responses.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::answer::{
    AnswerCall, AnswerUsage, ModelAnswer, ProviderTool, arguments, count, list, named, parse_arguments, text,
};
use super::read::{Assembled, object};

/// The maximum number of items that are read of one answer.
const ITEMS_MOST: usize = 10_000;

/// An item of the answer that is being assembled.
#[derive(Default)]
struct ResponsesItem {
    value: Value,
    /// The streamed text. Incomplete calls are ignored.
    said: String,
    done: bool,
}

pub(super) fn assemble(events: &[Value]) -> Assembled {
    let mut items: BTreeMap<u64, ResponsesItem> = BTreeMap::new();
    let (mut begun, mut ended) = (&Value::Null, None);
    for event in events {
        let index = event["output_index"].as_u64().unwrap_or_default();
        let known = items.contains_key(&index) || items.len() < ITEMS_MOST;
        match text(event, "type") {
            "response.created" | "response.in_progress" | "response.queued" => begun = &event["response"],
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                ended = event.get("response");
            }
            "response.output_item.added" if known => items.entry(index).or_default().value = event["item"].clone(),
            "response.output_item.done" if known => {
                let item = items.entry(index).or_default();
                (item.value, item.done) = (event["item"].clone(), true);
            }
            "response.output_text.delta" | "response.refusal.delta" if known => {
                items.entry(index).or_default().said.push_str(text(event, "delta"));
            }
            _ => {}
        }
    }
    let response = ended.unwrap_or(begun);
    let output = match response.get("output") {
        Some(Value::Array(output)) if !output.is_empty() => output.clone(),
        _ => items.into_values().filter_map(whole).collect(),
    };
    let mut whole = response.as_object().cloned().unwrap_or_default();
    whole.entry("object").or_insert_with(|| json!("response"));
    whole.insert("output".into(), output.into());
    let complete = ended.is_some_and(|response| !matches!(text(response, "status"), "failed" | "cancelled"));
    Assembled { whole: whole.into(), complete }
}

fn whole(item: ResponsesItem) -> Option<Value> {
    let is_said = !item.done && matches!(text(&item.value, "type"), "message" | "");
    if item.done {
        return Some(item.value);
    }
    let part = json!({ "type": "output_text", "text": item.said, "annotations": [] });
    is_said.then(|| json!({ "type": "message", "role": "assistant", "status": "in_progress", "content": [part] }))
}

pub(super) fn fill(whole: &Value, answer: &mut ModelAnswer) {
    (answer.id, answer.model) = (named(whole, "id"), named(whole, "model"));
    answer.usage = whole.get("usage").and_then(usage);
    let reason = whole.get("incomplete_details").and_then(|details| named(details, "reason"));
    answer.finish = reason.or_else(|| named(whole, "status"));
    for item in list(whole, "output") {
        take(item, answer);
    }
}

fn take(item: &Value, answer: &mut ModelAnswer) {
    let id = || named(item, "call_id").or_else(|| named(item, "id")).unwrap_or_default();
    let call = |name: &str, arguments: String| AnswerCall { id: id(), name: name.into(), arguments };
    match text(item, "type") {
        "message" => {
            for part in list(item, "content") {
                answer.text.push_str(text(part, "text"));
                answer.text.push_str(text(part, "refusal"));
            }
        }
        "reasoning" => {
            let parts = list(item, "summary").iter().chain(list(item, "content"));
            parts.for_each(|part| answer.reasoning.push_str(text(part, "text")));
        }
        "function_call" => answer.calls.push(call(text(item, "name"), arguments(item.get("arguments")))),
        // Its input is free text, which is a string in JSON.
        "custom_tool_call" => answer.calls.push(call(text(item, "name"), json!(text(item, "input")).to_string())),
        kind @ ("computer_call" | "local_shell_call" | "shell_call" | "apply_patch_call") => {
            let input = ["action", "operation", "actions"].into_iter().find_map(|key| item.get(key));
            answer.calls.push(call(kind.trim_end_matches("_call"), arguments(input)));
        }
        kind @ ("web_search_call"
        | "file_search_call"
        | "code_interpreter_call"
        | "image_generation_call"
        | "mcp_call") => {
            answer.provider_tools.push(provided(id(), kind.trim_end_matches("_call"), item));
        }
        _ => {}
    }
}

/// A tool that the provider executed, as far as the item describes it.
fn provided(id: String, kind: &str, item: &Value) -> ProviderTool {
    let arguments = match kind {
        "web_search" => item["action"].clone(),
        "file_search" => json!({ "queries": item["queries"] }),
        "code_interpreter" => json!({ "code": item["code"] }),
        "mcp" => parse_arguments(&arguments(item.get("arguments"))).unwrap_or_else(|raw| raw),
        _ => object([]),
    };
    let name = if kind == "mcp" { text(item, "name") } else { kind };
    let result = ["results", "outputs", "output"].into_iter().find_map(|key| item.get(key)).cloned();
    let error = match item.get("error") {
        None | Some(Value::Null) => (text(item, "status") == "failed").then(|| "the call failed".to_owned()),
        Some(Value::String(error)) => Some(error.clone()),
        Some(error) => Some(named(error, "message").unwrap_or_else(|| error.to_string())),
    };
    ProviderTool { id, name: name.into(), arguments, result: result.unwrap_or_default(), error }
}

fn usage(usage: &Value) -> Option<AnswerUsage> {
    AnswerUsage {
        input: count(usage, "input_tokens"),
        output: count(usage, "output_tokens"),
        cached_input: count(&usage["input_tokens_details"], "cached_tokens"),
        reasoning: count(&usage["output_tokens_details"], "reasoning_tokens"),
        ..AnswerUsage::default()
    }
    .known()
}
