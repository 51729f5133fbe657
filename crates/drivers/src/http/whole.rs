//! Answers that are read whole.

use std::borrow::Cow;

use agentci_trace::Kind;
use serde_json::Value;

use super::known::DataStream;
use super::reader::{NoAnswer, Reader, Steps};
use super::refusal::cut;

impl Reader {
    /// Takes a whole answer and what it says it is. Whatever that is, what reads as an object or a list is JSON.
    pub(super) fn whole(&mut self, content_type: &str, body: &[u8]) -> Result<Steps, NoAnswer> {
        let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
        let text = String::from_utf8_lossy(body);
        let mut steps = self.lossy(matches!(text, Cow::Owned(_)));
        let value = match serde_json::from_str::<Value>(&text) {
            Ok(Value::String(text)) => {
                steps.extend(self.say(None, &text)?);
                return Ok(steps);
            }
            Ok(value @ (Value::Object(_) | Value::Array(_))) => value,
            Ok(_) => {
                steps.extend(self.say(None, &text)?);
                return Ok(steps);
            }
            Err(error) => {
                steps.extend(self.no_json(content_type, &text, &error)?);
                return Ok(steps);
            }
        };
        steps.extend(self.value(None, &value)?);
        let nothing =
            value.as_object().is_some_and(serde_json::Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
        if self.text.is_empty() && self.manner.pointer.is_none() && self.textless > 0 && !nothing {
            self.value = Some(value);
        }
        Ok(steps)
    }

    /// Takes a whole answer that is not one JSON value.
    fn no_json(&mut self, content_type: &str, text: &str, error: &serde_json::Error) -> Result<Steps, NoAnswer> {
        let says_json = matches!(content_type, "application/json" | "text/json") || content_type.ends_with("+json");
        let trimmed = text.trim();
        let mut steps = Vec::new();
        if !says_json && DataStream::is(text) {
            let mut stream = DataStream::default();
            for line in text.lines() {
                for step in stream.line(line)? {
                    match step {
                        Kind::Text(text) => steps.extend(self.say(None, &text)?),
                        other => steps.push(other),
                    }
                }
            }
            self.called |= steps.iter().any(|step| matches!(step, Kind::ToolCall(_)));
            self.data_stream = Some(stream);
            return Ok(steps);
        }
        if says_json && !trimmed.is_empty() {
            // JSON lines are often sent as JSON.
            if let Some(error) = not_json_lines(text) {
                let (what, torn) = if error.is_eof() { ("breaks off", true) } else { ("is not JSON", false) };
                let words = format!("the answer says that it is `{content_type}` and {what}: {error}{}", cut(text));
                steps.extend(self.breach(if torn { NoAnswer::Torn(words) } else { NoAnswer::Mislabelled(words) })?);
            }
        } else if error.is_eof() && trimmed.starts_with(['{', '[']) {
            let words = format!("the answer begins as JSON and breaks off: {error}{}", cut(text));
            if content_type.starts_with("text/") {
                steps.extend(self.warn(&words));
            } else {
                steps.extend(self.breach(NoAnswer::Torn(words))?);
            }
        }
        steps.extend(self.say(None, text)?);
        Ok(steps)
    }
}

/// Why a text is not JSON values, one after the other.
fn not_json_lines(text: &str) -> Option<serde_json::Error> {
    serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>().find_map(Result::err)
}
