//! Small streams of events and their results.

mod conversation;
mod endings;
mod history;
mod properties;
mod snapshots;
mod streams;
mod violations;

use agentci_trace::{EventKind, Moment};
use serde_json::{Value, json};

use super::{AguiError, AguiMethod, AguiReader, AguiStep, AguiThread, AnswerEnding};

fn moment(number: usize) -> Moment {
    let offset_us = u64::try_from(number).unwrap() * 1000;
    Moment { unix_ms: offset_us / 1000, offset_us }
}

fn conversation() -> AguiThread {
    let tool = json!({"name": "pick", "description": "", "parameters": {}});
    AguiThread::new("t".into(), None, vec![tool], None)
}

/// Reads one answer of these events.
fn read(events: &[Value], conversation: &mut AguiThread) -> Result<(Vec<AguiStep>, AnswerEnding), AguiError> {
    let mut reader = AguiReader::new(AguiMethod::Run, "r", conversation);
    let mut steps = Vec::new();
    for (index, event) in events.iter().enumerate() {
        steps.extend(reader.event(&event.to_string(), moment(index + 1), conversation)?);
    }
    let (rest, ending) = reader.end(moment(events.len() + 1), conversation);
    steps.extend(rest);
    Ok((steps, ending))
}

/// An event with a type and other fields.
fn event(kind: &str, mut fields: Value) -> Value {
    fields.as_object_mut().unwrap().insert("type".into(), kind.into());
    fields
}

fn started() -> Value {
    event("RUN_STARTED", json!({"threadId": "t", "runId": "r"}))
}

fn finished() -> Value {
    event("RUN_FINISHED", json!({"threadId": "t", "runId": "r"}))
}

/// A whole run around some events.
fn run(events: &[Value]) -> Vec<Value> {
    let mut all = vec![started()];
    all.extend_from_slice(events);
    all.push(finished());
    all
}

fn text_start(id: &str) -> Value {
    event("TEXT_MESSAGE_START", json!({"messageId": id, "role": "assistant"}))
}

fn text(id: &str, delta: &str) -> Value {
    event("TEXT_MESSAGE_CONTENT", json!({"messageId": id, "delta": delta}))
}

fn text_end(id: &str) -> Value {
    event("TEXT_MESSAGE_END", json!({"messageId": id}))
}

fn call_start(id: &str, name: &str) -> Value {
    event("TOOL_CALL_START", json!({"toolCallId": id, "toolCallName": name}))
}

fn args(id: &str, delta: &str) -> Value {
    event("TOOL_CALL_ARGS", json!({"toolCallId": id, "delta": delta}))
}

fn call_end(id: &str) -> Value {
    event("TOOL_CALL_END", json!({"toolCallId": id}))
}

fn result(id: &str, content: &str) -> Value {
    event("TOOL_CALL_RESULT", json!({"toolCallId": id, "messageId": format!("m-{id}"), "content": content}))
}

/// One line per step, with the number of the event that caused it.
fn lines(steps: &[AguiStep]) -> Vec<String> {
    let line = |AguiStep { at, kind }: &AguiStep| {
        let number = at.offset_us / 1000;
        match kind {
            EventKind::Text(text) => format!("{number} text {text}"),
            EventKind::Reasoning(text) => format!("{number} reasoning {text}"),
            EventKind::ToolCall(call) => {
                let begun = call.begun.unwrap().offset_us / 1000;
                format!("{number} call {} {} {} begun {begun}", call.call_id, call.name, call.args)
            }
            EventKind::ToolResult(result) => {
                let error = result.error.as_ref().map(|error| format!(" error {error}")).unwrap_or_default();
                format!("{number} result {} {}{error}", result.call_id, result.result)
            }
            EventKind::State(state) => format!("{number} state {state}"),
            EventKind::Usage(usage) => format!("{number} usage {:?} {:?}", usage.tokens_in, usage.tokens_out),
            EventKind::Log { level, message, data } => {
                let data = data.as_ref().map(|data| format!(" {data}")).unwrap_or_default();
                format!("{number} {level} {message}{data}")
            }
            EventKind::AgentError { message, .. } => format!("{number} error {message}"),
            EventKind::Violation(words) => format!("{number} violation {words}"),
            other => panic!("{other:?}"),
        }
    };
    steps.iter().filter(|step| !matches!(step.kind, EventKind::Beside(_))).map(line).collect()
}

/// The result of a whole run of these events.
fn lines_of(events: &[Value]) -> Vec<String> {
    lines(&read(&run(events), &mut conversation()).unwrap().0)
}
