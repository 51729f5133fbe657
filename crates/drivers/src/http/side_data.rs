//! Data that an agent outputs alongside the text of its answer.
//!
//! Only prohibitions check it. Fields and events about the agent's work rather than its answer (`status`, `tool*`,
//! `reasoning*`, `thinking*`) are not part of it.

use serde_json::{Map, Value};

use super::kinds::{self, Role};
use agentci_protocols::SeenValues;

/// The data alongside the text so far.
#[derive(Debug, Default)]
pub(super) struct SideData {
    seen: SeenValues,
    values: Vec<Value>,
    /// Text of events that is not part of the answer, by kind, because it may be streamed.
    texts: Vec<(String, String)>,
    bytes: usize,
}

impl SideData {
    /// Adds a value, without the text in it that is part of the answer.
    pub(super) fn value(&mut self, value: &Value, text: &str) {
        if let Some(rest) = without(value, text).and_then(|rest| self.seen.of(&rest)) {
            self.values.push(rest);
        }
    }

    /// Adds the text of an event of this kind.
    pub(super) fn text(&mut self, kind: &str, text: &str) {
        self.bytes += text.len();
        match self.texts.iter_mut().find(|(known, _)| known == kind) {
            Some((_, all)) => all.push_str(text),
            None => self.texts.push((kind.to_owned(), text.to_owned())),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.seen.bytes()
    }

    /// Returns all data, except for texts that repeat the answer.
    pub(super) fn take(&mut self, answer: &str) -> Option<Value> {
        let mut all = std::mem::take(&mut self.values);
        // Some agents repeat the whole answer at the end.
        let texts = self.texts.drain(..).filter(|(_, text)| !text.trim().is_empty() && text.trim() != answer.trim());
        all.extend(texts.map(|(kind, text)| Value::Object(Map::from_iter([(kind, text.into())]))));
        match all.len() {
            0 => None,
            1 => all.pop(),
            _ => Some(Value::Array(all)),
        }
    }
}

/// A value without the kind of its event.
pub(super) fn without_kind(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let is_kind = |name: &str, value: &Value| matches!(name, "type" | "event") && value.is_string();
            let rest = fields.iter().filter(|(name, value)| !is_kind(name, value));
            Value::Object(rest.map(|(name, value)| (name.clone(), value.clone())).collect())
        }
        other => other.clone(),
    }
}

/// A value without the strings that are part of a text, and without the fields about the agent's work.
fn without(value: &Value, text: &str) -> Option<Value> {
    match value {
        Value::String(part) => (!part.trim().is_empty() && !text.contains(part.as_str())).then(|| value.clone()),
        Value::Array(items) => Some(Value::Array(items.iter().filter_map(|item| without(item, text)).collect())),
        Value::Object(fields) => {
            let put_out = fields.iter().filter(|(name, _)| kinds::role(name) != Role::Other);
            let rest = put_out.filter_map(|(name, value)| Some((name.clone(), without(value, text)?)));
            Some(Value::Object(rest.collect()))
        }
        other => Some(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keeps_data_that_is_not_part_of_the_answer() {
        let mut data = SideData::default();
        let value = json!({"answer": "It is 20.", "parts": ["It is", " 20."], "debug": {"mail": "a@b.org"}, "status": "ok",
            "reasoning": "hm", "tool_calls": [{"name": "find"}], "done": true, "ms": 7});
        data.value(&value, "It is 20.");
        assert_eq!(data.take("It is 20."), Some(json!({"debug": {"mail": "a@b.org"}, "ms": 7})));
        // Repeated data is ignored.
        data.value(&value, "It is 20.");
        assert_eq!(data.take("It is 20."), None);
    }

    #[test]
    fn joins_text_received_in_chunks() {
        let mut data = SideData::default();
        for piece in ["ada@exam", "ple.org"] {
            data.text("note", piece);
        }
        data.text("summary", "It is 20.");
        assert_eq!(data.take("It is 20."), Some(json!({"note": "ada@example.org"})));
    }
}
