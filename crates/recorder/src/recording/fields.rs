//! The fields of one line of a recording, taken out one by one, so that what is left over can be refused.

use serde_json::{Map, Value};

/// The fields of a line that nobody has asked for yet.
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    /// The fields of a line.
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

    pub(super) fn text(&mut self, name: &str) -> Result<String, String> {
        self.text_if_any(name)?.ok_or_else(|| format!("`{name}` is missing"))
    }

    pub(super) fn text_if_any(&mut self, name: &str) -> Result<Option<String>, String> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{name}` must be a text")),
        }
    }

    pub(super) fn number(&mut self, name: &str) -> Result<u64, String> {
        self.number_if_any(name)?.ok_or_else(|| format!("`{name}` is missing"))
    }

    pub(super) fn number_if_any(&mut self, name: &str) -> Result<Option<u64>, String> {
        match self.take(name) {
            None => Ok(None),
            Some(value) => value.as_u64().map(Some).ok_or_else(|| format!("`{name}` must be a whole number")),
        }
    }

    pub(super) fn flag(&mut self, name: &str) -> Result<bool, String> {
        match self.take(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(_) => Err(format!("`{name}` must be true or false")),
        }
    }

    pub(super) fn list(&mut self, name: &str) -> Result<Vec<Value>, String> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(format!("`{name}` must be a list")),
        }
    }

    pub(super) fn texts(&mut self, name: &str) -> Result<Vec<String>, String> {
        let text = |item| match item {
            Value::String(text) => Ok(text),
            _ => Err(format!("`{name}` must be a list of texts")),
        };
        self.list(name)?.into_iter().map(text).collect()
    }

    /// Names with their values: an object, or a list of pairs where a name comes twice.
    pub(super) fn pairs(&mut self, name: &str) -> Result<Vec<(String, String)>, String> {
        let wrong = || format!("`{name}` must hold names with texts");
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Object(pairs)) => {
                let pairs = pairs.into_iter().map(|(key, value)| match value {
                    Value::String(value) => Ok((key, value)),
                    _ => Err(wrong()),
                });
                pairs.collect()
            }
            Some(Value::Array(pairs)) => {
                let pairs = pairs.into_iter().map(|pair| match <[Value; 2]>::try_from(items(pair)) {
                    Ok([Value::String(key), Value::String(value)]) => Ok((key, value)),
                    _ => Err(wrong()),
                });
                pairs.collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    /// Refuses what nobody asked for: it would be lost, and may have mattered.
    pub(super) fn end(self) -> Result<(), String> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => Err(format!("`{}` is not a field of this line", agentci_text::one_line(name))),
        }
    }
}

fn items(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}

/// Names with their values as they are written.
pub(super) fn write_pairs(pairs: &[(String, String)]) -> Value {
    let mut object = Map::new();
    for (name, value) in pairs {
        object.insert(name.clone(), value.clone().into());
    }
    if object.len() == pairs.len() {
        return Value::Object(object);
    }
    pairs.iter().map(|(name, value)| Value::from(vec![name.clone(), value.clone()])).collect()
}
