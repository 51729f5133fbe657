//! Classifies the events of custom streams by kind.

use serde_json::Value;

/// The kinds that are text.
const TEXT: [&str; 8] = ["answer", "chunk", "content", "delta", "message", "text", "text_delta", "token"];
/// The kinds that end a stream.
pub(super) const OVER: [&str; 3] = ["done", "end", "complete"];
/// Prefixes of the kinds that are never text.
const NEVER: [&str; 3] = ["tool", "reasoning", "thinking"];

/// The role of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A piece of the answer.
    Text,
    /// The whole answer.
    Final,
    /// The end.
    Over,
    /// Not part of the answer.
    Other,
    /// The agent reports an error.
    Error,
    Unknown,
}

/// The kind of an event: its name, or else the `type` or `event` of its data. Default: `message`, as in the SSE
/// standard.
pub(super) fn kind<'e>(name: Option<&'e str>, data: Option<&'e Value>) -> &'e str {
    let inner = data.and_then(|data| {
        let field = |key: &str| data.get(key).and_then(Value::as_str).filter(|kind| !kind.is_empty());
        field("type").or_else(|| field("event"))
    });
    match (name, inner) {
        (None | Some("message"), Some(inner)) => inner,
        // A generic name does not override a `type` that is not text.
        (Some(name), Some(inner)) if role(name) == Role::Text && !matches!(role(inner), Role::Text | Role::Unknown) => {
            inner
        }
        (Some(name), _) => name,
        (None, None) => "message",
    }
}

pub(super) fn role(kind: &str) -> Role {
    let kind = spelt(kind);
    match kind.as_str() {
        "final" => Role::Final,
        "status" => Role::Other,
        kind if TEXT.contains(&kind) => Role::Text,
        kind if OVER.contains(&kind) => Role::Over,
        kind if NEVER.iter().any(|start| kind.starts_with(start)) => Role::Other,
        kind if kind == "error" || kind.ends_with("_error") => Role::Error,
        _ => Role::Unknown,
    }
}

/// Whether events of a kind are about tool calls.
pub(super) fn is_tool(kind: &str) -> bool {
    spelt(kind).starts_with("tool")
}

/// Converts a kind to snake case.
pub(super) fn spelt(kind: &str) -> String {
    let mut spelt = String::with_capacity(kind.len() + 2);
    let mut small = false;
    for c in kind.chars() {
        if c.is_uppercase() && small {
            spelt.push('_');
        }
        small = c.is_lowercase();
        spelt.extend(if matches!(c, '-' | '.') { vec!['_'] } else { c.to_lowercase().collect() });
    }
    spelt
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn recognizes_event_kinds_in_any_naming_style() {
        for (kind, expected) in [
            ("token", Role::Text),
            ("text-delta", Role::Text),
            ("textDelta", Role::Text),
            ("Message", Role::Text),
            ("final", Role::Final),
            ("complete", Role::Over),
            ("status", Role::Other),
            ("tool_call", Role::Other),
            ("toolError", Role::Other),
            ("reasoning.delta", Role::Other),
            ("error", Role::Error),
            ("run-error", Role::Error),
            ("RunError", Role::Error),
            ("citation", Role::Unknown),
            ("terror", Role::Unknown),
        ] {
            assert_eq!(role(kind), expected, "{kind}");
        }
    }

    #[test]
    fn type_in_data_overrides_generic_event_name() {
        let typed = |kind: &str| json!({ "type": kind });
        for (name, data, expected) in [
            (None, None, "message"),
            (Some("token"), None, "token"),
            (None, Some(typed("status")), "status"),
            (None, Some(json!({"event": "note"})), "note"),
            (Some("message"), Some(typed("tool_start")), "tool_start"),
            (Some("chunk"), Some(typed("status")), "status"),
            (Some("chunk"), Some(typed("assistant")), "chunk"),
            (Some("note"), Some(typed("token")), "note"),
        ] {
            assert_eq!(kind(name, data.as_ref()), expected, "{name:?} {data:?}");
        }
    }
}
