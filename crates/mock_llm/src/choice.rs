//! Reads the tool choice of a request: which tools the model may call, whether it must call one, and how many at once.
//! Sources: the API references of OpenAI (`tool_choice`, `parallel_tool_calls`) and Anthropic (`tool_choice`).

use crate::fields::{given, items};
use serde_json::Value;

/// The calls that a request allows in its answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ToolChoice<'r> {
    /// Whether no tool may be called.
    pub(super) none: bool,
    /// Whether one must be called.
    pub(super) forced: bool,
    /// The only tools that may be called.
    pub(super) only: Option<Vec<&'r str>>,
    /// Whether only one may be called at once.
    pub(super) single: bool,
}

impl<'r> ToolChoice<'r> {
    pub(super) fn read(request: &'r Value) -> Self {
        let given = |key: &str| given(request, key);
        let mut choice = match (given("tool_choice"), given("function_call")) {
            (Some(choice), _) => of_tools(choice),
            // The predecessor of `tool_choice`.
            (None, Some(Value::String(mode))) => Self { none: mode == "none", ..Self::default() },
            (None, Some(function)) => named(function["name"].as_str()),
            (None, None) => Self::default(),
        };
        let says = |part: Option<&Value>, truth: bool| part.and_then(Value::as_bool) == Some(truth);
        let disabled = given("tool_choice").and_then(|choice| choice.get("disable_parallel_tool_use"));
        choice.single = says(given("parallel_tool_calls"), false) || says(disabled, true);
        choice
    }
}

fn of_tools(choice: &Value) -> ToolChoice<'_> {
    match choice.as_str().or_else(|| choice["type"].as_str()) {
        Some("none") => ToolChoice { none: true, ..ToolChoice::default() },
        Some("required" | "any") => ToolChoice { forced: true, ..ToolChoice::default() },
        Some(kind @ ("function" | "custom" | "tool")) => named(choice.get(kind).unwrap_or(choice)["name"].as_str()),
        Some("allowed_tools") => allowed(choice.get("allowed_tools").unwrap_or(choice)),
        // A tool that the provider runs itself is called before the answer, which may be anything.
        _ => ToolChoice::default(),
    }
}

fn named(name: Option<&str>) -> ToolChoice<'_> {
    ToolChoice { forced: name.is_some(), only: name.map(|name| vec![name]), ..ToolChoice::default() }
}

/// Reads `allowed_tools`. Tools that are not functions may contain functions or be run by the provider: no restriction
/// then.
fn allowed<'r>(choice: &'r Value) -> ToolChoice<'r> {
    let name = |tool: &'r Value| match tool["type"].as_str() {
        Some(kind @ ("function" | "custom")) => tool.get(kind).unwrap_or(tool)["name"].as_str(),
        _ => None,
    };
    let tools = items(choice.get("tools"));
    let only: Option<Vec<&str>> = tools.iter().map(name).collect();
    match only.filter(|only| !only.is_empty()) {
        Some(only) => ToolChoice {
            forced: choice["mode"].as_str() == Some("required"),
            only: Some(only),
            ..ToolChoice::default()
        },
        None => ToolChoice::default(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// `none`, `forced`, `single`, and the allowed tools.
    fn read(request: &Value) -> String {
        let text = request.to_string();
        let request = serde_json::from_slice::<Value>(text.as_bytes()).unwrap();
        let ToolChoice { none, forced, only, single } = ToolChoice::read(&request);
        let said = [(none, "none"), (forced, "forced"), (single, "single")];
        let mut said: Vec<&str> = said.into_iter().filter_map(|(is, name)| is.then_some(name)).collect();
        said.extend(only.unwrap_or_default());
        said.join(" ")
    }

    #[test]
    fn parses_tool_choice_of_every_api() {
        let function = json!({ "type": "function", "name": "f" });
        let in_function = json!({ "type": "function", "function": { "name": "f" } });
        for (choice, expected) in [
            (json!(null), ""),
            (json!("auto"), ""),
            (json!({ "type": "auto" }), ""),
            (json!({ "type": "auto", "disable_parallel_tool_use": true }), "single"),
            (json!("none"), "none"),
            (json!({ "type": "none" }), "none"),
            (json!("required"), "forced"),
            (json!({ "type": "any", "disable_parallel_tool_use": false }), "forced"),
            (json!({ "type": "tool", "name": "f" }), "forced f"),
            (function.clone(), "forced f"),
            (in_function.clone(), "forced f"),
            (json!({ "type": "custom", "custom": { "name": "f" } }), "forced f"),
            (json!({ "type": "web_search_preview" }), ""),
            (json!({ "type": "allowed_tools", "mode": "auto", "tools": [function] }), "f"),
            (
                json!({ "type": "allowed_tools", "allowed_tools": { "mode": "required", "tools": [in_function] } }),
                "forced f",
            ),
            (json!({ "type": "allowed_tools", "mode": "required", "tools": [function, { "type": "mcp" }] }), ""),
        ] {
            assert_eq!(read(&json!({ "tool_choice": choice })), expected, "{choice}");
        }
        assert_eq!(read(&json!({ "function_call": { "name": "f" } })), "forced f");
        assert_eq!(read(&json!({ "function_call": "none", "tool_choice": null })), "none");
        assert_eq!(read(&json!({ "function_call": "auto", "parallel_tool_calls": true })), "");
        assert_eq!(read(&json!({ "tool_choice": "required", "parallel_tool_calls": false })), "forced single");
    }
}
