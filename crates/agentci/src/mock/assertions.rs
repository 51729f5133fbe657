//! Single assertions about an answer. They return false for input that they cannot evaluate.

use std::path::Path;

use agentci_checks::{ReadyCheck, single};
use agentci_plan::Check;
use agentci_source::{Diagnostics, Node, Sources, Span};
use agentci_trace::{Event, EventKind, Moment, Trace};
use agentci_verdict::Outcome;
use serde_json::{Value, json};

use crate::DiskFiles;

/// Whether `output` contains `expected`, ignoring case.
///
/// ```
/// # use agentci::assert_contains_text;
/// assert!(assert_contains_text("Hello World", "world"));
/// assert!(!assert_contains_text("Hello World", "bye"));
/// ```
pub fn assert_contains_text(output: &str, expected: &str) -> bool {
    held("contains", &json!({ "text": expected, "ignore_case": true }), output)
}

/// Whether `output` shows that `tool_name` was called. Tool calls in JSON decide; without any, a mention in the text
/// suffices.
///
/// ```
/// # use agentci::assert_calls_tool;
/// let output = r#"{"tool_calls": [{"function": {"name": "search_web"}}]}"#;
/// assert!(assert_calls_tool(output, "search_web"));
/// assert!(!assert_calls_tool(output, "calculator"));
/// ```
pub fn assert_calls_tool(output: &str, tool_name: &str) -> bool {
    held("tool_evidence", &json!(tool_name), output)
}

/// Whether `output` contains no detectable personal data.
///
/// ```
/// # use agentci::assert_no_pii;
/// assert!(assert_no_pii("The answer is 42."));
/// assert!(!assert_no_pii("Contact: alice@example.com"));
/// assert!(!assert_no_pii("Call 555-867-5309 for support"));
/// ```
pub fn assert_no_pii(output: &str) -> bool {
    held("no_pii", &Value::Null, output)
}

/// Whether at most `max_tokens` were used.
///
/// ```
/// # use agentci::assert_max_tokens;
/// assert!(assert_max_tokens(50, 50));
/// assert!(!assert_max_tokens(51, 50));
/// ```
pub fn assert_max_tokens(tokens: u64, max_tokens: u64) -> bool {
    tokens <= max_tokens
}

/// Whether the latency is at most `max_ms`.
///
/// ```
/// # use agentci::assert_max_latency;
/// assert!(assert_max_latency(99.9, 100.0));
/// assert!(!assert_max_latency(f64::NAN, 100.0));
/// ```
pub fn assert_max_latency(latency_ms: f64, max_ms: f64) -> bool {
    latency_ms <= max_ms
}

/// Whether `output` is one JSON value, ignoring surrounding white space.
///
/// ```
/// # use agentci::assert_valid_json;
/// assert!(assert_valid_json(r#"{"ok": true}"#));
/// assert!(!assert_valid_json("not json"));
/// assert!(!assert_valid_json("NaN"));
/// ```
pub fn assert_valid_json(output: &str) -> bool {
    held("valid_json", &Value::Null, output)
}

/// Whether `output`, read as JSON, is valid under a JSON Schema of any draft. False if the schema is invalid.
///
/// ```
/// # use agentci::assert_matches_schema;
/// # use serde_json::json;
/// let schema = json!({"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}});
/// assert!(assert_matches_schema(r#"{"status": "ok"}"#, &schema));
/// assert!(!assert_matches_schema(r#"{"code": 200}"#, &schema));
/// ```
pub fn assert_matches_schema(output: &str, schema: &Value) -> bool {
    held("json_schema", &json!({ "schema": schema, "of": "text", "format": "warn" }), output)
}

fn held(kind: &str, arguments: &Value, output: &str) -> bool {
    let span = nowhere();
    let mut trace = Trace::default();
    trace.push(Event { at: Moment::default(), turn: 0, kind: EventKind::Text(output.to_owned()) });
    let check = Check::new(kind, span, Node::from_value(arguments, span));
    ready(check).is_ok_and(|check| check.evaluate(&trace) == Outcome::Passed)
}

/// Compiles a check that is not in a suite.
pub(super) fn ready(check: Check) -> Result<ReadyCheck, Diagnostics> {
    single(check, &DiskFiles, Path::new(""))
}

/// The span of something that is not in a file.
pub(super) fn nowhere() -> Span {
    Span::whole(Sources::default().add(Path::new(""), ""))
}
