//! Chat Completions: parameters that exclude or require each other.

use super::super::refusal::ModelRefusal;
use super::empty_array;
use crate::fields::given;
use serde_json::Value;

/// The maximum number of tools in a request.
const MOST_TOOLS: usize = 128;

pub(super) fn check(request: &Value) -> Result<(), ModelRefusal> {
    let given = |name: &str| given(request, name);
    offered(given("tools").and_then(Value::as_array).map(Vec::as_slice))?;
    if given("tools").is_none() {
        // `tool_choice`: writer/writer-framework#1013; vllm-project/vllm#40311 tried the API, with the choice `none` as
        // well. `parallel_tool_calls`: Upsonic/Upsonic#323, camel-ai/camel#3706.
        if let Some(name) = ["tool_choice", "parallel_tool_calls"].into_iter().find(|name| given(name).is_some()) {
            let message = format!("Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified.");
            return Err(ModelRefusal::of_part(name, message));
        }
    }
    if given("stream_options").is_some() && given("stream").and_then(Value::as_bool) != Some(true) {
        // BerriAI/litellm#5803
        let message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
        return Err(ModelRefusal::of_part("stream_options", message));
    }
    if given("max_tokens").is_some() && given("model").and_then(Value::as_str).is_some_and(is_reasoning) {
        // teilomillet/gollm#33 (o1, o3-mini), griptape-ai/ComfyUI-Griptape#312 (gpt-5), fish2018/YPrompt#26 (gpt-5.1)
        let message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        return Err(ModelRefusal::of_part("max_tokens", message).code("unsupported_parameter"));
    }
    let format = given("response_format").and_then(|format| format.get("type")).and_then(Value::as_str);
    if format == Some("json_object") && !given("messages").is_some_and(speaks_of_json) {
        // meta-llama/PurpleLlama#94, mem0ai/mem0#3559
        let message =
            "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
        return Err(ModelRefusal::of_part("messages", message));
    }
    Ok(())
}

fn offered(tools: Option<&[Value]>) -> Result<(), ModelRefusal> {
    let length = match tools {
        // continuedev/continue#3370; vllm-project/vllm#39780 and #40311 tried the API. Responses accept an empty list.
        Some([]) => return Err(empty_array("tools")),
        Some(tools) if tools.len() > MOST_TOOLS => tools.len(),
        _ => return Ok(()),
    };
    // vishalmysore/Tools4AI#16, musistudio/claude-code-router#686
    let message = format!(
        "Invalid 'tools': array too long. Expected an array with maximum length {MOST_TOOLS}, but got an array with length {length} \
         instead."
    );
    Err(ModelRefusal::of_part("tools", message).code("array_above_max_length"))
}

/// Whether a model is one of OpenAI's reasoning models: those in the threads, and their versions. Their `chat` variants
/// do not reason.
fn is_reasoning(model: &str) -> bool {
    let is =
        |family: &str| model.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']));
    ["o1", "o3", "o4", "gpt-5"].iter().any(|family| is(family)) && !model.contains("-chat")
}

fn speaks_of_json(part: &Value) -> bool {
    match part {
        Value::String(text) => text.as_bytes().windows(4).any(|word| word.eq_ignore_ascii_case(b"json")),
        Value::Array(items) => items.iter().any(speaks_of_json),
        Value::Object(pairs) => pairs.iter().any(|(_, value)| speaks_of_json(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refused(more: &Value) -> Option<String> {
        let mut request = json!({ "model": "gpt-4o", "messages": [{ "role": "user", "content": "hi" }] });
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        check(&serde_json::from_slice::<Value>(request.to_string().as_bytes()).unwrap())
            .err()
            .map(|refusal| refusal.message)
    }

    #[test]
    fn accepts_compatible_parameters() {
        let tool = json!({ "type": "function", "function": { "name": "f" } });
        for more in [
            json!({ "tools": null, "tool_choice": null, "parallel_tool_calls": null, "stream_options": null, "max_tokens": null }),
            json!({ "tools": [tool], "tool_choice": "none", "parallel_tool_calls": false }),
            json!({ "tools": vec![tool; 128] }),
            json!({ "functions": [{ "name": "f" }], "function_call": "auto" }),
            json!({ "stream": true, "stream_options": { "include_usage": true } }),
            json!({ "max_tokens": 9 }),
            json!({ "model": "gpt-5", "max_completion_tokens": 9 }),
            json!({ "response_format": { "type": "json_object" }, "messages": [{ "role": "system", "content": "Answer in JSON." }] }),
            json!({ "response_format": { "type": "json_object" }, "messages": [{ "role": "user", "content": [{ "type": "text", "text": "a Json-like text" }] }] }),
            json!({ "response_format": { "type": "json_schema", "json_schema": { "name": "x" } } }),
        ] {
            assert_eq!(refused(&more), None, "{more}");
        }
    }

    #[test]
    fn refuses_parameters_with_missing_dependencies() {
        let tool = json!({ "type": "function", "function": { "name": "f" } });
        for (more, message) in [
            (json!({ "tools": [] }), "Invalid 'tools': empty array."),
            (
                json!({ "tools": vec![tool; 129] }),
                "Invalid 'tools': array too long. Expected an array with maximum length 128",
            ),
            (
                json!({ "tool_choice": "none" }),
                "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools'",
            ),
            (json!({ "parallel_tool_calls": false }), "Invalid value for 'parallel_tool_calls':"),
            (json!({ "stream_options": { "include_usage": true } }), "The 'stream_options' parameter is only allowed"),
            (json!({ "response_format": { "type": "json_object" } }), "'messages' must contain the word 'json'"),
        ] {
            let refused = refused(&more).unwrap_or_default();
            assert!(refused.starts_with(message), "{more}: {refused}");
        }
    }

    #[test]
    fn reasoning_models_refuse_max_tokens() {
        let limited = |model: &str| refused(&json!({ "model": model, "max_tokens": 9 })).is_some();
        for model in ["o1", "o1-preview", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5-mini", "gpt-5.1"] {
            assert!(limited(model), "{model}");
        }
        // Models of other providers, names at gateways, and models that do not reason.
        for model in [
            "gpt-4o",
            "gpt-4.1",
            "gpt-5-chat-latest",
            "gpt-5.1-chat-latest",
            "openai/gpt-5",
            "o10",
            "gpt-50",
            "gpt-test",
        ] {
            assert!(!limited(model), "{model}");
        }
    }
}
