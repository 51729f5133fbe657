//! Reads answers that are not streamed.

use std::borrow::Cow;

use agentci_plan::TextEvents;
use agentci_protocols::sse::{Decoder, SseEvent};
use agentci_trace::EventKind;
use serde_json::Value;

use super::answer_text;
use super::known::{DataStream, KnownStream};
use super::reader::{HttpAnswerError, HttpReader, ReadResult, says_something};
use crate::error::shown;

impl HttpReader {
    /// Handles a whole answer. A body that parses as an object or a list is JSON, whatever its content type.
    pub(super) fn whole(&mut self, content_type: &str, body: &[u8]) -> ReadResult {
        let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
        let text = String::from_utf8_lossy(body);
        self.lossy(matches!(text, Cow::Owned(_)));
        let value = match serde_json::from_str::<Value>(&text) {
            Ok(value @ (Value::Object(_) | Value::Array(_))) => value,
            Ok(Value::String(text)) => return self.say(None, &text),
            Ok(_) => return self.say(None, &text),
            Err(error) => return self.no_json(content_type, &text, &error),
        };
        self.whole_value(&value)?;
        let nothing =
            value.as_object().is_some_and(serde_json::Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
        if self.manner.pointer.is_none() && self.textless > 0 && !nothing {
            self.value = Some(value);
        }
        Ok(())
    }

    /// Handles an answer that is one object or list.
    fn whole_value(&mut self, value: &Value) -> ReadResult {
        let every = self.manner.events == TextEvents::All;
        let pointer = self.manner.pointer.clone();
        let text = answer_text::text(value, pointer.as_deref());
        let failed = value.get("error").is_some_and(says_something) && !answer_text::has_answer(value);
        if failed && pointer.is_none() && !every {
            return Err(HttpAnswerError::Failed(answer_text::words(value)));
        }
        let Some(mut known) = KnownStream::recognise_whole(value) else {
            match &text {
                // Without text, the whole value is the answer.
                None if pointer.is_none() => self.listed(value),
                text => self.aside("answer", value, text.as_deref().unwrap_or_default()),
            }
            return self.value(None, value);
        };
        if let Some(added) = known.added(value) {
            self.side_data.value(&added, text.as_deref().unwrap_or_default());
        }
        let mut told = Vec::new();
        known.whole(value, &mut told)?;
        for step in told {
            match step {
                EventKind::Text(words) if pointer.is_some() => self.side_data.text("text", &words),
                EventKind::Text(words) if !every => self.say(None, &words)?,
                EventKind::Text(_) => {}
                step => self.push(step),
            }
        }
        if every || pointer.is_some() {
            self.value(None, value)?;
        } else if text.is_none() {
            self.textless += 1;
        }
        Ok(())
    }

    /// Handles events of a known format in an answer declared as plain text; returns false if it has none.
    fn mislabelled_stream(&mut self, text: &str) -> Result<bool, HttpAnswerError> {
        let starts = ["data:", "event:", "id:", ":"];
        if self.manner.events == TextEvents::All || !starts.iter().any(|start| text.trim_start().starts_with(start)) {
            return Ok(false);
        }
        let mut decoder = Decoder::new(text.len().max(1));
        decoder.push(text.as_bytes());
        let frames: Vec<SseEvent> = std::iter::from_fn(|| decoder.finish()).collect();
        let parsed = |frame: &SseEvent| serde_json::from_str::<Value>(&frame.data).ok();
        if !frames.iter().filter_map(parsed).any(|event| is_known(&event)) {
            return Ok(false);
        }
        for frame in &frames {
            self.event(frame)?;
            if self.is_over() {
                return Ok(true);
            }
        }
        if let Some(line) = decoder.torn_line() {
            self.torn_line(line)?;
        }
        Ok(true)
    }

    /// Handles a whole answer that is not one JSON value.
    fn no_json(&mut self, content_type: &str, text: &str, error: &serde_json::Error) -> ReadResult {
        let says_json = matches!(content_type, "application/json" | "text/json") || content_type.ends_with("+json");
        let trimmed = text.trim();
        if !says_json && DataStream::is(text) {
            return self.data_stream(text);
        }
        if !says_json && self.mislabelled_stream(text)? {
            return Ok(());
        }
        if says_json && !trimmed.is_empty() {
            if let Some(error) = not_json_lines(text) {
                let (what, torn) = if error.is_eof() { ("breaks off", true) } else { ("is not JSON", false) };
                let words = format!("the answer is declared as `{content_type}` but {what}: {error}{}", shown(text));
                self.breach(if torn { HttpAnswerError::Torn(words) } else { HttpAnswerError::Mislabelled(words) })?;
            } else if self.manner.events != TextEvents::All {
                // JSON lines are often declared as JSON.
                let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
                let values: Vec<Value> = values.filter_map(Result::ok).collect();
                if values.iter().any(is_known) {
                    return values.iter().try_for_each(|value| self.json_line(value));
                }
            }
        } else if error.is_eof() && trimmed.starts_with(['{', '[']) {
            let words = format!("the answer begins as JSON and breaks off: {error}{}", shown(text));
            if content_type.starts_with("text/") {
                self.warn(&words);
            } else {
                self.breach(HttpAnswerError::Torn(words))?;
            }
        }
        self.say(None, text)
    }

    /// Handles the lines of the AI SDK's data stream.
    fn data_stream(&mut self, text: &str) -> ReadResult {
        let mut stream = DataStream::default();
        let mut told = Vec::new();
        text.lines().try_for_each(|line| stream.line(line, &mut told))?;
        for step in told {
            match step {
                EventKind::Text(text) => self.say(None, &text)?,
                step => self.push(step),
            }
        }
        self.data_stream = Some(stream);
        Ok(())
    }
}

/// Whether a value is an event of a known format.
fn is_known(value: &Value) -> bool {
    KnownStream::recognise(value).is_some() || KnownStream::resembles(value).is_some()
}

/// The reason why a text is not a sequence of JSON values.
fn not_json_lines(text: &str) -> Option<serde_json::Error> {
    serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>().find_map(Result::err)
}
