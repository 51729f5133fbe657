//! From a recording to its text.

use std::collections::HashMap;
use std::path::Path;

use agentci_trace::Redactor;
use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::clean::{cleaned, leftover};
use super::content::{Files, write_body, write_bytes};
use super::fields::write_pairs;
use super::patch::patch_between;
use super::{End, Exchange, Header, How, LearnedHole, Recording, Request};

/// A recording as it is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// One JSON line a fact.
    pub text: String,
    /// Large bodies, which stand in files of their own: name and content.
    pub files: Vec<(String, Bytes)>,
}

/// A secret that is still in a recording after it was cleaned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a known secret is still in line {line} of the recording after it was cleaned, so it is not written; \
     `redact` or another key helps"
)]
pub struct SecretLeft {
    /// The line in which it stands, from 1; the line of a file for a large body.
    pub line: usize,
}

impl Recording {
    /// The text of a recording, without its secrets: those that are given, and those that the recording shows to be some.
    pub fn write(&self, secrets: &Redactor) -> Result<Written, SecretLeft> {
        let mut secrets = secrets.clone();
        let clean = cleaned(self, &mut secrets);
        let mut written = Written::default();
        push(&mut written.text, header(&clean.header));
        let mut earlier = Earlier::default();
        for exchange in &clean.exchanges {
            write_exchange(exchange, &earlier, &mut written);
            earlier.take(exchange);
        }
        for hole in &clean.holes {
            push(&mut written.text, write_hole(hole));
        }
        if let Some(exit) = &clean.exit {
            push(&mut written.text, json!({"type": "exit", "at_us": exit.at_us, "code": exit.code}));
        }
        let files = written.files.iter().map(|(_, content)| String::from_utf8_lossy(content));
        match leftover(&written.text, &secrets).or_else(|| files.into_iter().find_map(|file| leftover(&file, &secrets)))
        {
            Some(line) => Err(SecretLeft { line }),
            None => Ok(written),
        }
    }
}

fn push(text: &mut String, line: Value) {
    text.push_str(&line.to_string());
    text.push('\n');
    drop(line);
}

fn header(header: &Header) -> Value {
    let path = |path: &Path| Value::from(path.to_string_lossy());
    let mut roots = Map::new();
    roots.insert("cwd".into(), path(&header.roots.cwd));
    for (name, root) in [("home", &header.roots.home), ("tmp", &header.roots.tmp)] {
        if let Some(root) = root {
            roots.insert(name.into(), path(root));
        }
    }
    let mut line = json!({"v": 2, "type": "recording", "command": header.command, "now_ms": header.now_ms});
    if let Some(zone) = &header.zone {
        line["zone"] = zone.clone().into();
    }
    if header.offset_s != 0 {
        line["offset_s"] = header.offset_s.into();
    }
    line["roots"] = roots.into();
    line["keys"] = header.keys.clone().into();
    if !header.absent.is_empty() {
        line["absent"] = header.absent.clone().into();
    }
    line
}

fn write_exchange(exchange: &Exchange, earlier: &Earlier<'_>, written: &mut Written) {
    let line = write_request(exchange, earlier, &mut written.files);
    push(&mut written.text, line);
    let id = exchange.id;
    if let Some(response) = &exchange.response {
        let mut line = json!({"type": "response", "id": id, "at_us": response.at_us, "status": response.status});
        if !response.headers.is_empty() {
            line["headers"] = write_pairs(&response.headers);
        }
        push(&mut written.text, line);
        for frame in &response.frames {
            let mut fields = fields(json!({"type": "frame", "id": id, "at_us": frame.at_us}));
            write_bytes(&frame.bytes, &mut fields, &mut written.files);
            push(&mut written.text, fields.into());
        }
    }
    push(&mut written.text, write_end(id, &exchange.end));
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn write_request(exchange: &Exchange, earlier: &Earlier<'_>, files: &mut Files) -> Value {
    let request = &exchange.request;
    let mut line = fields(json!({"type": "request", "id": exchange.id, "at_us": request.at_us}));
    let mut add = |name: &str, value: Value| line.insert(name.into(), value);
    if let Some(after) = exchange.after {
        add("after", after.into());
    }
    if exchange.chatter {
        add("chatter", true.into());
    }
    if let Some(by) = &request.by {
        add("by", by.clone().into());
    }
    add("to", request.origin.clone().into());
    add("method", request.method.clone().into());
    add("path", request.path.clone().into());
    if let Some(api) = request.speaks {
        add("speaks", api.name().into());
    }
    if !request.headers.is_empty() {
        add("headers", write_pairs(&request.headers));
    }
    match likeness(exchange, earlier) {
        Some((id, patch)) => {
            add("like", id.into());
            add("patch", patch);
        }
        None => write_body(&request.body, &mut line, files),
    }
    line.into()
}

/// The earlier exchange that a body is much like, and what makes this body of that one: the one that it continues, or the last
/// one at the same place.
fn likeness(exchange: &Exchange, earlier: &Earlier<'_>) -> Option<(u64, Value)> {
    let body = exchange.request.body.as_json()?;
    let continued = exchange.after.and_then(|after| earlier.by_id.get(&after));
    let last = earlier.by_place.get(&place(&exchange.request));
    let mut candidates: Vec<&Exchange> = continued.into_iter().chain(last).copied().collect();
    candidates.dedup_by_key(|other| other.id);
    let text = body.to_string();
    candidates.into_iter().find_map(|other| {
        let base = other.request.body.as_json()?;
        Some((other.id, patch_between(base, body, &text)?))
    })
}

/// Exchanges that are written, so that the one that another is like is found at once.
#[derive(Default)]
struct Earlier<'r> {
    by_id: HashMap<u64, &'r Exchange>,
    /// The last one of each place, chatter aside.
    by_place: HashMap<Place<'r>, &'r Exchange>,
}

/// Origin, method and path.
type Place<'r> = (&'r str, &'r str, &'r str);

impl<'r> Earlier<'r> {
    fn take(&mut self, exchange: &'r Exchange) {
        self.by_id.insert(exchange.id, exchange);
        if !exchange.chatter {
            self.by_place.insert(place(&exchange.request), exchange);
        }
    }
}

fn place(request: &Request) -> Place<'_> {
    (&request.origin, &request.method, &request.path)
}

fn write_end(id: u64, end: &End) -> Value {
    let (how, message) = match &end.how {
        How::Closed => ("closed", None),
        How::Left => ("left", None),
        How::Broken(message) => ("broken", Some(message)),
        How::Unreachable(message) => ("unreachable", Some(message)),
        How::TooLarge => ("too_large", None),
    };
    let mut line = json!({"type": "end", "id": id, "at_us": end.at_us, "how": how});
    if let Some(message) = message {
        line["message"] = message.clone().into();
    }
    line
}

fn write_hole(hole: &LearnedHole) -> Value {
    let mut line = json!({"type": "hole"});
    if let Some(api) = hole.speaks {
        line["speaks"] = api.name().into();
    }
    line["at"] = hole.at.clone().into();
    line["from"] = hole.from.clone().into();
    line
}
