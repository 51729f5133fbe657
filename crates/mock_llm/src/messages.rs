//! Reads the messages of a request in any provider's format: Chat Completions, Anthropic's messages, Gemini's contents,
//! the messages of Ollama, Cohere and Bedrock's Converse. Results are matched to calls by id, or by name and order
//! without ids.

use super::parsed_request::{FunctionCall, GivenResult, ParsedRequest, result_text, text as said};
use crate::fields::{field, items, string};
use serde_json::Value;

pub(super) fn read(body: &Value, parsed: &mut ParsedRequest) {
    let (mut open, mut answering) = (Vec::new(), false);
    let list = ["messages", "contents", "input"].into_iter().find_map(|key| field(body, key)?.as_array());
    for message in list.into_iter().flatten() {
        let role = string(message, "role").unwrap_or("user");
        let content = field(message, "content").or_else(|| field(message, "parts")).unwrap_or(&Value::Null);
        match role {
            "system" | "developer" => {}
            "assistant" | "model" => {
                parsed.hear("assistant", content);
                parsed.answered();
                // Consecutive messages of the model are one answer.
                if !std::mem::replace(&mut answering, true) {
                    open.clear();
                }
                calls(message, content, parsed, &mut open);
            }
            _ => {
                answering = false;
                parsed.hear(role, content);
                let gave = results(message, role, content, parsed, &mut open);
                let words = said(content);
                if !matches!(role, "tool" | "function") && (!words.is_empty() || !gave) {
                    parsed.user = words;
                }
            }
        }
    }
}

/// A call of the last answer that has no result yet.
struct OpenCall {
    /// The id, if the request repeats it.
    id: Option<String>,
    /// The index of its message.
    at: usize,
    function: FunctionCall,
}

/// Reads the calls of an answer that the request repeats.
fn calls(message: &Value, content: &Value, parsed: &mut ParsedRequest, open: &mut Vec<OpenCall>) {
    let at = parsed.last_heard();
    let mut take = |id: Option<&str>, name: Option<&str>, arguments: Option<&Value>| {
        let Some(name) = name else { return };
        let arguments = arguments.map(|arguments| arguments.as_str().map_or_else(|| arguments.to_string(), Into::into));
        let id = id.filter(|id| !id.is_empty()).map(str::to_owned);
        if id.is_some() {
            parsed.repeat(id.clone(), Some(name.into()), arguments.clone());
        }
        open.push(OpenCall { id, at, function: FunctionCall { name: name.into(), arguments } });
    };
    for call in items(message.get("tool_calls")) {
        let function = call.get("function").unwrap_or(call);
        take(call["id"].as_str(), function["name"].as_str(), function.get("arguments"));
    }
    // The predecessor of `tool_calls`, without ids.
    if let Some(call) = message.get("function_call") {
        take(None, call["name"].as_str(), call.get("arguments"));
    }
    for part in items(Some(content)) {
        if let Some(call) = part.get("functionCall").or_else(|| part.get("function_call")) {
            take(call["id"].as_str(), call["name"].as_str(), call.get("args"));
        } else if let Some(call) = part.get("toolUse") {
            take(call["toolUseId"].as_str(), call["name"].as_str(), call.get("input"));
        } else if part["type"].as_str() == Some("tool_use") {
            take(part["id"].as_str(), part["name"].as_str(), part.get("input"));
        }
    }
}

/// Reads the tool results of a message, and returns whether it has any.
fn results(message: &Value, role: &str, content: &Value, parsed: &mut ParsedRequest, open: &mut Vec<OpenCall>) -> bool {
    let mut take = |name: Option<&str>, given: GivenResult| {
        let by_id = open.iter().position(|call| call.id.as_deref().is_some_and(|id| id == given.call_id));
        let fits = |call: &OpenCall| name.is_none_or(|name| call.function.name == name);
        // A client may repeat the id of a call and omit it from the result, or invent an id that no call has.
        let by_name = || open.iter().position(|call| fits(call) && (call.id.is_none() || given.call_id.is_empty()));
        let is_known = parsed.repeated.contains_key(&given.call_id);
        match by_id.or_else(|| by_name().filter(|_| !is_known)).map(|at| open.remove(at)) {
            Some(OpenCall { id, at, function }) => {
                let call_id = id.unwrap_or_default();
                parsed.results.push(GivenResult { call_id, function: Some(function), at, ..given });
            }
            None => parsed.take_result(given),
        }
    };
    let mut has_parts = false;
    for part in items(Some(content)) {
        let response = part.get("functionResponse").or_else(|| part.get("function_response"));
        if let Some(response) = response {
            let gave = response.get("response");
            // As documented: `error` is the error, `output` the result.
            let failed = gave.is_some_and(|gave| gave.get("error").is_some() && gave.get("output").is_none());
            take(response["name"].as_str(), given(response["id"].as_str(), gave, failed));
        } else if let Some(result) = part.get("toolResult") {
            let failed = result["status"] == "error";
            take(None, given(result["toolUseId"].as_str(), result.get("content"), failed));
        } else if part["type"].as_str() == Some("tool_result") {
            let failed = part["is_error"].as_bool().unwrap_or_default();
            take(None, given(part["tool_use_id"].as_str(), part.get("content"), failed));
        } else {
            continue;
        }
        has_parts = true;
    }
    if matches!(role, "tool" | "function") && !has_parts {
        let name = message["tool_name"].as_str().or_else(|| message["name"].as_str());
        let mut given = given(message["tool_call_id"].as_str(), Some(content), false);
        let function = name.filter(|_| role == "function");
        given.function = function.map(|name| FunctionCall { name: name.into(), arguments: None });
        take(name, given);
        return true;
    }
    has_parts
}

fn given(id: Option<&str>, content: Option<&Value>, failed: bool) -> GivenResult {
    GivenResult { failed, ..GivenResult::new(id, content.map(words).unwrap_or_default()) }
}

/// A tool's result as text. Bedrock and Cohere send data in a separate part.
fn words(content: &Value) -> String {
    let data = |part: &Value| {
        let document = part.get("document").and_then(|document| document.get("data").or(Some(document)));
        let found = part.get("json").or(document);
        found.map(|found| found.as_str().map_or_else(|| found.to_string(), Into::into))
    };
    let parts = items(Some(content));
    let found: Vec<String> = parts.iter().filter_map(data).collect();
    if found.is_empty() { result_text(content) } else { found.join("\n") }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The results of a conversation: id, arguments of the matching call, and content.
    fn results(messages: &Value) -> Vec<String> {
        let body = json!({ "messages": messages });
        let mut parsed = ParsedRequest::default();
        read(&body, &mut parsed);
        let arguments = |given: &GivenResult| given.function.as_ref().and_then(|call| call.arguments.clone());
        let told = |given: &GivenResult| {
            format!("{}/{}/{}", given.call_id, arguments(given).unwrap_or_default(), given.content)
        };
        parsed.older.iter().chain(&parsed.results).map(told).collect()
    }

    fn called(id: Option<&str>, city: u8) -> Value {
        json!({ "functionCall": { "id": id, "name": "find", "args": city } })
    }

    fn gave(id: Option<&str>, name: &str, what: &str) -> Value {
        json!({ "functionResponse": { "id": id, "name": name, "response": what } })
    }

    fn said(role: &str, parts: &[Value]) -> Value {
        json!({ "role": role, "parts": parts })
    }

    #[test]
    fn matches_results_to_calls_with_and_without_ids() {
        let two = said("model", &[called(Some("a"), 1), called(Some("b"), 2)]);
        let by_id = said("user", &[gave(Some("b"), "find", "two"), gave(Some("a"), "find", "one")]);
        assert_eq!(results(&json!([two, by_id])), ["b/2/two", "a/1/one"]);
        // The client repeats the ids of calls, but its results have none.
        let by_name = said("user", &[gave(None, "find", "one"), gave(None, "find", "two")]);
        assert_eq!(results(&json!([two, by_name])), ["a/1/one", "b/2/two"]);
        let nameless = said("model", &[called(None, 1), called(None, 2)]);
        assert_eq!(results(&json!([nameless, by_name])), ["/1/one", "/2/two"]);
        // Calls in consecutive messages are those of one answer.
        let apart = json!([said("model", &[called(None, 1)]), said("model", &[called(None, 2)]), by_name]);
        assert_eq!(results(&apart), ["/1/one", "/2/two"]);
    }

    #[test]
    fn results_without_a_call_stay_unmatched() {
        let two = said("model", &[called(Some("a"), 1), called(Some("b"), 2)]);
        let unknown = said("user", &[gave(Some("c"), "find", "one"), gave(None, "other", "two")]);
        assert_eq!(results(&json!([two, unknown])), ["c//one", "//two"]);
        // An answer in between closes the open calls.
        let later = json!([two, said("user", &[]), said("model", &[]), said("user", &[gave(None, "find", "late")])]);
        assert_eq!(results(&later), ["//late"]);
    }

    #[test]
    fn tool_results_are_not_user_text() {
        let user = |messages: &Value| {
            let body = json!({ "contents": messages });
            let mut parsed = ParsedRequest::default();
            read(&body, &mut parsed);
            (parsed.user, parsed.answers)
        };
        let hi = said("user", &[json!({ "text": "hi" })]);
        let model = said("model", &[called(None, 1)]);
        let results = said("user", &[gave(None, "find", "one")]);
        assert_eq!(user(&json!([hi, model, results])), ("hi".to_owned(), 1));
        let tool = json!({ "role": "tool", "content": "rain", "tool_name": "find" });
        assert_eq!(user(&json!([hi, model, tool])), ("hi".to_owned(), 1));
    }
}
