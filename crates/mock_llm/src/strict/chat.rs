//! OpenAI's Chat Completions. All errors are 400, `invalid_request_error`.

use super::{empty_array, given, history, missing, names, parameters, refuse, schema, tools};
use crate::fields::{field, items, string};
use crate::refusal::ModelRefusal;
use serde_json::Value;

/// Checks a request; `warnings` get what only some models or compatible providers refuse.
pub(in super::super) fn check(request: &Value, warnings: &mut Vec<String>) -> Result<(), ModelRefusal> {
    // chain-ml/council#45, danielmiessler/Fabric#239: `param` and `code` are null.
    if given(request, "model").is_none() {
        return refuse("you must provide a model parameter");
    }
    let Some(messages) = given(request, "messages") else { return Err(missing("messages")) };
    if messages.as_array().is_some_and(Vec::is_empty) {
        // CopilotKit/CopilotKit#529
        return Err(empty_array("messages"));
    }
    parameters::check(request)?;
    history::check(items(Some(messages)))?;
    paired(items(Some(messages)))?;
    for (at, tool) in tools(request) {
        let Some(function) = tool.get("function") else { continue };
        let place = format!("tools[{at}].function.name");
        let name = function["name"].as_str().unwrap_or_default();
        names::openai(&place, name)?;
        warnings.extend(names::risky(&place, name, function["description"].as_str()));
        function_schema(function, name, &format!("tools[{at}].function.parameters"))?;
    }
    let format = field(request, "response_format").and_then(|format| format.get("json_schema"));
    format.map_or(Ok(()), |format| strict_format(format, "response_format"))
}

/// Checks the schema of a function: its lists, and all rules if it is strict.
pub(super) fn function_schema(function: &Value, name: &str, place: &str) -> Result<(), ModelRefusal> {
    let parameters = function.get("parameters");
    let strict = || parameters.filter(|_| is_strict(function)).and_then(|schema| schema::broken(schema, true));
    match parameters.and_then(schema::list_of_nothing).or_else(strict) {
        Some(broken) => {
            let message = format!("Invalid schema for function '{name}': {}", broken.openai());
            Err(ModelRefusal::of_part(place, message).code("invalid_function_parameters"))
        }
        None => Ok(()),
    }
}

/// Checks the strict schema of an answer: dottxt-ai/outlines#844, vercel/ai#6484, agentscope-ai/agentscope-java#2548.
pub(super) fn strict_format(format: &Value, place: &str) -> Result<(), ModelRefusal> {
    let wanted = format.get("schema").filter(|_| is_strict(format));
    match wanted.and_then(|wanted| schema::broken(wanted, true)) {
        Some(broken) => {
            let name = format["name"].as_str().unwrap_or_default();
            Err(ModelRefusal::of_part(
                place,
                format!("Invalid schema for response_format '{name}': {}", broken.openai()),
            ))
        }
        None => Ok(()),
    }
}

fn is_strict(part: &Value) -> bool {
    part["strict"].as_bool() == Some(true)
}

/// Checks that the results of all calls come right after them, in any order, and that every result has a call.
fn paired(messages: &[Value]) -> Result<(), ModelRefusal> {
    let mut called: Vec<&str> = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = string(message, "role");
        if role == Some("tool") {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            answers(&called, id, at)?;
            open.retain(|call| *call != id);
            continue;
        }
        unanswered(&open, at)?;
        let calls = field(message, "tool_calls").filter(|_| role == Some("assistant")).and_then(Value::as_array);
        called = calls.into_iter().flatten().filter_map(|call| call["id"].as_str()).collect();
        open.clone_from(&called);
    }
    unanswered(&open, messages.len())
}

/// Checks that a result belongs to one of the calls right before it.
fn answers(called: &[&str], id: &str, at: usize) -> Result<(), ModelRefusal> {
    if called.is_empty() {
        // smarter-sh/smarter#264, miurla/morphic#136; the spelling is OpenAI's.
        let message = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
        return Err(ModelRefusal::of_part(&format!("messages.[{at}].role"), message));
    }
    if !called.contains(&id) {
        // Quoted in src/core/api/transform/openai-format.ts of cline/cline.
        let message =
            format!("Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message.");
        return Err(ModelRefusal::of_part(&format!("messages.[{at}].tool_call_id"), message));
    }
    Ok(())
}

/// BloomLabsInc/genkit-plugins#225, BerriAI/litellm#28995.
fn unanswered(open: &[&str], at: usize) -> Result<(), ModelRefusal> {
    if open.is_empty() {
        return Ok(());
    }
    let message = format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The \
         following tool_call_ids did not have response messages: {}",
        open.join(", ")
    );
    Err(ModelRefusal::of_part(&format!("messages.[{at}].role"), message))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refused(request: &Value) -> Option<String> {
        let request = serde_json::from_slice::<Value>(request.to_string().as_bytes()).unwrap();
        check(&request, &mut Vec::new()).err().map(|refusal| refusal.message)
    }

    fn with(messages: &Value) -> Option<String> {
        refused(&json!({ "model": "m", "messages": messages }))
    }

    #[test]
    fn accepts_parallel_results_in_any_order() {
        let calls = json!([{ "id": "a", "function": {} }, { "id": "b", "function": {} }]);
        let history = json!([
            { "role": "user", "content": "x" },
            { "role": "assistant", "content": null, "tool_calls": calls },
            { "role": "tool", "tool_call_id": "b", "content": "2" },
            { "role": "tool", "tool_call_id": "a", "content": "1" },
            { "role": "user", "content": "and?" },
        ]);
        assert_eq!(with(&history), None);
    }

    #[test]
    fn refuses_unpaired_calls_and_results() {
        let user = json!({ "role": "user", "content": "x" });
        let asks = json!({ "role": "assistant", "tool_calls": [{ "id": "a" }, { "id": "b" }] });
        let gives = |id: &str| json!({ "role": "tool", "tool_call_id": id, "content": "1" });
        let missing = "The following tool_call_ids did not have response messages: b";
        assert!(with(&json!([user, asks, gives("a")])).unwrap().ends_with(missing));
        assert!(with(&json!([user, asks, gives("a"), user, gives("b")])).unwrap().ends_with(missing));
        assert!(with(&json!([user, gives("a")])).unwrap().contains("must be a response to a preceeding message"));
        assert!(
            with(&json!([user, asks, gives("a"), gives("c")])).unwrap().contains("'tool_call_id' of 'c' not found")
        );
    }

    #[test]
    fn refuses_missing_required_parameters() {
        assert_eq!(refused(&json!({ "messages": [] })).unwrap(), "you must provide a model parameter");
        assert_eq!(refused(&json!({ "model": "m" })).unwrap(), "Missing required parameter: 'messages'.");
        assert!(with(&json!([])).unwrap().starts_with("Invalid 'messages': empty array."));
    }

    #[test]
    fn schemas_are_strict_only_if_requested() {
        let user = json!([{ "role": "user", "content": "x" }]);
        let tool = |strict: Value| {
            let function =
                json!({ "name": "f", "strict": strict, "parameters": { "type": "object", "properties": {} } });
            refused(&json!({ "model": "m", "messages": user, "tools": [{ "type": "function", "function": function }] }))
        };
        assert_eq!((tool(json!(null)), tool(json!(false))), (None, None));
        assert!(tool(json!(true)).unwrap().starts_with("Invalid schema for function 'f': In context=()"));
    }
}
