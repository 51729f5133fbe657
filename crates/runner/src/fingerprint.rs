//! Compact records of tool calls.

use agentci_trace::{MadeCall, Redactor, canonical, sha256_beginning};
use agentci_verdict::CallStep;
use serde_json::Value;

/// The maximum number of calls that are kept per attempt.
pub(crate) const STEPS: usize = 1000;

/// The maximum size of arguments, in bytes of JSON, that are kept in full: a baseline is a file that people read and
/// commit.
const ARGUMENTS: usize = 200;

/// The number of characters of a fingerprint.
const FINGERPRINT: usize = 16;

/// Converts a call to a step.
pub(crate) fn step(made: &MadeCall<'_>, secrets: &Redactor) -> CallStep {
    let MadeCall { call, only_answered, within } = *made;
    let text = canonical(&secrets.clean(&call.args));
    let args_hash = sha256_beginning(text.as_bytes(), FINGERPRINT);
    let args = Some(text).filter(|text| text.len() <= ARGUMENTS).map(Into::into);
    CallStep { tool: call.name.clone(), args_hash, args, only_answered, within }
}

/// A hash that identifies a value, computed without its secrets.
pub(crate) fn fingerprint(value: &Value, secrets: &Redactor) -> String {
    clean_fingerprint(&secrets.clean(value))
}

/// A hash that identifies a value without secrets.
pub(crate) fn clean_fingerprint(value: &Value) -> String {
    sha256_beginning(canonical(value).as_bytes(), FINGERPRINT)
}

#[cfg(test)]
mod tests {
    use agentci_trace::{Observer, ToolCall};
    use serde_json::json;

    use super::*;

    fn taken(args: Value) -> CallStep {
        let call = ToolCall {
            call_id: String::new(),
            name: "search".into(),
            args: args.into(),
            observer: Observer::Protocol,
            begun: None,
        };
        step(&MadeCall { call: &call, only_answered: false, within: false }, &Redactor::default())
    }

    fn hash(args: Value) -> String {
        taken(args).args_hash
    }

    #[test]
    fn short_arguments_are_kept_without_secrets() {
        assert_eq!(taken(json!({"q": "a", "b": 1})).args.as_deref(), Some(r#"{"b":1,"q":"a"}"#));
        assert_eq!(taken(json!({"q": "x".repeat(ARGUMENTS)})).args, None);
        assert!(!taken(json!({"token": "abcdef"})).args.unwrap().contains("abcdef"));
    }

    #[test]
    fn equal_arguments_have_equal_fingerprints() {
        assert_eq!(hash(json!({})), "44136fa355b3678a");
        assert_eq!(hash(json!({"a": 1, "b": [2]})), hash(json!({"b": [2], "a": 1})));
        assert_ne!(hash(json!({"a": 1})), hash(json!({"a": 1.0})));
        assert_eq!(hash(json!({"token": "abcdef"})), hash(json!({"token": "ghijkl"})));
    }
}
