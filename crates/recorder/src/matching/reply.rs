//! The id of a JSON-RPC request, which its answer repeats.

use serde_json::Value;

use crate::RecordedRequest;

/// The id of a JSON-RPC request.
pub(super) fn id_of(request: &RecordedRequest) -> Option<&Value> {
    let body = request.body.as_json()?;
    (body.get("jsonrpc").is_some() && body.get("method").is_some()).then(|| body.get("id")).flatten()
}

/// Whether a request only reads data, so that its answer may be repeated. A client that reconnects begins with such
/// requests.
pub(crate) fn may_repeat(request: &RecordedRequest) -> bool {
    let lists = [
        "initialize",
        "notifications/initialized",
        "server/discover",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "ping",
    ];
    let asks =
        |body: &Value| body.get("jsonrpc").is_some() && body["method"].as_str().is_some_and(|it| lists.contains(&it));
    let is_lookup = ["GET", "HEAD"].iter().any(|method| request.method.eq_ignore_ascii_case(method));
    is_lookup || request.body.as_json().is_some_and(asks)
}

/// A piece of an answer with another JSON-RPC id: a JSON body, or server-sent events with one message each. Anything
/// else is unchanged.
pub fn with_reply_id(frame: &[u8], id: &Value) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(frame) else { return frame.to_vec() };
    if let Some(renumbered) = renumbered(text, id) {
        return renumbered.into_bytes();
    }
    let line = |line: &str| {
        let message = line.strip_prefix("data:").map(str::trim).and_then(|data| renumbered(data, id));
        let end = &line[line.trim_end_matches(['\r', '\n']).len()..];
        message.map_or_else(|| line.to_owned(), |message| format!("data: {message}{end}"))
    };
    text.split_inclusive('\n').map(line).collect::<String>().into_bytes()
}

fn renumbered(text: &str, id: &Value) -> Option<String> {
    let mut message: Value = serde_json::from_str(text).ok()?;
    let answer = message.as_object_mut()?;
    let is_answer = answer.contains_key("jsonrpc") && (answer.contains_key("result") || answer.contains_key("error"));
    let place = answer.get_mut("id").filter(|_| is_answer)?;
    *place = id.clone();
    Some(message.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn replaces_id_only_in_responses() {
        let with = |frame: &str| String::from_utf8(with_reply_id(frame.as_bytes(), &json!("a-2"))).unwrap();
        assert_eq!(
            with(r#"{"jsonrpc":"2.0","id":1,"result":{"id":1}}"#),
            r#"{"jsonrpc":"2.0","id":"a-2","result":{"id":1}}"#
        );
        assert_eq!(
            with("event: message\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}\r\n\r\n"),
            "event: message\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"a-2\",\"error\":{}}\r\n\r\n"
        );
        for other in [r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "data: [DONE]\n\n", "plain", ""] {
            assert_eq!(with(other), other);
        }
    }
}
