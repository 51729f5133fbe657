//! Finds the model name in a request.

use agentci_text::percent_decoded;
use serde_json::Value;

/// The model name of a request: the deployment in its path, which takes precedence on Azure; else the one in its body,
/// or in its path as `/models/{name}:verb` or `/model/{name}/converse`.
pub fn requested_model(path: &str, body: &Value) -> Option<String> {
    let in_body = || body.get("model").and_then(Value::as_str).map(str::to_owned);
    deployment(path).or_else(in_body).or_else(|| model_in_path(path)).filter(|name| !name.is_empty())
}

/// The model name in the path of a request.
pub fn model_in_path(path: &str) -> Option<String> {
    if !path.contains("/model") && !path.contains("/deployments/") {
        return None;
    }
    let named = segment(path, "/models/").map(|name| name.rsplit_once(':').map_or(name, |(name, _)| name));
    // The ids of Bedrock's models contain colons, and their ARNs slashes, which clients escape.
    let named = named.or_else(|| segment(path, "/model/")).map(percent_decoded);
    deployment(path).or(named).filter(|name| !name.is_empty())
}

/// The deployment in `/openai/deployments/{name}/chat/completions`.
fn deployment(path: &str) -> Option<String> {
    segment(path, "/deployments/").map(percent_decoded).filter(|name| !name.is_empty())
}

/// The segment of a path after a prefix.
fn segment<'p>(path: &'p str, word: &str) -> Option<&'p str> {
    let path = path.split('?').next().expect("a split has a first part");
    path.rsplit_once(word).map(|(_, rest)| rest.split('/').next().expect("a split has a first part"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn model_precedence_is_deployment_then_body_then_path() {
        let named = |path: &str, body: Value| requested_model(path, &body);
        assert_eq!(named("/v1/chat/completions", json!({ "model": "m" })).as_deref(), Some("m"));
        let gemini = "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse";
        assert_eq!(named(gemini, json!({})).as_deref(), Some("gemini-2.5-pro"));
        let bedrock = "/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse";
        assert_eq!(named(bedrock, json!({})).as_deref(), Some("anthropic.claude-3-haiku-20240307-v1:0"));
        let azure = "/openai/deployments/ours/chat/completions?api-version=1";
        assert_eq!(named(azure, json!({})).as_deref(), Some("ours"));
        assert_eq!(named(azure, json!({ "model": "gpt-4o" })).as_deref(), Some("ours"));
        assert_eq!(model_in_path(azure).as_deref(), Some("ours"));
        assert_eq!(model_in_path("/v1/chat/completions"), None);
        assert_eq!(named("/models/org/name/v1/chat/completions", json!({ "model": "m" })).as_deref(), Some("m"));
        assert_eq!(named("/v1/responses", json!({})), None);
    }
}
