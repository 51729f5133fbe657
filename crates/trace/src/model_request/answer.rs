//! Reads the answer to a request: whether it failed, and the calls that it requests.

use std::borrow::Cow;

use serde_json::Value;

use super::content::joined;
use super::request::RequestedCall;

/// The error code for a script without an answer, which is not an injected fault.
const NO_RULE: &str = "no_rule_fits";

/// Whether the answer is a fault: an error, or an incomplete answer.
pub(super) fn is_fault(response: &Value) -> bool {
    let error = response.get("error").filter(|error| error.is_object());
    response["failure"].is_string() || error.is_some_and(|error| error["code"] != NO_RULE)
}

/// The calls that an answer requests.
pub(super) fn calls(response: &Value) -> Vec<RequestedCall<'_>> {
    let mut calls = Vec::new();
    let choices = response["choices"].as_array().into_iter().flatten().map(|choice| &choice["message"]);
    for message in choices.chain([response, &response["message"]]) {
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let named = call.get("function").or_else(|| call.get("custom")).unwrap_or(call);
            calls.extend(requested(&call["id"], &named["name"]));
        }
        // The older form of tool calls: one at a time and without an id.
        calls.extend(requested(&Value::Null, &message["function_call"]["name"]));
    }
    for item in response["output"].as_array().into_iter().flatten() {
        calls.extend(requested(&item["call_id"], &item["name"]));
    }
    for block in response["content"].as_array().into_iter().flatten().filter(|block| block["type"] == "tool_use") {
        calls.extend(requested(&block["id"], &block["name"]));
    }
    for block in response["output"]["message"]["content"].as_array().into_iter().flatten() {
        calls.extend(requested(&block["toolUse"]["toolUseId"], &block["toolUse"]["name"]));
    }
    for candidate in response["candidates"].as_array().into_iter().flatten() {
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            calls.extend(requested(&part["functionCall"]["id"], &part["functionCall"]["name"]));
        }
    }
    calls
}

/// The text of an answer that the provider keeps for requests that continue it: in the Responses API, or in Anthropic's
/// threads.
pub(super) fn said(response: &Value) -> Cow<'_, str> {
    let items = response["output"].as_array().into_iter().flatten();
    let blocks = items.filter_map(|item| item["content"].as_array()).chain(response["content"].as_array()).flatten();
    joined(blocks.filter_map(|block| block["text"].as_str()))
}

fn requested<'t>(id: &'t Value, name: &'t Value) -> Option<RequestedCall<'t>> {
    Some(RequestedCall { id: id.as_str().unwrap_or_default(), name: name.as_str()? })
}
