//! Answers that are read whole.

use std::borrow::Cow;

use agentci_plan::TextEvents;
use agentci_protocols::sse::{Decoder, Frame};
use agentci_trace::Kind;
use serde_json::Value;

use super::known::{DataStream, Known};
use super::places;
use super::reader::{NoAnswer, Reader, Steps, says_something};
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
        steps.extend(self.whole_value(&value)?);
        let nothing =
            value.as_object().is_some_and(serde_json::Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
        if self.manner.pointer.is_none() && self.textless > 0 && !nothing {
            self.value = Some(value);
        }
        self.note_calls(&steps);
        Ok(steps)
    }

    /// Takes an answer that is one object or list.
    fn whole_value(&mut self, value: &Value) -> Result<Steps, NoAnswer> {
        let every = self.manner.events == TextEvents::All;
        let pointer = self.manner.pointer.clone();
        let text = places::text(value, pointer.as_deref());
        let failed = value.get("error").is_some_and(says_something) && !places::has_answer(value);
        if failed && pointer.is_none() && !every {
            return Err(NoAnswer::Failed(places::words(value)));
        }
        let Some(mut known) = Known::recognise_whole(value) else {
            // Without a text all of it is the answer.
            let mut steps = match &text {
                None if pointer.is_none() => {
                    if self.tools.listed(value) {
                        Vec::new()
                    } else {
                        self.unread("tool_calls")
                    }
                }
                text => self.aside("answer", value, text.as_deref().unwrap_or_default()),
            };
            steps.extend(self.value(None, value)?);
            return Ok(steps);
        };
        let mut steps = Vec::new();
        if let Some(added) = known.added(value) {
            self.beside.value(&added, text.as_deref().unwrap_or_default());
        }
        for step in known.whole(value)? {
            let Kind::Text(words) = step else {
                steps.push(step);
                continue;
            };
            if pointer.is_some() {
                self.beside.text("text", &words);
            } else if !every {
                steps.extend(self.say(None, &words)?);
            }
        }
        if every || pointer.is_some() {
            steps.extend(self.value(None, value)?);
        } else if text.is_none() {
            self.textless += 1;
        }
        Ok(steps)
    }

    /// Takes events of a known format in an answer that says that it is plain text; nothing if it has none.
    fn mislabelled_stream(&mut self, text: &str) -> Result<Option<Steps>, NoAnswer> {
        let starts = ["data:", "event:", "id:", ":"];
        if self.manner.events == TextEvents::All || !starts.iter().any(|start| text.trim_start().starts_with(start)) {
            return Ok(None);
        }
        let mut decoder = Decoder::new(text.len().max(1));
        decoder.push(text.as_bytes());
        let mut frames: Vec<Frame> = std::iter::from_fn(|| decoder.next().ok().flatten()).collect();
        frames.extend(std::iter::from_fn(|| decoder.finish()));
        let parsed = |frame: &Frame| serde_json::from_str::<Value>(&frame.data).ok();
        if !frames.iter().filter_map(parsed).any(|event| is_known(&event)) {
            return Ok(None);
        }
        let mut steps = Vec::new();
        for frame in &frames {
            steps.extend(self.event(frame)?);
            if self.is_over() {
                return Ok(Some(steps));
            }
        }
        if let Some(line) = decoder.torn_line() {
            steps.extend(self.torn_line(line)?);
        }
        Ok(Some(steps))
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
                    if let Kind::Text(text) = &step {
                        steps.extend(self.say(None, text)?);
                    } else {
                        steps.push(step);
                    }
                }
            }
            self.note_calls(&steps);
            self.data_stream = Some(stream);
            return Ok(steps);
        }
        if !says_json && let Some(steps) = self.mislabelled_stream(text)? {
            return Ok(steps);
        }
        if says_json && !trimmed.is_empty() {
            // JSON lines are often sent as JSON.
            if let Some(error) = not_json_lines(text) {
                let (what, torn) = if error.is_eof() { ("breaks off", true) } else { ("is not JSON", false) };
                let words = format!("the answer says that it is `{content_type}` and {what}: {error}{}", cut(text));
                steps.extend(self.breach(if torn { NoAnswer::Torn(words) } else { NoAnswer::Mislabelled(words) })?);
            } else if self.manner.events != TextEvents::All {
                let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
                let values: Vec<Value> = values.filter_map(Result::ok).collect();
                if values.iter().any(is_known) {
                    for value in &values {
                        steps.extend(self.json_line(value)?);
                    }
                    return Ok(steps);
                }
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

/// Whether a value is a piece of a stream of a known format.
fn is_known(value: &Value) -> bool {
    Known::recognise(value).is_some() || Known::resembles(value).is_some()
}

/// Why a text is not JSON values, one after the other.
fn not_json_lines(text: &str) -> Option<serde_json::Error> {
    serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>().find_map(Result::err)
}
