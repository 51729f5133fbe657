//! From an answer to its text, and to the calls of tools that it tells of.

use std::collections::BTreeSet;
use std::sync::Arc;

use agentci_plan::{Strictness, TextEvents};
use agentci_protocols::sse::Frame;
use agentci_trace::Kind;
use serde_json::Value;

use super::beside::Beside;
use super::custom::Spoken;
use super::kinds::{self, OVER};
use super::known::{DataStream, Known};
use super::places;
use super::refusal::cut;
use super::tool_events::ToolEvents;
use agentci_exchange::NOT_UTF8;

/// The most bytes of text that are collected.
const TEXT_LIMIT: usize = 16 << 20;
/// Events that only keep the connection open.
const ALIVE: [&str; 4] = ["ping", "heartbeat", "keepalive", "keep-alive"];

/// How a target's answers are read.
#[derive(Debug, Clone, Default)]
pub(super) struct Manner {
    /// Where the text is; the usual places when absent.
    pub(super) pointer: Option<String>,
    pub(super) events: TextEvents,
    pub(super) protocol: Strictness,
}

/// Reads an answer that comes in events, lines, or whole.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) manner: Manner,
    pub(super) text: String,
    /// A whole answer that has no text.
    pub(super) value: Option<Value>,
    /// How many JSON values came without a text.
    pub(super) textless: usize,
    over: bool,
    /// How many events came, and how many of them were JSON and plain text.
    events: usize,
    json: usize,
    plain: usize,
    /// The format of the stream, once it is recognised.
    pub(super) known: Option<Known>,
    /// Whether only calls are read by the format: the text is where the target says, or the stream merely resembles the format.
    pub(super) shadow: bool,
    /// The AI SDK's data stream, if it is one.
    pub(super) data_stream: Option<DataStream>,
    /// Whether a call of a tool was told.
    pub(super) called: bool,
    /// The calls that were told in a known format, by id and name.
    pub(super) calls: Vec<(String, String)>,
    /// The calls that were told in another form.
    pub(super) tools: ToolEvents,
    pub(super) beside: Beside,
    pub(super) spoken: Spoken,
    /// What was warned about already.
    warned: BTreeSet<String>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The agent says that it failed.
    Failed(String),
    /// It cannot be read.
    Garbled(String),
    /// It is not what its `content-type` says.
    Mislabelled(String),
    /// It broke off.
    Torn(String),
    /// Events of these two kinds carry text.
    Ambiguous(String, String),
    /// It says nothing.
    Empty(String),
}

pub(super) type Steps = Vec<Kind>;

impl Reader {
    pub(super) fn new(manner: Manner) -> Self {
        Self { manner, ..Self::default() }
    }

    /// Whether everything was said, though more may come.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Takes a server-sent event.
    pub(super) fn event(&mut self, frame: &Frame) -> Result<Steps, NoAnswer> {
        let (name, data) = (frame.event.as_deref(), frame.data.as_str());
        self.events += 1;
        let mut steps = self.lossy(frame.lossy);
        if name.is_some_and(|name| ALIVE.contains(&name)) {
            return Ok(steps);
        }
        if data.trim() == "[DONE]" {
            self.over = true;
            if let Some(known) = &mut self.known {
                known.done();
            }
            return Ok(steps);
        }
        let parsed = serde_json::from_str::<Value>(data).ok();
        let is_json = matches!(parsed, Some(Value::Object(_) | Value::Array(_) | Value::String(_) | Value::Null));
        if frame.unfinished {
            steps.extend(self.unfinished(frame, is_json)?);
        }
        *(if is_json { &mut self.json } else { &mut self.plain }) += 1;
        if name == Some("error") {
            let words = parsed.map_or_else(|| data.trim().to_owned(), |value| places::words(&value));
            return Err(NoAnswer::Failed(words));
        }
        steps.extend(self.said(name, data, parsed)?);
        Ok(steps)
    }

    /// The stream ended in this line, before the data of an event came.
    pub(super) fn torn_line(&mut self, line: &[u8]) -> Result<Steps, NoAnswer> {
        let line = String::from_utf8_lossy(line);
        if self.over || line.strip_prefix("event:").is_some_and(|name| OVER.contains(&name.trim())) {
            return Ok(Vec::new());
        }
        Err(NoAnswer::Torn(format!("the stream broke off inside event {}{}", self.events + 1, cut(&line))))
    }

    /// Takes a line of an answer that is JSON line by line.
    pub(super) fn line(&mut self, number: usize, line: &[u8]) -> Result<Steps, NoAnswer> {
        let line = if number == 1 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        let text = String::from_utf8_lossy(line);
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let mut steps = self.lossy(matches!(text, std::borrow::Cow::Owned(_)));
        steps.extend(match serde_json::from_str::<Value>(&text) {
            Ok(value) => self.json_line(&value)?,
            Err(error) => {
                let words = format!("line {number} of the answer is not JSON: {error}{}", cut(&text));
                return Err(NoAnswer::Garbled(words));
            }
        });
        Ok(steps)
    }

    /// Takes a value of an answer that is JSON line by line.
    pub(super) fn json_line(&mut self, value: &Value) -> Result<Steps, NoAnswer> {
        match value {
            Value::String(text) => self.say(None, text),
            Value::Object(_) | Value::Array(_) => self.said(None, "", Some(value.clone())),
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                self.textless += 1;
                Ok(Vec::new())
            }
        }
    }

    /// Nothing more comes: what is left to say.
    pub(super) fn end(&mut self) -> Result<Steps, NoAnswer> {
        let (mut steps, mut lacks) = match (&mut self.known, &mut self.data_stream) {
            (Some(known), _) => {
                if self.shadow {
                    known.done();
                }
                known.end()
            }
            (None, Some(stream)) => stream.end(),
            (None, None) => (Vec::new(), None),
        };
        if self.shadow {
            steps.retain(|step| !matches!(step, Kind::Text(_)));
            lacks = None;
        }
        self.note_calls(&steps);
        let more = self.tools.flush(std::mem::take(&mut self.calls));
        self.called |= !more.is_empty();
        steps.extend(more);
        if self.beside.bytes() > TEXT_LIMIT {
            let words = format!("more than {} MiB came beside the answer, which checks do not see", TEXT_LIMIT >> 20);
            steps.extend(self.warn(&words));
        } else if let Some(data) = self.beside.take(&self.text) {
            let data: Arc<Value> = data.into();
            let message = "data beside the answer".to_owned();
            steps.push(Kind::Log { level: "data".into(), message, data: Some(Arc::clone(&data)) });
            steps.push(Kind::Beside(data));
        }
        if let Some(lacks) = lacks {
            steps.extend(self.breach(NoAnswer::Torn(format!("the stream ended before the answer did: {lacks}")))?);
        }
        Ok(steps)
    }

    /// What the answer comes to; nothing if it only told of calls.
    pub(super) fn finish(self) -> Result<Option<Value>, NoAnswer> {
        if let Some(value) = self.value {
            return Ok(Some(value));
        }
        if !self.text.trim().is_empty() {
            return Ok(Some(Value::String(self.text)));
        }
        if self.called {
            return Ok(None);
        }
        Err(NoAnswer::Empty(match (&self.manner.pointer, self.textless) {
            (_, 0) => "the agent's answer is empty".into(),
            (Some(pointer), _) => format!("the agent's answer has no text at `{pointer}`"),
            (None, _) => "the agent's answer has no text in any of the usual places".into(),
        }))
    }

    /// Takes what an event says.
    fn said(&mut self, name: Option<&str>, data: &str, parsed: Option<Value>) -> Result<Steps, NoAnswer> {
        if let (None, Some(event)) = (&self.known, &parsed) {
            self.known = Known::recognise(event);
            self.shadow = matches!(self.manner.events, TextEvents::Named(_));
            if self.known.is_none() {
                self.known = Known::resembles(event);
                self.shadow = true;
            }
        }
        let steps = if self.known.is_some() && !self.shadow {
            self.formatted(name, data, parsed)?
        } else {
            let mut steps = self.calls_of(parsed.as_ref())?;
            steps.extend(match self.manner.events {
                TextEvents::All => self.any(name, data, parsed)?,
                TextEvents::Usual | TextEvents::Named(_) => self.custom(name, data, parsed.as_ref())?,
            });
            steps
        };
        self.note_calls(&steps);
        Ok(steps)
    }

    /// Takes an event of a stream in which every event may be text.
    fn any(&mut self, name: Option<&str>, data: &str, parsed: Option<Value>) -> Result<Steps, NoAnswer> {
        match parsed {
            Some(value @ (Value::Object(_) | Value::Array(_))) => {
                let text = places::text(&value, self.manner.pointer.as_deref()).unwrap_or_default();
                let mut steps = self.aside(kinds::kind(name, Some(&value)), &value, &text);
                steps.extend(self.value(name, &value)?);
                Ok(steps)
            }
            Some(Value::String(text)) => self.say(name, &text),
            Some(Value::Null) => self.say(name, ""),
            // A number or a truth value is a word of a text that comes word by word.
            Some(_) | None if name.is_some_and(|name| OVER.contains(&name)) => self.say(name, ""),
            Some(_) | None => self.say(name, data),
        }
    }

    /// Takes a JSON value.
    pub(super) fn value(&mut self, name: Option<&str>, value: &Value) -> Result<Steps, NoAnswer> {
        let kind = value.get("type").and_then(Value::as_str);
        if kind == Some("error") {
            return Err(NoAnswer::Failed(places::words(value)));
        }
        if let Some(text) = places::text(value, self.manner.pointer.as_deref()) {
            return self.say(name.filter(|name| *name == "final" || OVER.contains(name)).or(kind), &text);
        }
        if value.get("error").is_some_and(|error| !matches!(error, Value::Null | Value::Bool(false))) {
            return Err(NoAnswer::Failed(places::words(value)));
        }
        self.textless += 1;
        self.say(name.filter(|name| OVER.contains(name)).or(kind), "")
    }

    /// Takes a text of an event of this kind.
    pub(super) fn say(&mut self, kind: Option<&str>, text: &str) -> Result<Steps, NoAnswer> {
        let said = !self.text.is_empty();
        if kind.is_some_and(|kind| OVER.contains(&kind)) {
            self.over = true;
            // What it repeats was said already.
            if said {
                return Ok(Vec::new());
            }
        }
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let mut steps = Vec::new();
        let mut more = text;
        if kind == Some("final") && said {
            if let Some(rest) = text.strip_prefix(self.text.as_str()) {
                more = rest;
            } else {
                steps.push(Kind::TextTakenBack);
                self.text.clear();
            }
        }
        if self.text.len() + more.len() > TEXT_LIMIT {
            let words = format!("the answer has more than {} MiB of text", TEXT_LIMIT >> 20);
            return Err(NoAnswer::Garbled(words));
        }
        self.text.push_str(more);
        if !more.is_empty() {
            steps.push(Kind::Text(more.to_owned()));
        }
        Ok(steps)
    }

    /// Looks at a last event that lacks the blank line after it. One whose data is complete is taken: many servers that are
    /// written by hand end like this, though a browser would pass it over.
    fn unfinished(&mut self, frame: &Frame, is_json: bool) -> Result<Option<Kind>, NoAnswer> {
        let ends = frame.event.as_deref().is_some_and(|name| OVER.contains(&name));
        let begins_as_json = frame.data.trim_start().starts_with(['{', '[', '"']);
        let torn = !is_json && !ends && self.plain == 0 && (self.json > 0 || begins_as_json);
        let words = |what| format!("the stream {what} event {}{}", self.events, cut(&frame.data));
        if torn {
            return Err(NoAnswer::Torn(words("broke off inside")));
        }
        if !is_json && !ends && frame.torn {
            return self.breach(NoAnswer::Torn(words("ended before the end of the line of")));
        }
        Ok(self.warn("the stream ended without the blank line after its last event"))
    }

    pub(super) fn lossy(&mut self, lossy: bool) -> Steps {
        lossy.then(|| self.warn(NOT_UTF8)).flatten().into_iter().collect()
    }

    /// What is wrong with an answer that can be read all the same, where the target lets that pass.
    pub(super) fn breach(&mut self, breach: NoAnswer) -> Result<Option<Kind>, NoAnswer> {
        match (self.manner.protocol, breach) {
            (Strictness::Warn | Strictness::Off, NoAnswer::Torn(words) | NoAnswer::Mislabelled(words)) => {
                Ok(self.warn(&words))
            }
            (_, breach) => Err(breach),
        }
    }

    /// A warning, once.
    pub(super) fn warn(&mut self, words: &str) -> Option<Kind> {
        let words = words.replace('\n', "; ");
        if self.manner.protocol == Strictness::Off || !self.warned.insert(words.clone()) {
            return None;
        }
        Some(Kind::Violation(words))
    }
}

/// Whether an `error` is one.
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
