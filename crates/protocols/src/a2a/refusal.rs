//! Reads the errors of an agent: a JSON-RPC error, the body of an HTTP error, or an item of a stream.

use serde_json::Value;

use super::fields::cut;

/// The maximum length of an unknown body in a message.
const SHOWN: usize = 300;

/// An error that an agent returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct A2aRefusal {
    /// The code of a JSON-RPC error.
    pub code: Option<i64>,
    /// The HTTP status, if it is not a success.
    pub status: Option<u16>,
    /// The reason code, such as `TASK_NOT_FOUND`.
    pub reason: Option<String>,
    /// The error message.
    pub message: String,
}

impl A2aRefusal {
    /// Reads a value with an `error`; `None` if it has none.
    pub fn of(value: &Value) -> Option<Self> {
        let error = value.get("error").filter(|error| !error.is_null())?;
        let details = error.get("data").or(error.get("details")).and_then(Value::as_array);
        let reason = details.into_iter().flatten().find_map(|detail| detail.get("reason"));
        let reason = reason.and_then(Value::as_str).map(str::to_owned);
        let said = error.get("message").and_then(Value::as_str).or(error.as_str());
        let message = said.map_or_else(|| cut(&error.to_string(), SHOWN), str::to_owned);
        // Positive codes are HTTP statuses, which are known already.
        let code = error.get("code").and_then(Value::as_i64).filter(|code| *code < 0);
        Some(Self { code, status: None, reason, message })
    }

    /// Reads an answer with an HTTP error.
    pub fn http(status: u16, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let parsed: Option<Value> = serde_json::from_str(&text).ok();
        if let Some(refusal) = parsed.as_ref().and_then(A2aRefusal::of) {
            return Self { status: Some(status), ..refusal };
        }
        // Problem details, and the error formats of common frameworks.
        let said = parsed.as_ref().and_then(|body| {
            ["message", "detail", "title"].iter().find_map(|key| body.get(*key).and_then(Value::as_str))
        });
        let message = said.map_or_else(|| gist(text.trim()), str::to_owned);
        Self { code: None, status: Some(status), reason: None, message }
    }

    /// Whether the agent does not support the method or the version, and may support an older one. Servers of 0.3
    /// validate a request against all known methods and report an unknown one as invalid.
    pub fn is_of_another_version(&self) -> bool {
        matches!(self.code, Some(-32601 | -32600 | -32009))
            || matches!(self.reason.as_deref(), Some("VERSION_NOT_SUPPORTED" | "METHOD_NOT_FOUND"))
    }
}

/// A one-line summary of a body that is not JSON.
fn gist(text: &str) -> String {
    if text.starts_with('<') { "an HTML page".into() } else { cut(text.lines().next().unwrap_or_default(), SHOWN) }
}

impl std::fmt::Display for A2aRefusal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let status = self.status.map(|status| format!("status {status}"));
        let code = self.code.map(|code| format!("code {code}"));
        let facts: Vec<String> = self.reason.clone().into_iter().chain(code).chain(status).collect();
        let message = if self.message.is_empty() { "no message" } else { &self.message };
        write!(out, "{message}")?;
        if facts.is_empty() { Ok(()) } else { write!(out, " ({})", facts.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_every_error_format() {
        let rpc = json!({"jsonrpc": "2.0", "id": "1", "error": {
            "code": -32001, "message": "Task not found",
            "data": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND"}],
        }});
        assert_eq!(A2aRefusal::of(&rpc).unwrap().to_string(), "Task not found (TASK_NOT_FOUND, code -32001)");
        let rest = json!({"error": {"code": 404, "status": "NOT_FOUND", "message": "Task not found",
            "details": [{"reason": "TASK_NOT_FOUND"}]}});
        let said = A2aRefusal::http(404, rest.to_string().as_bytes()).to_string();
        assert_eq!(said, "Task not found (TASK_NOT_FOUND, status 404)");
        let problem = br#"{"type": "about:blank", "title": "Gone", "detail": "The task is gone", "status": 410}"#;
        assert_eq!(A2aRefusal::http(410, problem).to_string(), "The task is gone (status 410)");
        assert_eq!(
            A2aRefusal::http(404, b"<!doctype html>\n<title>no</title>\n").to_string(),
            "an HTML page (status 404)"
        );
        assert_eq!(A2aRefusal::http(500, b"it broke\n  at line 3\n").to_string(), "it broke (status 500)");
        assert_eq!(A2aRefusal::http(503, b"").to_string(), "no message (status 503)");
        assert_eq!(A2aRefusal::of(&json!({"error": "out of order"})).unwrap().to_string(), "out of order");
    }

    #[test]
    fn successful_response_is_not_a_refusal() {
        assert_eq!(A2aRefusal::of(&json!({"result": {}, "error": null})), None);
        assert_eq!(A2aRefusal::of(&json!([1])), None);
    }
}
