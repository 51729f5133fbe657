//! Deduplicates data that an agent outputs alongside its answer.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// Remembers the strings and numbers seen so far.
#[derive(Debug, Default)]
pub struct SeenValues {
    seen: HashSet<String>,
    bytes: usize,
}

impl SeenValues {
    /// The size of the strings and numbers seen so far, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The value reduced to new strings and numbers; `None` if all are known.
    pub fn of(&mut self, value: &Value) -> Option<Value> {
        match value {
            Value::String(text) => self.is_new(text.clone()).then(|| value.clone()),
            Value::Number(number) => self.is_new(number.to_string()).then(|| value.clone()),
            Value::Array(items) => {
                let fresh: Vec<Value> = items.iter().filter_map(|item| self.of(item)).collect();
                (!fresh.is_empty()).then_some(Value::Array(fresh))
            }
            Value::Object(map) => {
                let fresh: Map<String, Value> =
                    map.iter().filter_map(|(name, value)| Some((name.clone(), self.of(value)?))).collect();
                (!fresh.is_empty()).then_some(Value::Object(fresh))
            }
            Value::Null | Value::Bool(_) => None,
        }
    }

    fn is_new(&mut self, text: String) -> bool {
        let length = text.len();
        let new = self.seen.insert(text);
        self.bytes += if new { length } else { 0 };
        new
    }
}
