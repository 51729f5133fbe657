//! From the trace to run events: the one place where what the agent did leaves the runner.

use std::sync::Arc;

use agentci_trace::{Event, Kind};
use agentci_verdict::{
    Body, FinalOutput, Log, ModelCallMade, TaskError, TaskStart, TextSaid, ToolCallMade, ToolResultGiven, TurnStart,
};
use serde_json::Value;

fn note(level: &str, message: String, data: Option<Arc<Value>>) -> Body {
    Body::Log(Log { level: level.to_owned(), message, data })
}

/// The run event for something that happened; nothing where the trace alone needs it.
pub(crate) fn translate(event: &Event, case_id: &Arc<str>) -> Option<Body> {
    let turn = event.turn;
    Some(match &event.kind {
        Kind::TurnStart(input) if turn == 0 => {
            Body::TaskStart(TaskStart { task_id: Arc::clone(case_id), input: Arc::clone(input) })
        }
        Kind::TurnStart(input) => Body::TurnStart(TurnStart { turn, input: Arc::clone(input) }),
        Kind::Text(text) => Body::Text(TextSaid { turn, text: text.clone() }),
        Kind::Reasoning(text) => note("reasoning", text.clone(), None),
        Kind::State(state) => note("state", "the agent's state".into(), Some(Arc::clone(state))),
        Kind::Violation(message) => note("violation", message.clone(), None),
        Kind::ToolCall(call) => Body::ToolCall(ToolCallMade {
            turn,
            name: call.name.clone(),
            call_id: call.call_id.clone(),
            args: Arc::clone(&call.args),
        }),
        Kind::ToolResult(result) => Body::ToolResult(ToolResultGiven {
            turn,
            call_id: result.call_id.clone(),
            ok: result.ok,
            result: Arc::clone(&result.result),
            error: result.error.clone(),
            fault: result.fault.clone(),
        }),
        Kind::ModelCall { request, response } => {
            Body::ModelCall(ModelCallMade { turn, request: Arc::clone(request), response: Arc::clone(response) })
        }
        Kind::ModelTrouble(trouble) => note(trouble.kind.name(), trouble.message.clone(), None),
        Kind::Usage(usage) => Body::Usage(*usage),
        Kind::Log { level, message, data } => {
            Body::Log(Log { level: level.clone(), message: message.clone(), data: data.clone() })
        }
        Kind::AgentError { message, data } => {
            Body::TaskError(TaskError { message: message.clone(), data: data.clone() })
        }
        Kind::FinalOutput(output) => Body::FinalOutput(FinalOutput { output: Arc::clone(output) }),
        _ => return None,
    })
}
