//! Determines which model request continues which answer.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

/// The maximum depth to search a request for ids.
const DEPTH: usize = 12;

/// A model request and its answer.
#[derive(Debug, Clone)]
pub(super) struct AnsweredModelCall {
    request: Arc<Value>,
    response: Arc<Value>,
}

impl AnsweredModelCall {
    pub(super) fn new(request: &Arc<Value>, response: &Arc<Value>) -> Self {
        Self { request: Arc::clone(request), response: Arc::clone(response) }
    }

    /// Whether a later request continues this conversation: it names the answer, or it repeats all earlier messages and
    /// adds more.
    pub(super) fn goes_on_in(&self, later: &Value) -> bool {
        let id = self.response.get("id").and_then(Value::as_str);
        let named = |key: &str| later.get(key).and_then(Value::as_str);
        if id.is_some() && named("previous_response_id") == id {
            return true;
        }
        let (Some(before), Some(after)) = (said(&self.request), said(later)) else { return false };
        !before.is_empty() && after.len() > before.len() && after.starts_with(before)
    }
}

/// The messages of a request.
fn said(request: &Value) -> Option<&[Value]> {
    ["messages", "input", "contents"].iter().find_map(|key| request.get(key)?.as_array()).map(Vec::as_slice)
}

/// The ids of calls that a request mentions.
pub(super) fn ids(request: &Value) -> HashSet<&str> {
    let mut found = HashSet::new();
    for item in said(request).unwrap_or_default() {
        gather(item, DEPTH, &mut found);
    }
    found
}

fn gather<'v>(value: &'v Value, depth: usize, found: &mut HashSet<&'v str>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Array(items) => items.iter().for_each(|item| gather(item, depth, found)),
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::String(id) if matches!(key.as_str(), "id" | "call_id" | "tool_call_id" | "tool_use_id") => {
                        found.insert(id);
                    }
                    Value::Array(_) | Value::Object(_) => gather(value, depth, found),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conversation_continues_by_history_or_response_id() {
        let (a, b) = (json!({"role": "user", "content": "a"}), json!({"role": "user", "content": "b"}));
        let begun = AnsweredModelCall::new(&json!({"messages": [a]}).into(), &json!({"id": "resp_1"}).into());
        assert!(begun.goes_on_in(&json!({"messages": [a, b]})));
        assert!(begun.goes_on_in(&json!({"input": "x", "previous_response_id": "resp_1"})));
        for other in [
            json!({"messages": [a]}),
            json!({"messages": [b, a]}),
            json!({"input": "x", "previous_response_id": "resp_2"}),
            json!({}),
        ] {
            assert!(!begun.goes_on_in(&other), "{other}");
        }
    }

    #[test]
    fn ids_are_found_up_to_depth_limit() {
        let nested = |levels: usize| {
            let inner = (0..levels).fold(json!({"id": "c1"}), |inner, _| json!([inner]));
            json!({ "messages": [inner] })
        };
        assert_eq!(ids(&nested(DEPTH - 1)).len(), 1);
        assert_eq!(ids(&nested(DEPTH)).len(), 0);
    }

    #[test]
    fn ids_are_found_in_all_provider_formats() {
        let request = json!({"messages": [
            {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c2"},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c3"}]},
        ], "id": "no"});
        let mut found: Vec<&str> = ids(&request).into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, ["c1", "c2", "c3"]);
    }
}
