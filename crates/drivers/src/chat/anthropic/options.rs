//! Converts OpenAI's options to Anthropic's.

use serde_json::{Map, Value, json};

/// OpenAI options that Anthropic does not support.
const FOREIGN: [&str; 15] = [
    "audio",
    "frequency_penalty",
    "logit_bias",
    "logprobs",
    "modalities",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "reasoning_effort",
    "response_format",
    "seed",
    "store",
    "top_logprobs",
    "verbosity",
];

/// The converted options, and the names of those that are not supported. Unknown options are passed on.
pub(super) fn translate(options: &Map<String, Value>) -> (Map<String, Value>, Vec<String>) {
    let mut translated = Map::new();
    let mut left_out = Vec::new();
    for (name, value) in options {
        let (name, value) = match name.as_str() {
            "max_completion_tokens" => ("max_tokens", value.clone()),
            "stop" => ("stop_sequences", list(value)),
            "tools" => ("tools", tools(value)),
            "tool_choice" => ("tool_choice", choice(value)),
            "user" => ("metadata", json!({ "user_id": value })),
            "stream_options" => continue,
            foreign if FOREIGN.contains(&foreign) => {
                if !value.is_null() {
                    left_out.push(foreign.to_owned());
                }
                continue;
            }
            own => (own, value.clone()),
        };
        translated.insert(name.to_owned(), value);
    }
    (translated, left_out)
}

fn list(value: &Value) -> Value {
    match value {
        Value::String(_) => json!([value]),
        other => other.clone(),
    }
}

fn tools(tools: &Value) -> Value {
    let Some(tools) = tools.as_array() else { return tools.clone() };
    let tool = |tool: &Value| {
        let Some(function) = tool.get("function") else { return tool.clone() };
        let mut own = Map::new();
        own.insert("name".into(), function.get("name").cloned().unwrap_or_default());
        own.extend(function.get("description").map(|words| ("description".to_owned(), words.clone())));
        let schema = function.get("parameters").filter(|schema| schema.is_object());
        own.insert("input_schema".into(), schema.cloned().unwrap_or_else(|| json!({ "type": "object" })));
        Value::Object(own)
    };
    tools.iter().map(tool).collect()
}

fn choice(choice: &Value) -> Value {
    match choice.as_str() {
        Some("required") => json!({ "type": "any" }),
        Some(word) => json!({ "type": word }),
        None => match choice.get("function").and_then(|function| function.get("name")) {
            Some(name) => json!({ "type": "tool", "name": name }),
            None => choice.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_translated_or_reported() {
        let Value::Object(options) = json!({
            "max_completion_tokens": 50, "stop": "END", "tool_choice": "required", "user": "u", "seed": 1, "n": null,
            "thinking": {"type": "enabled"}, "temperature": 0,
            "tools": [
                {"type": "function", "function": {"name": "find", "description": "d", "parameters": {"type": "object"}}},
                {"type": "web_search_20250305", "name": "web_search"},
            ],
        }) else {
            panic!("options are an object")
        };
        let (translated, left_out) = translate(&options);
        assert_eq!(left_out, ["seed"]);
        assert_eq!(
            Value::Object(translated),
            json!({
                "max_tokens": 50, "stop_sequences": ["END"], "tool_choice": {"type": "any"},
                "metadata": {"user_id": "u"}, "thinking": {"type": "enabled"}, "temperature": 0,
                "tools": [
                    {"name": "find", "description": "d", "input_schema": {"type": "object"}},
                    {"type": "web_search_20250305", "name": "web_search"},
                ],
            })
        );
        assert_eq!(
            choice(&json!({"type": "function", "function": {"name": "f"}})),
            json!({"type": "tool", "name": "f"})
        );
    }
}
