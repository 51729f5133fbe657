//! The fields of one line of a recording. Each is removed when it is read, so that unknown fields can be rejected.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The fields of a line that were not read yet.
pub(super) struct LineFields(Map<String, Value>);

impl LineFields {
    /// Parses a line.
    pub(super) fn read(line: &str) -> Result<Self, String> {
        match serde_json::from_str(line) {
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            Ok(_) => Err("this is not a JSON object".into()),
            Err(error) => Err(format!("this is not JSON: {error}")),
        }
    }

    /// The fields of an object within a line.
    pub(super) fn of(value: Value, name: &str) -> Result<Self, String> {
        match value {
            Value::Object(fields) => Ok(Self(fields)),
            _ => Err(format!("`{name}` must be an object")),
        }
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A field that may be absent; `what` names its type in the error.
    pub(super) fn if_any<T: DeserializeOwned>(&mut self, name: &str, what: &str) -> Result<Option<T>, String> {
        let value = self.take(name).map(serde_json::from_value).transpose();
        value.map_err(|_| format!("`{name}` must be {what}"))
    }

    pub(super) fn text(&mut self, name: &str) -> Result<String, String> {
        self.text_if_any(name)?.ok_or_else(|| format!("`{name}` is missing"))
    }

    pub(super) fn text_if_any(&mut self, name: &str) -> Result<Option<String>, String> {
        self.if_any(name, "a string")
    }

    pub(super) fn number(&mut self, name: &str) -> Result<u64, String> {
        self.number_if_any(name)?.ok_or_else(|| format!("`{name}` is missing"))
    }

    pub(super) fn number_if_any(&mut self, name: &str) -> Result<Option<u64>, String> {
        self.if_any(name, "a non-negative integer")
    }

    pub(super) fn texts(&mut self, name: &str) -> Result<Vec<String>, String> {
        let items: Vec<Value> = self.if_any(name, "a list")?.unwrap_or_default();
        serde_json::from_value(items.into()).map_err(|_| format!("`{name}` must be a list of strings"))
    }

    /// Names with their values: an object, or a list of pairs if a name occurs twice.
    pub(super) fn pairs(&mut self, name: &str) -> Result<Vec<(String, String)>, String> {
        let pairs = match self.take(name) {
            None => Some(Vec::new()),
            Some(Value::Object(pairs)) => {
                pairs.into_iter().map(|(key, value)| Some((key, value.as_str()?.to_owned()))).collect()
            }
            Some(pairs) => serde_json::from_value(pairs).ok(),
        };
        pairs.ok_or_else(|| format!("`{name}` must map names to strings"))
    }

    /// Rejects unknown fields: they would be lost, and may matter.
    pub(super) fn end(self) -> Result<(), String> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => Err(format!("unknown field `{}` in this line", agentci_text::one_line(name))),
        }
    }
}

/// The fields of a line to write, without `null` values.
pub(super) fn written(mut fields: Value) -> Map<String, Value> {
    let mut fields = fields.as_object_mut().map(std::mem::take).expect("the fields of a line are an object");
    fields.retain(|_, value| !value.is_null());
    fields
}

/// Names with their values for writing; `None` if there are none.
pub(super) fn write_pairs_if_any(pairs: &[(String, String)]) -> Option<Value> {
    (!pairs.is_empty()).then(|| write_pairs(pairs))
}

/// Names with their values for writing.
pub(super) fn write_pairs(pairs: &[(String, String)]) -> Value {
    let object: Map<String, Value> = pairs.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    if object.len() == pairs.len() {
        return Value::Object(object);
    }
    pairs.iter().map(|(name, value)| Value::from(vec![name.clone(), value.clone()])).collect()
}
