//! What a request to a live model asks. What its provider took is never refused here: a request in a form that the scripted model
//! would refuse is read as far as it goes.

use agentci_protocols::chat::WireApi;

use super::super::asked::{Asked, FunctionCall, GivenResult, result_text};
use super::super::json::Json;
use super::super::{anthropic, openai};

/// What a request asks.
pub(super) fn read(api: WireApi, body: &Json<'_>) -> Asked {
    let read = match api {
        WireApi::Chat => openai::chat::read(body),
        WireApi::Responses => openai::responses::read(body),
        WireApi::Messages => anthropic::read(body, true),
        WireApi::Gemini | WireApi::Ollama | WireApi::Cohere | WireApi::Bedrock => return of_messages(body),
    };
    let mut asked = read.unwrap_or_else(|_| of_messages(body));
    if api == WireApi::Responses {
        other_outputs(body, &mut asked);
    }
    asked
}

/// Outputs of calls that are not functions: `custom_tool_call_output`, `local_shell_call_output` and the like.
fn other_outputs(body: &Json<'_>, asked: &mut Asked) {
    for item in body.get("input").and_then(Json::as_list).unwrap_or_default() {
        let kind = text(item, "type").unwrap_or_default();
        if kind.ends_with("_call_output") && kind != "function_call_output" {
            let id = text(item, "call_id").or_else(|| text(item, "id"));
            asked.take_result(given(id, item.get("output"), false));
        }
    }
}

/// Calls of the last answer that have no ids, each with the message that has it.
type Nameless = Vec<(usize, FunctionCall)>;

/// Messages in any provider's form.
fn of_messages(body: &Json<'_>) -> Asked {
    let mut asked = Asked { choices: 1, model: text(body, "model").map(str::to_owned), ..Asked::default() };
    let mut nameless = Nameless::new();
    let list = ["messages", "contents", "input"].into_iter().find_map(|key| body.get(key)?.as_list());
    for message in list.unwrap_or_default() {
        let role = text(message, "role").unwrap_or("user");
        let content = message.get("content").or_else(|| message.get("parts")).unwrap_or(&Json::Null);
        match role {
            "system" | "developer" => {}
            "assistant" | "model" => {
                asked.hear("assistant", content);
                asked.answered();
                nameless.clear();
                calls(message, content, &mut asked, &mut nameless);
            }
            _ => {
                asked.hear(role, content);
                results(message, role, content, &mut asked, &mut nameless);
            }
        }
    }
    asked
}

/// The calls that an answer asked for, as the request repeats it.
fn calls(message: &Json<'_>, content: &Json<'_>, asked: &mut Asked, nameless: &mut Nameless) {
    let mut take = |id: Option<&str>, name: Option<&str>, arguments: Option<&Json<'_>>| {
        let Some(name) = name else { return };
        let arguments = arguments.map(|arguments| arguments.as_str().map_or_else(|| arguments.to_string(), Into::into));
        match id {
            Some(id) => asked.repeat(Some(id.into()), Some(name.into()), arguments),
            None => nameless.push((asked.last_heard(), FunctionCall { name: name.into(), arguments })),
        }
    };
    for call in message.get("tool_calls").and_then(Json::as_list).unwrap_or_default() {
        let function = call.get("function").unwrap_or(call);
        take(text(call, "id"), text(function, "name"), function.get("arguments"));
    }
    for part in content.as_list().unwrap_or_default() {
        if let Some(call) = part.get("functionCall").or_else(|| part.get("function_call")) {
            take(text(call, "id"), text(call, "name"), call.get("args"));
        } else if let Some(call) = part.get("toolUse") {
            take(text(call, "toolUseId"), text(call, "name"), call.get("input"));
        } else if text(part, "type") == Some("tool_use") {
            take(text(part, "id"), text(part, "name"), part.get("input"));
        }
    }
}

/// The results of tools in a message.
fn results(message: &Json<'_>, role: &str, content: &Json<'_>, asked: &mut Asked, nameless: &mut Nameless) {
    let mut take = |name: Option<&str>, given: GivenResult| {
        let is_known = asked.repeated.contains_key(&given.call_id);
        let fits = |(_, call): &(usize, FunctionCall)| name.is_none_or(|name| call.name == name);
        let found = nameless.iter().position(fits).filter(|_| !is_known).map(|at| nameless.remove(at));
        match found {
            Some((at, function)) => {
                asked.results.push(GivenResult { call_id: String::new(), function: Some(function), at, ..given });
            }
            None => asked.take_result(given),
        }
    };
    let mut has_parts = false;
    for part in content.as_list().unwrap_or_default() {
        let response = part.get("functionResponse").or_else(|| part.get("function_response"));
        if let Some(response) = response {
            let gave = response.get("response");
            // Documented: `error` has what went wrong, `output` what a function gave.
            let failed = gave.is_some_and(|gave| gave.get("error").is_some() && gave.get("output").is_none());
            take(text(response, "name"), given(text(response, "id"), gave, failed));
        } else if let Some(result) = part.get("toolResult") {
            take(
                None,
                given(text(result, "toolUseId"), result.get("content"), text(result, "status") == Some("error")),
            );
        } else if text(part, "type") == Some("tool_result") {
            let failed = part.get("is_error").and_then(Json::as_bool).unwrap_or_default();
            take(None, given(text(part, "tool_use_id"), part.get("content"), failed));
        } else {
            continue;
        }
        has_parts = true;
    }
    if matches!(role, "tool" | "function") && !has_parts {
        let name = text(message, "tool_name").or_else(|| text(message, "name"));
        take(name, given(text(message, "tool_call_id"), Some(content), false));
    }
}

fn given(id: Option<&str>, content: Option<&Json<'_>>, failed: bool) -> GivenResult {
    let content = content.map(words).unwrap_or_default();
    GivenResult { call_id: id.unwrap_or_default().into(), content, failed, function: None, at: 0 }
}

/// What a tool gave, as a text. Bedrock and Cohere send data as a part of its own.
fn words(content: &Json<'_>) -> String {
    let data = |part: &Json<'_>| {
        let document = part.get("document").and_then(|document| document.get("data").or(Some(document)));
        let found = part.get("json").or(document);
        found.map(|found| found.as_str().map_or_else(|| found.to_string(), Into::into))
    };
    let parts = content.as_list().unwrap_or_default();
    let found: Vec<String> = parts.iter().filter_map(data).collect();
    if found.is_empty() { result_text(content) } else { found.join("\n") }
}

fn text<'j>(value: &'j Json<'_>, key: &str) -> Option<&'j str> {
    value.get(key).and_then(Json::as_str)
}
