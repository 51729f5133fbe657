//! The arguments and the return value of `Next`.

use agentci_trace::ToolResult;
use serde_json::{Value, json};

use super::hooks::Hooks;
use crate::chat::conversation::ModelTurn;
use crate::chat::message::all_normal;
use crate::chat::output::CallWithResult;
use crate::{DriveError, DriveResult};

/// What `Next` decided.
#[derive(Debug)]
pub(in crate::chat) enum NextStep {
    /// The turn ends with this result.
    Output(Value),
    /// Another agent continues with these messages.
    Delegate { agent: String, messages: Vec<Value> },
}

/// The second argument of `Next`; its first is the context.
pub(super) fn payload(messages: &[Value], answered: Result<&ModelTurn, &DriveError>) -> Value {
    let (completion, called, error) = match answered {
        Ok(answered) => (answered.completion.value(), answered.called.as_slice(), None),
        Err(error) => (Value::Null, Default::default(), Some(error.to_string())),
    };
    let tools: Vec<Value> = called.iter().map(tool).collect();
    json!({ "messages": messages, "completion": completion, "tools": tools, "error": error })
}

/// A call and its result.
fn tool(called: &CallWithResult) -> Value {
    let arguments = called.call.parsed().unwrap_or_else(|raw| raw);
    let (result, error) = match &called.result {
        Some(ToolResult { ok: true, result, .. }) => (Some(result), None),
        Some(ToolResult { error, .. }) => (None, error.as_ref()),
        None => (None, None),
    };
    json!({
        "toolcall_id": called.call.id,
        "tool": called.call.name,
        "arguments": arguments,
        "result": result,
        "error": error,
    })
}

/// Reads the return value of `Next`.
pub(super) fn step(returned: Value, said: &[Value], hooks: &Hooks) -> DriveResult<Option<NextStep>> {
    let wrong = |message: &str| hooks.wrong("Next", message);
    let Value::Object(mut returned) = returned else {
        return Err(wrong("must return an object (`{ data }` or `{ delegate }`) or nothing"));
    };
    if let Some(delegate) = returned.remove("delegate").filter(|delegate| !delegate.is_null()) {
        let Some(agent) = delegate.get("agent_id").and_then(Value::as_str) else {
            return Err(wrong("returned a `delegate` without an `agent_id`"));
        };
        let messages = match delegate.get("messages").filter(|messages| !messages.is_null()) {
            Some(messages) => all_normal(messages).map_err(|error| wrong(&error))?,
            None => said.to_vec(),
        };
        return Ok(Some(NextStep::Delegate { agent: agent.to_owned(), messages }));
    }
    Ok(returned.remove("data").filter(|data| !data.is_null()).map(NextStep::Output))
}

#[cfg(test)]
mod tests {
    use agentci_protocols::chat::AnswerCall;
    use agentci_trace::Moment;

    use super::*;
    use crate::chat::Completion;

    #[test]
    fn failed_tool_is_passed_with_its_error() {
        let call = AnswerCall { id: "c".into(), name: "mail".into(), arguments: "{\"a\":1}".into() };
        let result = ToolResult { call_id: "c".into(), error: Some("no such box".into()), ..ToolResult::default() };
        let called = vec![CallWithResult { call, result: Some(result) }];
        let answered = ModelTurn { completion: Completion::default(), called, over: Moment::default() };
        let shown = payload(&[], Ok(&answered));
        let tool = json!({
            "toolcall_id": "c", "tool": "mail", "arguments": { "a": 1 }, "result": null, "error": "no such box",
        });
        assert_eq!(shown["tools"], json!([tool]));
        assert_eq!(shown["error"], Value::Null);
    }
}
