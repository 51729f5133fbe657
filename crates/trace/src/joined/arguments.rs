//! Compares requested arguments with executed ones.

use serde_json::Value;

use crate::same_value;

/// An argument that the model requested and the execution changed or omitted.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgumentDifference {
    /// The name of the argument.
    pub name: String,
    pub requested: Value,
    /// The executed value; `None` if it was omitted.
    pub executed: Option<Value>,
}

/// The arguments that differ. Added arguments do not count as a difference.
pub fn differences(requested: &Value, executed: &Value) -> Vec<ArgumentDifference> {
    let difference = |(name, wanted): (&String, &Value)| {
        let (name, requested, sent) = (name.clone(), wanted.clone(), executed.get(name));
        (!is_sent(wanted, sent)).then(|| ArgumentDifference { name, requested, executed: sent.cloned() })
    };
    requested.as_object().into_iter().flatten().filter_map(difference).collect()
}

/// Whether the requested value was sent. A null may be omitted.
fn is_sent(wanted: &Value, sent: Option<&Value>) -> bool {
    sent.map_or_else(|| wanted.is_null(), |sent| agrees(wanted, sent))
}

/// Whether the sent value equals the requested one. In a URL, everything is a string.
fn agrees(wanted: &Value, sent: &Value) -> bool {
    match (wanted, sent) {
        (Value::Object(wanted), Value::Object(sent)) => {
            wanted.iter().all(|(name, wanted)| is_sent(wanted, sent.get(name)))
        }
        (Value::Array(wanted), Value::Array(sent)) => {
            wanted.len() == sent.len() && wanted.iter().zip(sent).all(|(wanted, sent)| agrees(wanted, sent))
        }
        (Value::Number(_) | Value::Bool(_), Value::String(text)) => {
            serde_json::from_str::<Value>(text).is_ok_and(|sent| same_value(wanted, &sent))
        }
        (Value::String(text), Value::Number(_) | Value::Bool(_)) => {
            serde_json::from_str::<Value>(text).is_ok_and(|wanted| same_value(&wanted, sent))
        }
        _ => same_value(wanted, sent),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn named(requested: &Value, executed: &Value) -> Vec<String> {
        differences(requested, executed).into_iter().map(|difference| difference.name).collect()
    }

    #[test]
    fn added_or_retyped_arguments_are_equal() {
        let requested = json!({"amount": 20, "order": "A-17", "note": null, "tags": [1], "to": {"mail": "x"}});
        let executed =
            json!({"amount": "20.0", "order": "A-17", "user": 7, "tags": ["1"], "to": {"mail": "x", "cc": []}});
        assert_eq!(named(&requested, &executed), [""; 0]);
        assert_eq!(named(&json!({}), &json!({"a": 1})), [""; 0]);
    }

    #[test]
    fn reports_changed_and_missing_arguments() {
        assert_eq!(named(&json!({"amount": 20, "order": "A"}), &json!({"amount": 200, "order": "A"})), ["amount"]);
        assert_eq!(named(&json!({"amount": 20}), &json!({"cents": 2000})), ["amount"]);
        assert_eq!(named(&json!({"tags": [1, 2]}), &json!({"tags": [1]})), ["tags"]);
        assert_eq!(named(&json!({"a": "x"}), &json!("x")), ["a"]);
    }
}
