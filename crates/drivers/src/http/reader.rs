//! Extracts the text and the tool calls from an answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use agentci_plan::{Strictness, TextEvents};
use agentci_protocols::sse::SseEvent;
use agentci_text::json_error;
use agentci_trace::EventKind;
use serde_json::Value;

use super::answer_text;
use super::custom::SpokenEvents;
use super::kinds::{self, OVER};
use super::known::{DataStream, KnownStream};
use super::side_data::SideData;
use super::tool_events::ToolEvents;
use crate::error::shown;
use agentci_exchange::NOT_UTF8;

/// The limit on collected text, in bytes.
const TEXT_LIMIT: usize = 16 << 20;
/// Events that only keep the connection open.
const ALIVE: [&str; 4] = ["ping", "heartbeat", "keepalive", "keep-alive"];

/// How a target's answers are read.
#[derive(Debug, Clone, Default)]
pub(super) struct ReadingManner {
    /// The JSON pointer of the text. Default: the usual locations.
    pub(super) pointer: Option<String>,
    pub(super) events: TextEvents,
    pub(super) protocol: Strictness,
}

/// Reads an answer as events, as lines, or whole.
#[derive(Debug, Default)]
pub(super) struct HttpReader {
    pub(super) manner: ReadingManner,
    pub(super) text: String,
    /// A whole answer without text.
    pub(super) value: Option<Value>,
    /// The number of JSON values without text.
    pub(super) textless: usize,
    over: bool,
    /// The number of events, and how many of them were JSON and plain text.
    events: usize,
    json: usize,
    plain: usize,
    /// The format of the stream, once it is recognised.
    pub(super) known: Option<KnownStream>,
    /// Whether the format is used for tool calls only, because the target says where the text is or the stream merely
    /// resembles the format.
    pub(super) shadow: bool,
    /// The AI SDK's data stream, if it is one.
    pub(super) data_stream: Option<DataStream>,
    /// Whether there was any tool call.
    pub(super) called: bool,
    /// The tool calls in a known format, by id and name.
    pub(super) calls: Vec<(String, String)>,
    /// The tool calls in other formats.
    pub(super) tools: ToolEvents,
    pub(super) side_data: SideData,
    pub(super) spoken: SpokenEvents,
    /// The warnings so far.
    warned: BTreeSet<String>,
    /// The events for the trace.
    pub(super) steps: Vec<EventKind>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HttpAnswerError {
    /// The agent reported an error.
    Failed(String),
    /// It cannot be read.
    Garbled(String),
    /// It is not what its `content-type` says.
    Mislabelled(String),
    /// It is truncated.
    Torn(String),
    /// Events of these two kinds contain text.
    Ambiguous(String, String),
    Empty(String),
}

/// The result of reading; the events are in `steps`.
pub(super) type ReadResult = Result<(), HttpAnswerError>;

impl HttpReader {
    pub(super) fn new(manner: ReadingManner) -> Self {
        Self { manner, ..Self::default() }
    }

    /// Whether the answer is complete, though more may follow.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Adds an event of a known format, and remembers its tool calls.
    pub(super) fn push(&mut self, step: EventKind) {
        if let EventKind::ToolCall(call) = &step {
            self.called = true;
            self.calls.push((call.call_id.clone(), call.name.clone()));
        }
        self.steps.push(step);
    }

    /// Handles a server-sent event.
    pub(super) fn event(&mut self, frame: &SseEvent) -> ReadResult {
        let (name, data) = (frame.event.as_deref(), frame.data.as_str());
        self.events += 1;
        self.lossy(frame.lossy);
        if name.is_some_and(|name| ALIVE.contains(&name)) {
            return Ok(());
        }
        if data.trim() == "[DONE]" {
            self.over = true;
            if let Some(known) = &mut self.known {
                known.done();
            }
            return Ok(());
        }
        let parsed = serde_json::from_str::<Value>(data).ok();
        let is_json = matches!(parsed, Some(Value::Object(_) | Value::Array(_) | Value::String(_) | Value::Null));
        if frame.unfinished {
            self.unfinished(frame, is_json)?;
        }
        *(if is_json { &mut self.json } else { &mut self.plain }) += 1;
        if name == Some("error") {
            let words = parsed.map_or_else(|| data.trim().to_owned(), |value| answer_text::words(&value));
            return Err(HttpAnswerError::Failed(words));
        }
        self.said(name, data, parsed)
    }

    /// Handles the end of the stream within this line, which has no event data.
    pub(super) fn torn_line(&mut self, line: &[u8]) -> ReadResult {
        let line = String::from_utf8_lossy(line);
        if self.over || line.strip_prefix("event:").is_some_and(|name| OVER.contains(&name.trim())) {
            return Ok(());
        }
        Err(HttpAnswerError::Torn(format!("the stream broke off inside event {}{}", self.events + 1, shown(&line))))
    }

    /// Handles a line of JSON lines.
    pub(super) fn line(&mut self, number: usize, line: &[u8]) -> ReadResult {
        let line = if number == 1 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        let text = String::from_utf8_lossy(line);
        if text.trim().is_empty() {
            return Ok(());
        }
        self.lossy(matches!(text, std::borrow::Cow::Owned(_)));
        let value = serde_json::from_str::<Value>(&text).map_err(|error| {
            HttpAnswerError::Garbled(format!(
                "line {number} of the answer is not JSON: {}{}",
                json_error(&error),
                shown(&text)
            ))
        })?;
        self.json_line(&value)
    }

    /// Handles a value of JSON lines.
    pub(super) fn json_line(&mut self, value: &Value) -> ReadResult {
        match value {
            Value::String(text) => self.say(None, text)?,
            Value::Object(_) | Value::Array(_) => self.said(None, "", Some(value.clone()))?,
            Value::Null | Value::Bool(_) | Value::Number(_) => self.textless += 1,
        }
        Ok(())
    }

    /// Handles the end of the answer: emits pending events.
    pub(super) fn end(&mut self) -> ReadResult {
        let mut last = Vec::new();
        let mut lacks = match (&mut self.known, &mut self.data_stream) {
            (Some(known), _) => {
                if self.shadow {
                    known.done();
                }
                known.end(&mut last)
            }
            (None, Some(stream)) => stream.end(&mut last),
            (None, None) => None,
        };
        if self.shadow {
            last.retain(|step| !matches!(step, EventKind::Text(_)));
            lacks = None;
        }
        for step in last {
            self.push(step);
        }
        let more = self.tools.flush(std::mem::take(&mut self.calls));
        self.called |= !more.is_empty();
        self.steps.extend(more);
        if self.side_data.bytes() > TEXT_LIMIT {
            self.warn(&format!("more than {} MiB came alongside the answer; checks do not see it", TEXT_LIMIT >> 20));
        } else if let Some(data) = self.side_data.take(&self.text) {
            let data: Arc<Value> = data.into();
            let message = "data alongside the answer".to_owned();
            self.steps.push(EventKind::Log { level: "data".into(), message, data: Some(Arc::clone(&data)) });
            self.steps.push(EventKind::Beside(data));
        }
        match lacks {
            Some(lacks) => {
                self.breach(HttpAnswerError::Torn(format!("the stream ended before the answer was complete: {lacks}")))
            }
            None => Ok(()),
        }
    }

    /// The final output; `None` if the answer consists of tool calls only.
    pub(super) fn finish(self) -> Result<Option<Value>, HttpAnswerError> {
        if let Some(value) = self.value {
            return Ok(Some(value));
        }
        if !self.text.trim().is_empty() {
            return Ok(Some(Value::String(self.text)));
        }
        if self.called {
            return Ok(None);
        }
        Err(HttpAnswerError::Empty(match (&self.manner.pointer, self.textless) {
            (_, 0) => "the agent's answer is empty".into(),
            (Some(pointer), _) => format!("the agent's answer has no text at `{pointer}`"),
            (None, _) => "the agent's answer has no text in any of the usual fields".into(),
        }))
    }

    /// Handles the content of an event.
    fn said(&mut self, name: Option<&str>, data: &str, parsed: Option<Value>) -> ReadResult {
        if let (None, Some(event)) = (&self.known, &parsed) {
            self.known = KnownStream::recognise(event);
            self.shadow = matches!(self.manner.events, TextEvents::Named(_));
            if self.known.is_none() {
                self.known = KnownStream::resembles(event);
                self.shadow = true;
            }
        }
        if self.known.is_some() && !self.shadow {
            return self.formatted(name, data, parsed);
        }
        self.calls_of(parsed.as_ref())?;
        match self.manner.events {
            TextEvents::All => self.any(name, data, parsed),
            TextEvents::Usual | TextEvents::Named(_) => self.custom(name, data, parsed.as_ref()),
        }
    }

    /// Handles an event of a stream in which every event may be text.
    fn any(&mut self, name: Option<&str>, data: &str, parsed: Option<Value>) -> ReadResult {
        match parsed {
            Some(value @ (Value::Object(_) | Value::Array(_))) => {
                let text = answer_text::text(&value, self.manner.pointer.as_deref()).unwrap_or_default();
                self.aside(kinds::kind(name, Some(&value)), &value, &text);
                self.value(name, &value)
            }
            Some(Value::String(text)) => self.say(name, &text),
            Some(Value::Null) => self.say(name, ""),
            Some(_) | None if name.is_some_and(|name| OVER.contains(&name)) => self.say(name, ""),
            // A number or a boolean is a word of a text that is streamed word by word.
            Some(_) | None => self.say(name, data),
        }
    }

    /// Handles a JSON value.
    pub(super) fn value(&mut self, name: Option<&str>, value: &Value) -> ReadResult {
        let kind = value.get("type").and_then(Value::as_str);
        if kind == Some("error") {
            return Err(HttpAnswerError::Failed(answer_text::words(value)));
        }
        if let Some(text) = answer_text::text(value, self.manner.pointer.as_deref()) {
            return self.say(name.filter(|name| *name == "final" || OVER.contains(name)).or(kind), &text);
        }
        if value.get("error").is_some_and(|error| !matches!(error, Value::Null | Value::Bool(false))) {
            return Err(HttpAnswerError::Failed(answer_text::words(value)));
        }
        self.textless += 1;
        self.say(name.filter(|name| OVER.contains(name)).or(kind), "")
    }

    /// Handles the text of an event of this kind.
    pub(super) fn say(&mut self, kind: Option<&str>, text: &str) -> ReadResult {
        let said = !self.text.is_empty();
        if kind.is_some_and(|kind| OVER.contains(&kind)) {
            self.over = true;
            // It repeats the answer.
            if said {
                return Ok(());
            }
        }
        let mut more = text;
        if kind == Some("final") && said && !text.is_empty() {
            if let Some(rest) = text.strip_prefix(self.text.as_str()) {
                more = rest;
            } else {
                self.take_text_back();
            }
        }
        if self.text.len() + more.len() > TEXT_LIMIT {
            let words = format!("the answer has more than {} MiB of text", TEXT_LIMIT >> 20);
            return Err(HttpAnswerError::Garbled(words));
        }
        self.text.push_str(more);
        if !more.is_empty() {
            self.steps.push(EventKind::Text(more.to_owned()));
        }
        Ok(())
    }

    /// Discards the text so far: it is not the answer.
    pub(super) fn take_text_back(&mut self) {
        self.text.clear();
        self.steps.push(EventKind::TextTakenBack);
    }

    /// Checks a last event without the blank line after it. It is accepted if its data is complete: many custom servers
    /// end like this, although a browser would ignore the event.
    fn unfinished(&mut self, frame: &SseEvent, is_json: bool) -> ReadResult {
        let ends = frame.event.as_deref().is_some_and(|name| OVER.contains(&name));
        let begins_as_json = frame.data.trim_start().starts_with(['{', '[', '"']);
        let torn = !is_json && !ends && self.plain == 0 && (self.json > 0 || begins_as_json);
        let words = |what| format!("the stream {what} event {}{}", self.events, shown(&frame.data));
        if torn {
            return Err(HttpAnswerError::Torn(words("broke off inside")));
        }
        if !is_json && !ends && frame.torn {
            return self.breach(HttpAnswerError::Torn(words("ended before the end of the line of")));
        }
        self.warn("the stream ended without the blank line after its last event");
        Ok(())
    }

    pub(super) fn lossy(&mut self, lossy: bool) {
        if lossy {
            self.warn(NOT_UTF8);
        }
    }

    /// Reports a protocol error of an answer that can still be read; only a warning if the target's `protocol` allows
    /// it.
    pub(super) fn breach(&mut self, breach: HttpAnswerError) -> ReadResult {
        match (self.manner.protocol, breach) {
            (
                Strictness::Warn | Strictness::Off,
                HttpAnswerError::Torn(words) | HttpAnswerError::Mislabelled(words),
            ) => {
                self.warn(&words);
                Ok(())
            }
            (_, breach) => Err(breach),
        }
    }

    /// Warns, once per message.
    pub(super) fn warn(&mut self, words: &str) {
        let words = words.replace('\n', "; ");
        if self.manner.protocol != Strictness::Off && self.warned.insert(words.clone()) {
            self.steps.push(EventKind::Violation(words));
        }
    }
}

/// Whether the value of `error` is an actual error.
pub(super) fn says_something(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Bool(true) => true,
    }
}
