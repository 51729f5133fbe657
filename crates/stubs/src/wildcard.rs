//! Matches a call with a redacted recording: the placeholder matches any text.

use agentci_trace::{PLACEHOLDER, fits_recorded};
use serde_json::Value;

use crate::closest::Same;

/// Whether a requested value equals the recorded one, except where that has the placeholder.
pub(crate) fn fits(recorded: &Value, requested: &Value, same: Same) -> bool {
    match (recorded, requested) {
        (Value::String(recorded), Value::String(requested)) => fits_recorded(recorded, requested),
        // A secret number.
        (Value::String(recorded), Value::Number(_)) => recorded == PLACEHOLDER,
        (Value::Array(recorded), Value::Array(requested)) => {
            recorded.len() == requested.len() && recorded.iter().zip(requested).all(|(a, b)| fits(a, b, same))
        }
        (Value::Object(recorded), Value::Object(requested)) => {
            recorded.len() == requested.len()
                && recorded.iter().all(|(key, value)| requested.get(key).is_some_and(|other| fits(value, other, same)))
        }
        _ => same(recorded, requested),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{fits as fits_by, *};

    fn fits(recorded: &Value, requested: &Value) -> bool {
        fits_by(recorded, requested, |a, b| a == b)
    }

    #[test]
    fn placeholder_matches_any_text_and_rest_must_match_exactly() {
        let recorded = json!({"user": "a", "note": "pw [REDACTED] end", "token": "[REDACTED]"});
        assert!(fits(&recorded, &json!({"user": "a", "note": "pw hunter22 end", "token": 123_456})));
        assert!(fits(&recorded, &recorded));
        assert!(!fits(&recorded, &json!({"user": "b", "note": "pw hunter22 end", "token": "x"})));
        assert!(!fits(&recorded, &json!({"user": "a", "note": "pw hunter22", "token": "x"})));
        assert!(!fits(&recorded, &json!({"user": "a", "note": "pw x end", "token": "x", "more": 1})));
        assert!(!fits(&json!("plain"), &json!("other")));
    }
}
