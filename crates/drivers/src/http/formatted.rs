//! Handles events of a known format, and the tool calls and data of custom streams.

use agentci_plan::TextEvents;
use agentci_trace::EventKind;
use serde_json::Value;

use super::answer_text;
use super::kinds::{self, Role};
use super::reader::{HttpAnswerError, HttpReader, ReadResult, says_something};
use super::side_data::without_kind;
use crate::error::shortened;

impl HttpReader {
    /// Handles an event of a stream of a known format.
    pub(super) fn formatted(&mut self, name: Option<&str>, data: &str, parsed: Option<Value>) -> ReadResult {
        let Some(known) = &mut self.known else { return Ok(()) };
        // Events of known formats are objects.
        let Some(value @ Value::Object(_)) = parsed else {
            if name.is_none_or(|name| kinds::role(name) != Role::Other) {
                self.side_data.text(name.unwrap_or("message"), parsed.as_ref().and_then(Value::as_str).unwrap_or(data));
            }
            return Ok(());
        };
        if value.get("error").is_some_and(says_something) {
            return Err(HttpAnswerError::Failed(answer_text::words(&value)));
        }
        let (own, added) = (known.owns(&value), known.added(&value));
        let mut told = Vec::new();
        known.event(&value, &mut told)?;
        for step in told {
            match step {
                EventKind::Text(text) if self.manner.pointer.is_some() => self.side_data.text("text", &text),
                EventKind::Text(text) => self.say(None, &text)?,
                step => self.push(step),
            }
        }
        let pointed = self.manner.pointer.as_deref().and_then(|pointer| answer_text::text(&value, Some(pointer)));
        let pointed = pointed.unwrap_or_default();
        self.say(None, &pointed)?;
        if own {
            if let Some(added) = &added {
                self.side_data.value(added, &pointed);
            }
            return Ok(());
        }
        let kind = kinds::kind(name, Some(&value));
        let text = answer_text::text(&value, None).unwrap_or_default();
        if !matches!(kinds::role(kind), Role::Other | Role::Over) && text != pointed {
            self.side_data.text(kind, &text);
        }
        self.aside(kind, &value, &text);
        Ok(())
    }

    /// Handles everything but the text of an event of a known format.
    pub(super) fn calls_of(&mut self, parsed: Option<&Value>) -> ReadResult {
        let (Some(known), Some(value @ Value::Object(_))) = (&mut self.known, parsed) else { return Ok(()) };
        if value.get("error").is_some_and(says_something) {
            return Ok(());
        }
        let mut told = Vec::new();
        match known.event(value, &mut told) {
            Ok(()) => {
                told.into_iter().filter(|step| !matches!(step, EventKind::Text(_))).for_each(|step| self.push(step));
            }
            Err(HttpAnswerError::Failed(words)) => return Err(HttpAnswerError::Failed(words)),
            Err(_) => self.warn("tool calls in the stream cannot be read and are ignored"),
        }
        Ok(())
    }

    /// Handles the tool calls and the data of a custom value.
    pub(super) fn aside(&mut self, kind: &str, value: &Value, text: &str) {
        if kinds::is_tool(kind) {
            if !self.tools.take(&kinds::spelt(kind), value) {
                self.unread(kind);
            }
            return;
        }
        if !matches!(kinds::role(kind), Role::Other | Role::Error) {
            self.side_data.value(&without_kind(value), text);
        }
        self.listed(value);
    }

    /// Handles the tool calls that a value lists.
    pub(super) fn listed(&mut self, value: &Value) {
        if !self.tools.listed(value) {
            self.unread("tool_calls");
        }
    }

    /// Warns about tool calls that cannot be read.
    pub(super) fn unread(&mut self, kind: &str) {
        if self.manner.events != TextEvents::All {
            let kind = shortened(kind);
            self.warn(&format!("tool calls in `{kind}` are in an unknown format and are ignored"));
        }
    }
}
