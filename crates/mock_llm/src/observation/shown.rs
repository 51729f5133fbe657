//! Converts a request and its answer to the form that a trace contains.

use agentci_protocols::chat::{ModelAnswer, WireApi, requested_model};
use serde_json::{Map, Value, json};

/// The request for a trace: with its model, which some APIs have in the path, and without the envelope of a service.
pub(in super::super) fn request(api: WireApi, path: &str, body: &Value) -> Value {
    let wrapped = body.get("request").filter(|inner| api == WireApi::Gemini && inner.get("contents").is_some());
    let Value::Object(inner) = wrapped.unwrap_or(body) else { return body.clone() };
    let mut request = inner.clone();
    if wrapped.is_none() || !request.contains_key("model") {
        request.extend(requested_model(path, body).map(|model| ("model".to_owned(), model.into())));
    }
    request.into()
}

/// How an answer failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShownFailure {
    /// The provider refused, or an error came within the answer.
    Error,
    /// The answer broke off.
    Cut,
}

/// The answer for a trace: as a whole, with the measured times.
pub(super) fn response(answer: &ModelAnswer, status: u16, failure: Option<ShownFailure>, times: Value) -> Value {
    let mut response = match (&answer.whole, failure) {
        (Value::Object(whole), None | Some(ShownFailure::Cut)) => whole.clone(),
        _ => Map::new(),
    };
    match failure {
        Some(ShownFailure::Error) => {
            let code = error_code(&answer.whole);
            let message = answer.error.as_deref().unwrap_or_default();
            response.insert("error".into(), json!({ "status": status, "code": code, "message": message }));
            response.insert("failure".into(), "status".into());
        }
        Some(ShownFailure::Cut) => {
            response.insert("failure".into(), "cut".into());
        }
        None => {}
    }
    response.insert("agentci".into(), times);
    response.into()
}

/// The provider's name of an error.
fn error_code(whole: &Value) -> Value {
    let error = whole.get("error").unwrap_or(whole);
    let words = ["code", "type", "status", "__type"].into_iter().filter_map(|key| error.get(key));
    words.filter(|word| word.is_string()).map(Clone::clone).next().unwrap_or_default()
}
