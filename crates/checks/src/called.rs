//! Tool calls in words.

use agentci_trace::{ToolCall, TracedCall};
use serde_json::Value;

/// How many calls a message lists.
const LISTED: usize = 20;
/// How long one argument may be.
const ARGUMENT: usize = 80;

/// The names of all calls in order, as a fact to show.
pub(crate) fn observed(calls: &[TracedCall<'_>]) -> String {
    if calls.is_empty() {
        return "the agent called no tool".into();
    }
    let mut names: Vec<&str> = calls.iter().take(LISTED).map(|call| call.call.name.as_str()).collect();
    let more = format!("and {} more", calls.len().saturating_sub(LISTED));
    if calls.len() > LISTED {
        names.push(&more);
    }
    format!("the agent called {}", names.join(", "))
}

/// One call as code: `refund_order(order="A-17", amount=200)`.
pub(crate) fn shown(call: &ToolCall) -> String {
    let arguments = match &call.args {
        Value::Object(map) => {
            map.iter().map(|(key, value)| format!("{key}={}", cut(value))).collect::<Vec<_>>().join(", ")
        }
        other => cut(other),
    };
    format!("{}({arguments})", call.name)
}

/// A value as compact JSON, cut when it is long.
pub(crate) fn cut(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= ARGUMENT {
        return text;
    }
    text.chars().take(ARGUMENT).chain("...".chars()).collect()
}
