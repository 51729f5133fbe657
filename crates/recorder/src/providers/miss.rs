//! The answer to a request that is not in the recording: an error in the format of the provider.
//!
//! Status 400 with `x-should-retry: false` makes SDKs show the message and give up immediately; 5xx would be retried.

use serde_json::{Value, json};

use super::ProviderApi;
use crate::RecordedRequest;

/// The answer to a request without a recorded answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissAnswer {
    /// The status code.
    pub status: u16,
    /// Headers, lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

/// The JSON-RPC code for server-defined errors.
const SERVER_ERROR: i32 = -32000;

/// The error in the format of the provider, so that its SDK shows the message and does not retry. A JSON-RPC request,
/// as sent by MCP and A2A, gets an error for each of its ids.
pub fn miss_answer(api: Option<ProviderApi>, request: &RecordedRequest, message: &str) -> MissAnswer {
    if let Some(body) = json_rpc(request, message) {
        return answer(200, &body, &[]);
    }
    let body = match api {
        Some(ProviderApi::OpenAiChat | ProviderApi::OpenAiResponses | ProviderApi::OpenAiEmbeddings) => {
            let error =
                json!({ "message": message, "type": "invalid_request_error", "param": null, "code": "replay_miss" });
            json!({ "error": error })
        }
        Some(ProviderApi::AnthropicMessages) => {
            json!({ "type": "error", "error": { "type": "invalid_request_error", "message": message } })
        }
        Some(ProviderApi::Gemini) => {
            json!({ "error": { "code": 400, "message": message, "status": "INVALID_ARGUMENT" } })
        }
        Some(ProviderApi::Bedrock | ProviderApi::CohereChat) => json!({ "message": message }),
        Some(ProviderApi::OllamaChat) => json!({ "error": message }),
        None => json!({ "error": { "message": message, "type": "replay_miss" } }),
    };
    // AWS SDKs read the kind of an error from this header, and do not retry after a validation error.
    let kind: &[(&str, &str)] =
        if api == Some(ProviderApi::Bedrock) { &[("x-amzn-errortype", "ValidationException")] } else { &[] };
    answer(400, &body, kind)
}

fn answer(status: u16, body: &Value, more: &[(&str, &str)]) -> MissAnswer {
    let fixed = [("content-type", "application/json"), ("x-should-retry", "false")];
    let headers = fixed.iter().chain(more).map(|(name, value)| ((*name).into(), (*value).into())).collect();
    MissAnswer { status, headers, body: body.to_string() }
}

/// The errors for the JSON-RPC requests in a body; `None` if it has none, as with a notification.
fn json_rpc(request: &RecordedRequest, message: &str) -> Option<Value> {
    let body = request.body.as_json()?;
    let error = |call: &Value| {
        let id = call.get("id").filter(|id| !id.is_null())?;
        let is_request = call["jsonrpc"] == "2.0" && call["method"].is_string();
        let error = json!({ "code": SERVER_ERROR, "message": message, "data": { "type": "replay_miss" } });
        is_request.then(|| json!({ "jsonrpc": "2.0", "id": id, "error": error }))
    };
    match body {
        Value::Array(calls) => {
            let errors: Vec<Value> = calls.iter().filter_map(error).collect();
            (!errors.is_empty()).then_some(Value::Array(errors))
        }
        call => error(call),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordedBody;

    fn sent(body: Value) -> RecordedRequest {
        RecordedRequest { method: "POST".into(), body: RecordedBody::Json(body), ..RecordedRequest::default() }
    }

    #[test]
    fn error_message_is_at_the_location_each_sdk_expects() {
        let places = [
            (Some(ProviderApi::OpenAiChat), "/error/message"),
            (Some(ProviderApi::OpenAiResponses), "/error/message"),
            (Some(ProviderApi::AnthropicMessages), "/error/message"),
            (Some(ProviderApi::Gemini), "/error/message"),
            (Some(ProviderApi::CohereChat), "/message"),
            (Some(ProviderApi::OllamaChat), "/error"),
            (Some(ProviderApi::Bedrock), "/message"),
            (None, "/error/message"),
        ];
        for (api, place) in places {
            let answer = miss_answer(api, &sent(json!({ "model": "m" })), "call 3 is \"new\"");
            let body: Value = serde_json::from_str(&answer.body).unwrap();
            assert_eq!(body.pointer(place), Some(&json!("call 3 is \"new\"")), "{api:?}");
            assert_eq!(answer.status, 400);
            assert!(answer.headers.contains(&("x-should-retry".into(), "false".into())));
            let typed = answer.headers.iter().any(|(name, _)| name == "x-amzn-errortype");
            assert_eq!(typed, api == Some(ProviderApi::Bedrock));
        }
    }

    #[test]
    fn json_rpc_errors_use_the_request_id() {
        let call = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {} });
        let one = miss_answer(None, &sent(call(json!("a"))), "no");
        let body: Value = serde_json::from_str(&one.body).unwrap();
        assert_eq!((one.status, &body["id"], &body["error"]["message"]), (200, &json!("a"), &json!("no")));
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let batch = miss_answer(None, &sent(json!([call(json!(1)), note, call(json!(2))])), "no");
        let body: Value = serde_json::from_str(&batch.body).unwrap();
        assert_eq!(body.as_array().unwrap().iter().map(|error| &error["id"]).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(miss_answer(None, &sent(note), "no").status, 400);
    }
}
