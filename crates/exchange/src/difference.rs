//! Compares a recorded request with the one that is sent. A recorded placeholder matches any text.

use agentci_text::{Difference, excerpt};
use agentci_trace::{PLACEHOLDER, canonical, fits_recorded};
use serde_json::Value;

/// The maximum length of a value in a message.
const SHOWN: usize = 160;

/// The first difference, in the order of the recording, between a recorded value and one that is sent.
pub fn first_difference(recorded: &Value, sent: &Value) -> Option<Difference> {
    agentci_text::first_difference(recorded, sent, fits)
}

/// One side of a difference in a message.
pub fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "nothing".into() };
    excerpt(&canonical(value), SHOWN).into_owned()
}

/// Whether a sent value matches a recorded one; a redacted value matches anything.
fn fits(recorded: &Value, sent: &Value) -> bool {
    match (recorded, sent) {
        (Value::String(recorded), Value::String(sent)) if fits_recorded(recorded, sent) => true,
        (Value::String(recorded), _) if recorded == PLACEHOLDER => true,
        _ => canonical(recorded) == canonical(sent),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn path(recorded: &Value, sent: &Value) -> Option<String> {
        first_difference(recorded, sent).map(|difference| difference.path)
    }

    #[test]
    fn finds_first_differing_path() {
        assert_eq!(
            path(&json!({"a": 1, "b": [1, {"x": 1}]}), &json!({"b": [1, {"x": 2}], "a": 1})),
            Some("/b/1/x".into())
        );
        assert_eq!(path(&json!({"z": 1, "a": 1}), &json!({"z": 2, "a": 2})), Some("/z".into()));
        assert_eq!(path(&json!([1]), &json!([1, 2])), Some("/1".into()));
        assert_eq!(path(&json!({"a/b": 1}), &json!({})), Some("/a~1b".into()));
        assert_eq!(path(&json!({}), &json!([])), Some(String::new()));
        assert_eq!(path(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1})), None);
        assert_eq!(path(&json!(1), &json!(1.0)), Some(String::new()));
    }

    #[test]
    fn placeholder_matches_any_secret() {
        let recorded = json!({"token": "[REDACTED]", "note": "pw [REDACTED] end"});
        assert_eq!(path(&recorded, &json!({"token": 12_345, "note": "pw hunter22 end"})), None);
        assert_eq!(path(&recorded, &json!({"token": "x", "note": "pw hunter22"})), Some("/note".into()));
    }
}
