//! Builds a request.

use serde_json::{Map, Value, json};

/// The body of a request. Options take precedence over the defaults.
pub(in super::super) fn body(model: &str, messages: Vec<Value>, options: &Map<String, Value>) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("messages".into(), messages.into());
    body.insert("stream".into(), true.into());
    body.extend(options.iter().map(|(name, value)| (name.clone(), value.clone())));
    if body.get("stream") == Some(&Value::Bool(true)) && !body.contains_key("stream_options") {
        body.insert("stream_options".into(), json!({ "include_usage": true }));
    }
    // Null removes an option.
    body.retain(|_, value| !value.is_null());
    Value::Object(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(options: Value) -> Value {
        let Value::Object(options) = options else { panic!("options are an object") };
        body("gpt-test", vec![json!({"role": "user", "content": "hi"})], &options)
    }

    #[test]
    fn responses_are_streamed_by_default() {
        let usual = of(json!({"temperature": 0.5}));
        assert_eq!(usual["stream"], true);
        assert_eq!(usual["stream_options"], json!({"include_usage": true}));
        assert_eq!(usual["temperature"], 0.5);
        let whole = of(json!({"stream": false}));
        assert_eq!((&whole["stream"], whole.get("stream_options")), (&json!(false), None));
        assert_eq!(of(json!({"stream_options": null})).get("stream_options"), None);
        assert_eq!(of(json!({"model": "other"}))["model"], "other");
    }
}
