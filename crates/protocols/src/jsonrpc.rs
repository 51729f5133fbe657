//! Reads and writes JSON-RPC 2.0 messages.

use serde_json::{Map, Value, json};

/// The message is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The message is not a valid request.
pub const INVALID_REQUEST: i64 = -32600;
/// The method does not exist.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The request failed.
pub const INTERNAL_ERROR: i64 = -32603;

#[derive(Debug, Clone, PartialEq)]
pub enum JsonRpcMessage {
    /// A request of the other side.
    Request {
        /// The id that the answer must repeat.
        id: Value,
        method: String,
        /// The parameters; null if absent.
        params: Value,
    },
    /// A notification of the other side.
    Notification {
        method: String,
        /// The parameters; null if absent.
        params: Value,
    },
    /// An answer to our request.
    Reply {
        /// The id of the request; null if the other side could not read it.
        id: Value,
        outcome: Result<Value, RpcError>,
    },
}

/// An error response.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message} (code {code})")]
pub struct RpcError {
    /// The error code.
    pub code: i64,
    /// The error message.
    pub message: String,
    /// Additional data.
    pub data: Option<Value>,
}

impl RpcError {
    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }
}

/// Why bytes are not a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonRpcMessageError {
    /// They are not JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// They are JSON, but not a message.
    #[error("not a JSON-RPC 2.0 message: {0}")]
    NotJsonRpc(&'static str),
}

/// Reads one message, or the messages of a batch.
pub fn read(bytes: &[u8]) -> Result<Vec<JsonRpcMessage>, JsonRpcMessageError> {
    let value = serde_json::from_slice(bytes).map_err(|error| JsonRpcMessageError::NotJson(error.to_string()))?;
    match value {
        Value::Array(items) if items.is_empty() => Err(JsonRpcMessageError::NotJsonRpc("the batch is empty")),
        Value::Array(items) => items.into_iter().map(read_value).collect(),
        value => Ok(vec![read_value(value)?]),
    }
}

/// Reads one message that is parsed already.
pub fn read_value(value: Value) -> Result<JsonRpcMessage, JsonRpcMessageError> {
    let Value::Object(mut object) = value else { return Err(JsonRpcMessageError::NotJsonRpc("it is not an object")) };
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(JsonRpcMessageError::NotJsonRpc("`jsonrpc` is not \"2.0\""));
    }
    let id = object.remove("id");
    if let Some(method) = object.remove("method") {
        let Value::String(method) = method else {
            return Err(JsonRpcMessageError::NotJsonRpc("`method` is not a string"));
        };
        let params = object.remove("params").unwrap_or(Value::Null);
        return match id {
            None => Ok(JsonRpcMessage::Notification { method, params }),
            Some(id @ (Value::String(_) | Value::Number(_))) => Ok(JsonRpcMessage::Request { id, method, params }),
            Some(_) => Err(JsonRpcMessageError::NotJsonRpc("`id` is neither a string nor a number")),
        };
    }
    let id = id.unwrap_or(Value::Null);
    match (object.remove("result"), object.remove("error")) {
        (Some(result), None | Some(Value::Null)) => Ok(JsonRpcMessage::Reply { id, outcome: Ok(result) }),
        (None | Some(Value::Null), Some(error)) => Ok(JsonRpcMessage::Reply { id, outcome: Err(read_error(error)?) }),
        (Some(_), Some(_)) => Err(JsonRpcMessageError::NotJsonRpc("it has both `result` and `error`")),
        (None, None) => Err(JsonRpcMessageError::NotJsonRpc("it has none of `method`, `result` and `error`")),
    }
}

fn read_error(error: Value) -> Result<RpcError, JsonRpcMessageError> {
    let Value::Object(mut error) = error else {
        return Err(JsonRpcMessageError::NotJsonRpc("`error` is not an object"));
    };
    let Some(code) = error.get("code").and_then(Value::as_i64) else {
        return Err(JsonRpcMessageError::NotJsonRpc("`error.code` is not an integer"));
    };
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(RpcError { code, message, data: error.remove("data").filter(|data| !data.is_null()) })
}

/// Writes a request as JSON text, without a line end.
pub fn request(id: u64, method: &str, params: &Map<String, Value>) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string().into_bytes()
}

/// Writes a notification as JSON text; empty parameters are left out.
pub fn notification(method: &str, params: Map<String, Value>) -> Vec<u8> {
    let mut message = json!({ "jsonrpc": "2.0", "method": method });
    if let Some(object) = message.as_object_mut().filter(|_| !params.is_empty()) {
        object.insert("params".into(), params.into());
    }
    message.to_string().into_bytes()
}

/// Writes an answer to a request.
pub fn reply(id: &Value, outcome: Result<Value, RpcError>) -> Vec<u8> {
    reply_value(id, outcome).to_string().into_bytes()
}

/// An answer to a request as a JSON value.
pub fn reply_value(id: &Value, outcome: Result<Value, RpcError>) -> Value {
    match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(RpcError { code, message, data }) => {
            let mut error = json!({ "code": code, "message": message });
            if let Some(data) = data {
                error["data"] = data;
            }
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(text: &str) -> JsonRpcMessage {
        read(text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn distinguishes_requests_notifications_and_replies() {
        assert_eq!(
            one(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#),
            JsonRpcMessage::Request { id: json!("a"), method: "ping".into(), params: Value::Null }
        );
        assert_eq!(
            one(r#"{"jsonrpc":"2.0","method":"note","params":{"a":1}}"#),
            JsonRpcMessage::Notification { method: "note".into(), params: json!({ "a": 1 }) }
        );
        assert_eq!(
            one(r#"{"jsonrpc":"2.0","id":3,"result":null}"#),
            JsonRpcMessage::Reply { id: json!(3), outcome: Ok(Value::Null) }
        );
        assert_eq!(
            one(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":[1]}}"#),
            JsonRpcMessage::Reply {
                id: Value::Null,
                outcome: Err(RpcError { code: -32700, message: "no".into(), data: Some(json!([1])) })
            }
        );
    }

    #[test]
    fn round_trips() {
        let params = json!({ "n": 1 }).as_object().cloned().unwrap();
        assert_eq!(
            read(&request(7, "tools/call", &params)).unwrap(),
            [JsonRpcMessage::Request { id: json!(7), method: "tools/call".into(), params: json!({ "n": 1 }) }]
        );
        assert_eq!(
            read(&notification("gone", Map::new())).unwrap(),
            [JsonRpcMessage::Notification { method: "gone".into(), params: Value::Null }]
        );
        for outcome in [
            Ok(json!({})),
            Err(RpcError::new(-1, "no")),
            Err(RpcError { data: Some(json!(1)), ..RpcError::new(2, "x") }),
        ] {
            assert_eq!(
                read(&reply(&json!("q"), outcome.clone())).unwrap(),
                [JsonRpcMessage::Reply { id: json!("q"), outcome }]
            );
        }
    }

    #[test]
    fn batch_is_split_into_its_messages() {
        let messages = read(br#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"result":2}]"#).unwrap();
        assert_eq!(messages.len(), 2);
        assert!(matches!(read(b"[]"), Err(JsonRpcMessageError::NotJsonRpc(_))));
    }

    #[test]
    fn reports_reason_for_invalid_message() {
        for (text, reason) in [
            ("hello", "not JSON"),
            ("7", "it is not an object"),
            (r#"{"id":1,"result":2}"#, "`jsonrpc`"),
            (r#"{"jsonrpc":"2.0","id":1}"#, "none of"),
            (r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1}}"#, "both"),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}"#, "integer"),
            (r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#, "`id`"),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
        assert!(read("[".repeat(100_000).as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_json_is_classified_or_refused(
            id in "(null|1|\"a\"|\\{\\}|1.5)", method in "(|,\"method\":(1|\"m\"))", result in "(|,\"result\":(null|1))",
            error in "(|,\"error\":(null|1|\\{\"code\":-3\\}))",
        ) {
            let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id}{method}{result}{error}}}");
            if let Ok(messages) = read(text.as_bytes()) {
                prop_assert_eq!(messages.len(), 1);
                prop_assert_eq!(method.is_empty(), matches!(messages[0], JsonRpcMessage::Reply { .. }));
            }
        }
    }
}
