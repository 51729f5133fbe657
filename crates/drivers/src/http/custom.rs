//! Reads custom streams: the kind of an event says whether it is text.

use agentci_plan::TextEvents;
use serde_json::Value;

use super::answer_text;
use super::kinds::{self, Role};
use super::reader::{HttpAnswerError, HttpReader, ReadResult, says_something};
use crate::error::shortened;

/// The kind of events that carried text so far.
#[derive(Debug, Default)]
pub(super) enum SpokenEvents {
    #[default]
    Nobody,
    /// Events with a well-known name.
    Usual,
    /// Events with this other name.
    Other(String),
}

impl HttpReader {
    /// Handles an event of a custom stream.
    pub(super) fn custom(&mut self, name: Option<&str>, data: &str, parsed: Option<&Value>) -> ReadResult {
        let kind = kinds::kind(name, parsed);
        let natural = kinds::role(kind);
        let mut role = natural;
        if let TextEvents::Named(names) = &self.manner.events {
            let listed = |kind: &str| names.iter().any(|name| name == kind);
            role = match role {
                _ if listed(kind) || name.is_some_and(listed) => Role::Text,
                Role::Over | Role::Error => role,
                Role::Text | Role::Final | Role::Other | Role::Unknown => Role::Other,
            };
        }
        let value = parsed.filter(|value| value.is_object() || value.is_array());
        let reports_error = |value: &&Value| value.get("error").is_some_and(says_something);
        if role == Role::Error || value.is_some_and(|value| reports_error(&value)) {
            let words = value.map_or_else(|| data.trim().to_owned(), answer_text::words);
            return Err(HttpAnswerError::Failed(words));
        }
        let text = match (parsed, value) {
            (_, Some(value)) => answer_text::text(value, self.manner.pointer.as_deref()),
            (Some(Value::String(text)), _) => Some(text.clone()),
            (Some(Value::Null), _) => None,
            _ if role == Role::Over => None,
            _ => Some(data.to_owned()),
        };
        if value.is_some() && text.is_none() {
            self.textless += 1;
        }
        let text = text.unwrap_or_default();
        match role {
            Role::Text => self.usual(&text)?,
            Role::Final => self.say(Some("final"), &text)?,
            Role::Over => self.say(Some("done"), &text)?,
            Role::Other | Role::Error => {
                if natural != Role::Other {
                    self.side_data.text(kind, &text);
                }
            }
            Role::Unknown => self.unusual(kind.to_owned(), &text)?,
        }
        match (value, &self.known) {
            (Some(value), Some(known)) if known.owns(value) => {
                known.added(value).iter().for_each(|added| self.side_data.value(added, &text));
            }
            (Some(value), _) if role == Role::Other || !kinds::is_tool(kind) => self.aside(kind, value, &text),
            (None, _) if role == Role::Other && kinds::is_tool(kind) => self.unread(kind),
            _ => {}
        }
        Ok(())
    }

    /// Handles the text of an event with a well-known name.
    fn usual(&mut self, text: &str) -> ReadResult {
        if !text.is_empty()
            && let SpokenEvents::Other(kind) = std::mem::replace(&mut self.spoken, SpokenEvents::Usual)
        {
            // The earlier text of another kind was not the answer.
            self.side_data.text(&kind, &self.text);
            self.take_text_back();
            self.pass_over(&kind);
        }
        self.say(None, text)
    }

    /// Handles the text of an event with an unknown name.
    fn unusual(&mut self, kind: String, text: &str) -> ReadResult {
        // Some agents repeat the whole answer at the end.
        let repeated = !self.text.is_empty() && text.trim() == self.text.trim();
        let says_nothing = repeated || text.trim().is_empty();
        match &self.spoken {
            SpokenEvents::Usual if says_nothing => Ok(()),
            SpokenEvents::Usual => {
                self.side_data.text(&kind, text);
                self.pass_over(&kind);
                Ok(())
            }
            SpokenEvents::Other(known) if *known != kind && says_nothing => Ok(()),
            SpokenEvents::Other(known) if *known != kind => Err(HttpAnswerError::Ambiguous(known.clone(), kind)),
            SpokenEvents::Nobody | SpokenEvents::Other(_) => {
                if !text.trim().is_empty() {
                    self.spoken = SpokenEvents::Other(kind);
                }
                self.say(None, text)
            }
        }
    }

    fn pass_over(&mut self, kind: &str) {
        self.warn(&format!(
            "events of the kind `{}` contain text that is not part of the answer; list the text kinds under `events`",
            shortened(kind)
        ));
    }
}
