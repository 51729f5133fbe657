//! Measures the size of a value.

use serde_json::Value;

/// The number of bytes of text that count as one part of a value.
const TEXT: u64 = 64;

/// The size of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Weight {
    /// The number of its parts, keys included, plus its long texts.
    pub(crate) parts: u64,
    /// The depth of its nesting; 1 for a plain value.
    pub(crate) depth: u64,
    /// The length of the longest list or object in it.
    pub(crate) widest: u64,
}

impl Weight {
    /// Measures a value.
    pub(crate) fn of(value: &Value) -> Self {
        let inside = match value {
            Value::Null | Value::Bool(_) => return Self::leaf(0),
            // A number may have any number of digits.
            Value::Number(number) => return Self::leaf(text(number.as_str())),
            Value::String(said) => return Self::leaf(text(said)),
            Value::Array(items) => items.iter().map(Self::of).fold(Self::around(items.len()), Self::and),
            Value::Object(map) => {
                let keyed = |(key, value): (&String, &Value)| {
                    let inside = Self::of(value);
                    Self { parts: inside.parts + 1 + text(key), ..inside }
                };
                map.iter().map(keyed).fold(Self::around(map.len()), Self::and)
            }
        };
        Self { depth: inside.depth + 1, ..inside }
    }

    fn leaf(text: u64) -> Self {
        Self { parts: 1 + text, depth: 1, widest: 0 }
    }

    /// A list or an object without its content.
    fn around(width: usize) -> Self {
        Self { parts: 1, depth: 0, widest: width as u64 }
    }

    fn and(self, other: Self) -> Self {
        Self {
            parts: self.parts + other.parts,
            depth: self.depth.max(other.depth),
            widest: self.widest.max(other.widest),
        }
    }
}

fn text(text: &str) -> u64 {
    text.len() as u64 / TEXT
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn weight_counts_values_keys_and_long_strings() {
        let weight = |value: Value| (Weight::of(&value).parts, Weight::of(&value).depth);
        assert_eq!(weight(json!(null)), (1, 1));
        assert_eq!(weight(json!([])), (1, 1));
        assert_eq!(weight(json!([1, [2]])), (4, 3));
        assert_eq!(weight(json!({"a": {"b": 1}})), (5, 3));
        assert_eq!(weight(json!("x".repeat(640))), (11, 1));
    }

    proptest! {
        #[test]
        fn weight_never_exceeds_text_length(text in r#"[\[\]{}:,"a1 ]{0,40}"#) {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                prop_assert!(Weight::of(&value).parts <= text.len() as u64);
            }
        }
    }
}
