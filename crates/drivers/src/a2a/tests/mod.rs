//! Turns with scripted agents.

mod driven;

use serde_json::{Value, json};

use crate::Input;

fn user(words: &str) -> Input {
    Input::Messages(vec![json!({ "role": "user", "content": words })])
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
