//! Chat Completions: rules for single messages.

use super::super::refusal::ModelRefusal;
use super::empty_array;
use crate::fields::{field, string};
use serde_json::Value;

/// Checks each message by itself.
pub(super) fn check(messages: &[Value]) -> Result<(), ModelRefusal> {
    for (at, message) in messages.iter().enumerate() {
        match string(message, "role") {
            Some("assistant") => answer(message, at)?,
            Some("user" | "system" | "developer") => content(message, at)?,
            Some("function") if message["name"].as_str().is_none() => {
                // langchain-ai/langchainjs#6570, open-compass/T-Eval#66
                let message = "Missing parameter 'name': messages with role 'function' must have a 'name'.";
                return Err(ModelRefusal::of_part(&format!("messages.[{at}].name"), message));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks an answer of the model that the request repeats.
fn answer(message: &Value, at: usize) -> Result<(), ModelRefusal> {
    let calls = message.get("tool_calls").and_then(Value::as_array);
    if calls.is_some_and(Vec::is_empty) {
        // openai/openai-node#1341, home-assistant/core#118577
        return Err(empty_array(&format!("messages[{at}].tool_calls")));
    }
    for (number, call) in calls.into_iter().flatten().enumerate() {
        let Some(function) = call.get("function") else { continue };
        let place = |key: &str| format!("messages[{at}].tool_calls[{number}].function.{key}");
        if function["name"].as_str() == Some("") {
            // continuedev/continue#9784 and #11645
            let name = place("name");
            let message = format!(
                "Invalid '{name}': empty string. Expected a string with minimum length 1, but got an empty string instead."
            );
            return Err(ModelRefusal::of_part(&name, message).code("empty_string"));
        }
        if matches!(function.get("arguments"), Some(Value::Object(_))) {
            // aaif-goose/goose-mobile#20
            let arguments = place("arguments");
            let message = format!("Invalid type for '{arguments}': expected a string, but got an object instead.");
            return Err(ModelRefusal::of_part(&arguments, message).code("invalid_type"));
        }
    }
    let says = |key: &str| message.get(key).is_some_and(|value| *value != Value::Null);
    if ["tool_calls", "function_call", "refusal", "audio"].into_iter().any(says) {
        return Ok(());
    }
    content(message, at)
}

/// docker/docker-agent#63, langchain-ai/langchainjs#4153
fn content(message: &Value, at: usize) -> Result<(), ModelRefusal> {
    match field(message, "content") {
        Some(Value::Null) => {
            let message = "Invalid value for 'content': expected a string, got null.";
            Err(ModelRefusal::of_part(&format!("messages.[{at}].content"), message))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refused(message: &Value) -> Option<String> {
        let text = json!([{ "role": "user", "content": "x" }, message]).to_string();
        check(serde_json::from_slice::<Value>(text.as_bytes()).unwrap().as_array().unwrap())
            .err()
            .map(|refusal| refusal.message)
    }

    fn call(name: &str, arguments: &Value) -> Value {
        json!({ "id": "a", "type": "function", "function": { "name": name, "arguments": arguments } })
    }

    /// A history as the SDKs of OpenAI for Python and Node, openai-agents, `LangChain`, pydantic-ai and the AI SDK send
    /// it.
    #[test]
    fn accepts_messages_sent_by_sdks() {
        for message in [
            json!({ "role": "assistant", "content": null, "tool_calls": [call("find", &json!("{}"))] }),
            json!({ "role": "assistant", "content": "x", "tool_calls": null, "function_call": null, "refusal": null }),
            json!({ "role": "assistant", "content": null, "refusal": "no", "tool_calls": null }),
            json!({ "role": "assistant", "content": null, "function_call": { "name": "find", "arguments": "{}" } }),
            json!({ "role": "assistant", "content": null, "audio": { "id": "audio_1" } }),
            json!({ "role": "assistant", "content": "" }),
            json!({ "role": "user", "content": "" }),
            json!({ "role": "user", "content": [] }),
            json!({ "role": "function", "name": "find", "content": "x" }),
            json!({ "role": "tool", "tool_call_id": "a", "content": "" }),
        ] {
            assert_eq!(refused(&message), None, "{message}");
        }
    }

    #[test]
    fn tool_calls_need_a_name_and_string_arguments() {
        let answer = |calls: Value| refused(&json!({ "role": "assistant", "content": "x", "tool_calls": calls }));
        let empty = "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array \
                     instead.";
        assert_eq!(answer(json!([])).unwrap(), empty);
        let object = answer(json!([call("find", &json!({ "id": 1 }))])).unwrap();
        let place = "messages[1].tool_calls[0].function.arguments";
        assert_eq!(object, format!("Invalid type for '{place}': expected a string, but got an object instead."));
        let nameless = answer(json!([call("find", &json!("{}")), call("", &json!("{}"))])).unwrap();
        assert!(nameless.starts_with("Invalid 'messages[1].tool_calls[1].function.name': empty string."), "{nameless}");
    }

    #[test]
    fn refuses_null_content() {
        let null = "Invalid value for 'content': expected a string, got null.";
        for role in ["user", "system", "developer", "assistant"] {
            assert_eq!(refused(&json!({ "role": role, "content": null })).unwrap(), null, "{role}");
        }
        let function = refused(&json!({ "role": "function", "content": "x" })).unwrap();
        assert_eq!(function, "Missing parameter 'name': messages with role 'function' must have a 'name'.");
    }
}
