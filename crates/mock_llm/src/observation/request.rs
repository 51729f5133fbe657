//! Reads a request to a live model. Nothing is refused, since the provider decides: a request that the scripted model
//! would refuse is read as far as possible.

use agentci_protocols::chat::WireApi;

use crate::parsed_request::{GivenResult, ParsedRequest, result_text};
use crate::{fields::items, messages, openai};
use serde_json::Value;

pub(super) fn read(api: WireApi, body: &Value) -> ParsedRequest {
    if api != WireApi::Responses {
        return of_messages(body);
    }
    let mut parsed = openai::responses::read(body).unwrap_or_else(|_| of_messages(body));
    other_outputs(body, &mut parsed);
    parsed
}

/// Reads the outputs of calls that are not functions, such as `custom_tool_call_output` and `local_shell_call_output`.
fn other_outputs(body: &Value, parsed: &mut ParsedRequest) {
    for item in items(body.get("input")) {
        let kind = item["type"].as_str().unwrap_or_default();
        if kind.ends_with("_call_output") && kind != "function_call_output" {
            let id = item["call_id"].as_str().or_else(|| item["id"].as_str());
            parsed.take_result(GivenResult::new(id, result_text(&item["output"])));
        }
    }
}

/// Reads messages in any provider's format.
fn of_messages(body: &Value) -> ParsedRequest {
    let mut parsed =
        ParsedRequest { choices: 1, model: body["model"].as_str().map(str::to_owned), ..ParsedRequest::default() };
    messages::read(body, &mut parsed);
    parsed
}
