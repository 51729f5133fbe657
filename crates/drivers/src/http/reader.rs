//! From an answer to its text.

use agentci_trace::Kind;
use serde_json::Value;

use super::places;
use super::refusal::cut;

/// The most bytes of text that are collected.
const TEXT_LIMIT: usize = 16 << 20;
/// Events that only keep the connection open.
const ALIVE: [&str; 4] = ["ping", "heartbeat", "keepalive", "keep-alive"];
/// Events after which nothing comes.
const OVER: [&str; 3] = ["done", "end", "complete"];

/// Reads an answer that comes in events, lines, or whole.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Where the text is; the usual places when absent.
    pointer: Option<String>,
    text: String,
    /// A whole answer that has no text.
    value: Option<Value>,
    /// How many JSON values came without a text.
    textless: usize,
    over: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The agent says that it failed.
    Failed(String),
    /// It is not what was announced.
    Garbled(String),
    /// It says nothing.
    Empty(String),
}

type Steps = Vec<Kind>;

impl Reader {
    pub(super) fn new(pointer: Option<String>) -> Self {
        Self { pointer, ..Self::default() }
    }

    /// Whether everything was said, though more may come.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Takes an event: its name, if it has one, and its data.
    pub(super) fn event(&mut self, name: Option<&str>, data: &str) -> Result<Steps, NoAnswer> {
        if name.is_some_and(|name| ALIVE.contains(&name)) {
            return Ok(Vec::new());
        }
        if data.trim() == "[DONE]" {
            self.over = true;
            return Ok(Vec::new());
        }
        let parsed = serde_json::from_str::<Value>(data);
        if name == Some("error") {
            let words = parsed.map_or_else(|_| data.trim().to_owned(), |value| places::words(&value));
            return Err(NoAnswer::Failed(words));
        }
        match parsed {
            Ok(Value::Object(map)) => self.value(name, &Value::Object(map)),
            Ok(value @ Value::Array(_)) => self.value(name, &value),
            Ok(Value::String(text)) => self.say(name, &text),
            Ok(Value::Null) => self.say(name, ""),
            // A number or a truth value is a word of a text that comes word by word.
            Ok(_) | Err(_) if name.is_some_and(|name| OVER.contains(&name)) => self.say(name, ""),
            Ok(_) | Err(_) => self.say(name, data),
        }
    }

    /// Takes a line of an answer that is JSON line by line.
    pub(super) fn line(&mut self, number: usize, line: &[u8]) -> Result<Steps, NoAnswer> {
        let line = if number == 1 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        let text = String::from_utf8_lossy(line);
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        match serde_json::from_str::<Value>(&text) {
            Ok(Value::String(text)) => self.say(None, &text),
            Ok(value) => self.value(None, &value),
            Err(error) => {
                Err(NoAnswer::Garbled(format!("line {number} of the answer is not JSON: {error}{}", cut(&text))))
            }
        }
    }

    /// Takes a whole answer. Whatever it calls itself, what reads as an object or a list is JSON.
    pub(super) fn whole(&mut self, body: &[u8]) -> Result<Steps, NoAnswer> {
        let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
        let text = String::from_utf8_lossy(body);
        let value = match serde_json::from_str::<Value>(&text) {
            Ok(Value::String(text)) => return self.say(None, &text),
            Ok(value @ (Value::Object(_) | Value::Array(_))) => value,
            Ok(_) | Err(_) => return self.say(None, &text),
        };
        let steps = self.value(None, &value)?;
        let nothing =
            value.as_object().is_some_and(serde_json::Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
        if self.text.is_empty() && self.pointer.is_none() && self.textless > 0 && !nothing {
            self.value = Some(value);
        }
        Ok(steps)
    }

    /// What the answer comes to.
    pub(super) fn finish(self) -> Result<Value, NoAnswer> {
        if let Some(value) = self.value {
            return Ok(value);
        }
        if !self.text.trim().is_empty() {
            return Ok(Value::String(self.text));
        }
        Err(NoAnswer::Empty(match (&self.pointer, self.textless) {
            (_, 0) => "the agent's answer is empty".into(),
            (Some(pointer), _) => format!("the agent's answer has no text at `{pointer}`"),
            (None, _) => "the agent's answer has no text in any of the usual places".into(),
        }))
    }

    /// Takes a JSON value.
    fn value(&mut self, name: Option<&str>, value: &Value) -> Result<Steps, NoAnswer> {
        let kind = value.get("type").and_then(Value::as_str);
        if kind == Some("error") {
            return Err(NoAnswer::Failed(places::words(value)));
        }
        if let Some(text) = places::text(value, self.pointer.as_deref()) {
            return self.say(name.filter(|name| *name == "final" || OVER.contains(name)).or(kind), &text);
        }
        if value.get("error").is_some_and(|error| !matches!(error, Value::Null | Value::Bool(false))) {
            return Err(NoAnswer::Failed(places::words(value)));
        }
        self.textless += 1;
        self.say(name.filter(|name| OVER.contains(name)).or(kind), "")
    }

    /// Takes a text of an event of this kind.
    fn say(&mut self, kind: Option<&str>, text: &str) -> Result<Steps, NoAnswer> {
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
}
