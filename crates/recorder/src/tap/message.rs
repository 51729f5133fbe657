//! JSON-RPC messages of MCP, and their form as recorded requests.

use serde_json::Value;

use super::command::is_stdio;
use crate::{RecordedBody, RecordedRequest};

/// The method of messages that a server sends by itself, without an open request.
pub(crate) const LISTEN: &str = "listen";
/// The method of a host's reply to its server, from a person or a model.
pub(super) const REPLY: &str = "reply";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageKind {
    /// Expects an answer.
    Request,
    /// Does not expect an answer.
    Notification,
    Answer,
}

/// The kind of a message; `None` if it is not one.
pub(super) fn kind(message: &Value) -> Option<MessageKind> {
    let fields = message.as_object()?;
    match (fields.contains_key("method"), fields.contains_key("id")) {
        (true, true) => Some(MessageKind::Request),
        (true, false) => Some(MessageKind::Notification),
        (false, _) => (fields.contains_key("result") || fields.contains_key("error")).then_some(MessageKind::Answer),
    }
}

/// The messages of a line: one, or those of a batch.
pub(super) fn messages(line: &[u8]) -> Vec<Value> {
    match serde_json::from_slice(line) {
        Ok(Value::Array(batch)) => batch,
        Ok(message) => vec![message],
        Err(_) => Vec::new(),
    }
}

/// The JSON messages of an answer over any transport: one value or batch, lines, or the data of events.
pub fn messages_in(answer: &str) -> Vec<Value> {
    let whole = messages(answer.as_bytes());
    if !whole.is_empty() {
        return whole;
    }
    let lines = answer.lines().map(|line| line.strip_prefix("data:").unwrap_or(line));
    lines.flat_map(|line| messages(line.as_bytes())).collect()
}

/// Whether the first line to a program shows that it is an MCP server. Other protocols are similar: one for editors
/// uses a number as version.
pub(super) fn is_opening(line: &[u8]) -> bool {
    messages(line).iter().any(|message| {
        let version = &message["params"]["protocolVersion"];
        let meta = message["params"]["_meta"].as_object();
        let modern = meta.is_some_and(|meta| meta.contains_key("io.modelcontextprotocol/protocolVersion"));
        let is_handshake = message["method"] == "initialize" && version.is_string();
        message["jsonrpc"] == "2.0" && message["method"].is_string() && (is_handshake || modern)
    })
}

/// The recorded request for a message of the host.
pub(super) fn request(origin: &str, message: Value, at_us: u64) -> RecordedRequest {
    let method = message["method"].as_str().unwrap_or(REPLY).to_owned();
    let (origin, body) = (origin.to_owned(), RecordedBody::Json(message));
    RecordedRequest { at_us, method, origin, body, ..RecordedRequest::default() }
}

/// Whether no one waits for an answer: notifications, and messages that a server sends by itself.
pub(crate) fn is_aside(request: &RecordedRequest) -> bool {
    is_stdio(&request.origin) && (request.method == LISTEN || request.method.starts_with("notifications/"))
}

/// The progress token of a request.
pub(super) fn progress_token(message: &Value) -> Option<&Value> {
    message["params"]["_meta"].get("progressToken")
}

/// A recorded line of the server with the current ids of the host.
pub(super) fn renumbered(line: &[u8], recorded: &Value, sent: &Value) -> Vec<u8> {
    let Ok(mut message) = serde_json::from_slice::<Value>(line) else { return line.to_vec() };
    match kind(&message) {
        Some(MessageKind::Answer) if message["id"] == recorded["id"] => message["id"] = sent["id"].clone(),
        Some(MessageKind::Notification) => {
            let (Some(then), Some(now)) = (progress_token(recorded), progress_token(sent)) else {
                return line.to_vec();
            };
            match message.pointer_mut("/params/progressToken") {
                Some(token) if token == then => *token = now.clone(),
                _ => return line.to_vec(),
            }
        }
        _ => return line.to_vec(),
    }
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn recognizes_mcp_server_by_opening_message() {
        let opening = |message: Value| is_opening(message.to_string().as_bytes());
        let version = json!({ "protocolVersion": "2025-06-18", "capabilities": {} });
        assert!(opening(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": version })));
        let modern = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } });
        assert!(opening(json!({ "jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": modern })));
        for other in [
            json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": 1 } }),
            json!({ "jsonrpc": "2.0", "id": 0, "method": "textDocument/open", "params": {} }),
            json!({ "id": 0, "method": "initialize", "params": version }),
            json!([]),
            json!("initialize"),
        ] {
            assert!(!opening(other.clone()), "{other}");
        }
        assert!(!is_opening(b"Content-Length: 120"));
    }

    #[test]
    fn finds_messages_of_every_transport() {
        let (one, two) = (json!({ "id": 1 }), json!({ "id": 2 }));
        for answer in [
            format!("[{one},\n{two}]"),
            format!("{one}\n{two}\n"),
            format!("event: message\ndata: {one}\n\ndata:{two}\r\n\n: ping\n"),
        ] {
            assert_eq!(messages_in(&answer), [one.clone(), two.clone()], "{answer}");
        }
        assert_eq!(messages_in(&format!("{one:#}\n")), [one]);
        assert_eq!(messages_in("<html>"), [Value::Null; 0]);
    }

    #[test]
    fn renumbers_responses_and_progress() {
        let recorded = json!({ "id": 3, "method": "tools/call", "params": { "_meta": { "progressToken": 3 } } });
        let sent = json!({ "id": "c", "method": "tools/call", "params": { "_meta": { "progressToken": "t" } } });
        let now = |line: Value| {
            let line = renumbered(line.to_string().as_bytes(), &recorded, &sent);
            serde_json::from_slice::<Value>(&line).unwrap()
        };
        assert_eq!(now(json!({ "id": 3, "result": { "id": 3 } })), json!({ "id": "c", "result": { "id": 3 } }));
        let progress =
            |token: Value| json!({ "method": "notifications/progress", "params": { "progressToken": token } });
        assert_eq!(now(progress(json!(3))), progress(json!("t")));
        // Progress of another call, and questions of the server.
        for other in [progress(json!(4)), json!({ "id": 3, "method": "sampling/createMessage" })] {
            assert_eq!(now(other.clone()), other);
        }
    }
}
