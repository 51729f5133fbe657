//! What a request to a live model asks. What its provider took is never refused here: a request in a form that the scripted model
//! would refuse is read as far as it goes.

use agentci_protocols::chat::WireApi;

use super::super::asked::{Asked, GivenResult, result_text};
use super::super::{anthropic, messages, openai};
use crate::fields::items;
use serde_json::Value;

/// What a request asks.
pub(super) fn read(api: WireApi, body: &Value) -> Asked {
    let read = match api {
        WireApi::Chat => openai::chat::read(body),
        WireApi::Responses => openai::responses::read(body),
        WireApi::Messages => anthropic::read(body, true),
        WireApi::Gemini | WireApi::Ollama | WireApi::Cohere | WireApi::Bedrock => return of_messages(body),
    };
    let mut asked = read.unwrap_or_else(|_| of_messages(body));
    if api == WireApi::Responses {
        other_outputs(body, &mut asked);
    }
    asked
}

/// Outputs of calls that are not functions: `custom_tool_call_output`, `local_shell_call_output` and the like.
fn other_outputs(body: &Value, asked: &mut Asked) {
    for item in items(body.get("input")) {
        let kind = item["type"].as_str().unwrap_or_default();
        if kind.ends_with("_call_output") && kind != "function_call_output" {
            let id = item["call_id"].as_str().or_else(|| item["id"].as_str());
            asked.take_result(GivenResult::new(id, result_text(&item["output"])));
        }
    }
}

/// Messages in any provider's form.
fn of_messages(body: &Value) -> Asked {
    let mut asked = Asked { choices: 1, model: body["model"].as_str().map(str::to_owned), ..Asked::default() };
    messages::read(body, &mut asked);
    asked
}
