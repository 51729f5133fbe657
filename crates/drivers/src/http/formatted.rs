//! Events of a known format, and what comes beside the text of any other.

use agentci_plan::TextEvents;
use agentci_trace::Kind;
use serde_json::Value;

use super::beside::without_kind;
use super::kinds::{self, Role};
use super::places;
use super::reader::{NoAnswer, Reader, Steps, says_something};
use super::refusal::shortened;

impl Reader {
    /// Takes an event of a stream of a known format.
    pub(super) fn formatted(
        &mut self,
        name: Option<&str>,
        data: &str,
        parsed: Option<Value>,
    ) -> Result<Steps, NoAnswer> {
        let Some(known) = &mut self.known else { return Ok(Vec::new()) };
        // What is no object is no part of any known format.
        let Some(value @ Value::Object(_)) = parsed else {
            if name.is_none_or(|name| kinds::role(name) != Role::Other) {
                self.beside.text(name.unwrap_or("message"), parsed.as_ref().and_then(Value::as_str).unwrap_or(data));
            }
            return Ok(Vec::new());
        };
        if value.get("error").is_some_and(says_something) {
            return Err(NoAnswer::Failed(places::words(&value)));
        }
        let (own, added) = (known.owns(&value), known.added(&value));
        let told = known.event(&value)?;
        let mut steps = Vec::with_capacity(told.len());
        for step in told {
            let Kind::Text(text) = step else {
                steps.push(step);
                continue;
            };
            if self.manner.pointer.is_some() {
                self.beside.text("text", &text);
            } else {
                steps.extend(self.say(None, &text)?);
            }
        }
        let pointed = self.manner.pointer.as_deref().and_then(|pointer| places::text(&value, Some(pointer)));
        let pointed = pointed.unwrap_or_default();
        steps.extend(self.say(None, &pointed)?);
        if own {
            if let Some(added) = &added {
                self.beside.value(added, &pointed);
            }
            return Ok(steps);
        }
        let kind = kinds::kind(name, Some(&value));
        let text = places::text(&value, None).unwrap_or_default();
        if !matches!(kinds::role(kind), Role::Other | Role::Over) && text != pointed {
            self.beside.text(kind, &text);
        }
        steps.extend(self.aside(kind, &value, &text));
        Ok(steps)
    }

    /// What an event of a known format tells apart from its text.
    pub(super) fn calls_of(&mut self, parsed: Option<&Value>) -> Result<Steps, NoAnswer> {
        let (Some(known), Some(value @ Value::Object(_))) = (&mut self.known, parsed) else { return Ok(Vec::new()) };
        if value.get("error").is_some_and(says_something) {
            return Ok(Vec::new());
        }
        match known.event(value) {
            Ok(steps) => Ok(steps.into_iter().filter(|step| !matches!(step, Kind::Text(_))).collect()),
            Err(NoAnswer::Failed(words)) => Err(NoAnswer::Failed(words)),
            Err(_) => Ok(self.warn("tool calls of the stream cannot be read, and do not count").into_iter().collect()),
        }
    }

    /// Takes what a value of no known format has beside its text: calls of tools and data.
    pub(super) fn aside(&mut self, kind: &str, value: &Value, text: &str) -> Steps {
        let read = if kinds::is_tool(kind) {
            self.tools.take(&kinds::spelt(kind), value)
        } else {
            if !matches!(kinds::role(kind), Role::Other | Role::Error) {
                self.beside.value(&without_kind(value), text);
            }
            self.tools.listed(value)
        };
        let kind = if kinds::is_tool(kind) { kind } else { "tool_calls" };
        if read { Vec::new() } else { self.unread(kind) }
    }

    /// Calls of tools that cannot be read.
    pub(super) fn unread(&mut self, kind: &str) -> Steps {
        if self.manner.events == TextEvents::All {
            return Vec::new();
        }
        let words = format!("tool calls in `{}` are not in a known form, and do not count", shortened(kind));
        self.warn(&words).into_iter().collect()
    }

    /// Remembers the calls that were told in a known format.
    pub(super) fn note_calls(&mut self, steps: &[Kind]) {
        for step in steps {
            if let Kind::ToolCall(call) = step {
                self.called = true;
                self.calls.push((call.call_id.clone(), call.name.clone()));
            }
        }
    }
}
