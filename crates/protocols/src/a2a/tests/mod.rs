//! Answers of agents, and requests to them.

mod properties;
mod requests;
mod turns;

use agentci_trace::EventKind;
use serde_json::{Value, json};

use super::{A2aConversation, A2aProtocol, A2aReader, A2aVersion, Binding, OutgoingMessage, TurnStanding};

const MODERN: A2aProtocol = A2aProtocol { version: A2aVersion::V1, binding: Binding::JsonRpc };
const OLD: A2aProtocol = A2aProtocol { version: A2aVersion::V03, binding: Binding::JsonRpc };

fn user(words: &str) -> OutgoingMessage {
    OutgoingMessage::of_messages(&[json!({ "role": "user", "content": words })]).unwrap()
}

/// The trace of one turn.
#[derive(Debug, Default, PartialEq)]
struct Left {
    text: String,
    logs: Vec<String>,
    violations: Vec<String>,
    state: Option<Value>,
    output: Option<Value>,
}

fn read(items: &[Value], protocol: A2aProtocol, conversation: &mut A2aConversation) -> (Left, TurnStanding) {
    let mut reader = A2aReader::default();
    let mut kinds = Vec::new();
    for item in items {
        kinds.extend(reader.item(item, protocol, conversation).unwrap());
    }
    let ending = reader.ending(conversation);
    kinds.extend(reader.end(conversation));
    let mut left = Left::default();
    for kind in kinds {
        match kind {
            EventKind::Text(text) => left.text.push_str(&text),
            EventKind::Log { message, .. } => left.logs.push(message),
            EventKind::Violation(message) => left.violations.push(message),
            EventKind::State(state) => left.state = Some(state["task"].clone()),
            EventKind::FinalOutput(output) => left.output = Some(Value::clone(&output)),
            other => panic!("{other:?}"),
        }
    }
    (left, ending)
}

fn task(state: &str, artifacts: &Value) -> Value {
    json!({ "task": { "id": "t", "contextId": "c", "status": { "state": state }, "artifacts": artifacts } })
}

fn status(state: &str, words: &str) -> Value {
    let message = json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": words }] });
    let status =
        if words.is_empty() { json!({ "state": state }) } else { json!({ "state": state, "message": message }) };
    json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": status } })
}

fn artifact(id: &str, part: &Value, append: bool) -> Value {
    let artifact = json!({ "artifactId": id, "name": id, "parts": [part] });
    json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "artifact": artifact, "append": append } })
}
