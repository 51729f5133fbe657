//! The model that a request names.

use serde_json::Value;

/// The model that a request names: in its body, or in its path as `/models/{name}:verb`, `/model/{name}/converse` or
/// `/deployments/{name}/chat/completions`.
pub fn requested_model(path: &str, body: &Value) -> Option<String> {
    let in_body = body.get("model").and_then(Value::as_str).map(str::to_owned);
    in_body.or_else(|| in_path(path)).filter(|name| !name.is_empty())
}

fn in_path(path: &str) -> Option<String> {
    let path = path.split('?').next().unwrap_or_default();
    let after = |word: &str| path.rsplit_once(word).map(|(_, rest)| rest.split('/').next().unwrap_or_default());
    let named = after("/models/").map(|name| name.rsplit_once(':').map_or(name, |(name, _)| name));
    let name = named.or_else(|| after("/model/")).or_else(|| after("/deployments/"))?;
    // Ids of Bedrock's models have colons, and their ARNs slashes, which clients escape.
    Some(name.replace("%3A", ":").replace("%3a", ":").replace("%2F", "/").replace("%2f", "/"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_body_comes_before_the_path() {
        let named = |path: &str, body: Value| requested_model(path, &body);
        assert_eq!(named("/v1/chat/completions", json!({ "model": "m" })).as_deref(), Some("m"));
        let gemini = "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse";
        assert_eq!(named(gemini, json!({})).as_deref(), Some("gemini-2.5-pro"));
        let bedrock = "/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse";
        assert_eq!(named(bedrock, json!({})).as_deref(), Some("anthropic.claude-3-haiku-20240307-v1:0"));
        let azure = "/openai/deployments/ours/chat/completions?api-version=1";
        assert_eq!(named(azure, json!({})).as_deref(), Some("ours"));
        assert_eq!(named("/v1/responses", json!({})), None);
    }
}
