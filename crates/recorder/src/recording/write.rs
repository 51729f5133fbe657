//! Writes the text of a recording.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use agentci_trace::Redactor;
use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::clean::{cleaned, leftover};
use super::content::{RecordingFiles, write_body, write_bytes};
use super::fields::{write_pairs_if_any, written as line};
use super::patch::patch_between;
use super::{EndKind, Exchange, Header, Recording, Roots};
use crate::ProviderApi;

/// A recording in its stored form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredRecording {
    /// One JSON line per event.
    pub text: String,
    /// Large bodies, which are in separate files: name and content.
    pub files: Vec<(String, Bytes)>,
}

/// A secret that is still in a recording after redaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a known secret is still in line {line} of the recording after redaction, so it is not written; \
     add it to `redact`, or use another key"
)]
pub struct SecretLeftError {
    /// The line that contains it, from 1; for a large body, the line of its file.
    pub line: usize,
}

impl Recording {
    /// The text of a recording without its secrets: the given ones, and those found in the recording.
    pub fn write(&self, secrets: &Redactor) -> Result<StoredRecording, SecretLeftError> {
        let mut secrets = secrets.clone();
        let clean = cleaned(self, &mut secrets);
        let mut written = StoredRecording::default();
        push(&mut written.text, write_header(&clean.header));
        let mut last = LastAtPlace::new();
        for exchange in &clean.exchanges {
            let request = &exchange.request;
            let place = (request.origin.as_str(), request.method.as_str(), request.path.as_str());
            let continued = exchange.after.and_then(|after| clean.exchange(after));
            let before = last.get(&place).copied().filter(|before| Some(before.id) != exchange.after);
            write_exchange(exchange, continued.into_iter().chain(before), &mut written);
            if !exchange.chatter {
                last.insert(place, exchange);
            }
        }
        for hole in &clean.holes {
            let api = hole.speaks.map(ProviderApi::name);
            push(&mut written.text, line(json!({"type": "hole", "speaks": api, "at": hole.at, "from": hole.from})));
        }
        if let Some(exit) = &clean.exit {
            let _ = writeln!(written.text, "{}", json!({"type": "exit", "at_us": exit.at_us, "code": exit.code}));
        }
        let files = written.files.iter().map(|(_, content)| String::from_utf8_lossy(content));
        match leftover(&written.text, &secrets).or_else(|| files.into_iter().find_map(|file| leftover(&file, &secrets)))
        {
            Some(line) => Err(SecretLeftError { line }),
            None => Ok(written),
        }
    }
}

fn push(text: &mut String, fields: Map<String, Value>) {
    let _ = writeln!(text, "{}", Value::Object(fields));
}

fn write_header(header: &Header) -> Map<String, Value> {
    let path = |path: &PathBuf| path.to_string_lossy().into_owned();
    let Roots { cwd, home, tmp } = &header.roots;
    let roots = json!({"cwd": path(cwd), "home": home.as_ref().map(path), "tmp": tmp.as_ref().map(path)});
    line(json!({
        "v": 2,
        "type": "recording",
        "command": header.command,
        "now_ms": header.now_ms,
        "zone": header.zone,
        "offset_s": Some(header.offset_s).filter(|offset| *offset != 0),
        "roots": line(roots),
        "keys": header.keys,
        "absent": Some(&header.absent).filter(|absent| !absent.is_empty()),
    }))
}

/// The last exchange, without chatter, of each origin, method and path.
type LastAtPlace<'r> = HashMap<(&'r str, &'r str, &'r str), &'r Exchange>;

/// Writes an exchange. Its body may be similar to that of one of the earlier candidates.
fn write_exchange<'r>(
    exchange: &Exchange,
    candidates: impl Iterator<Item = &'r Exchange>,
    written: &mut StoredRecording,
) {
    let request = write_request(exchange, candidates, &mut written.files);
    push(&mut written.text, request);
    let id = exchange.id;
    if let Some(response) = &exchange.response {
        let (at_us, headers) = (response.at_us, write_pairs_if_any(&response.headers));
        let head = json!({"type": "response", "id": id, "at_us": at_us, "status": response.status, "headers": headers});
        push(&mut written.text, line(head));
        for frame in &response.frames {
            let mut fields = line(json!({"type": "frame", "id": id, "at_us": frame.at_us}));
            write_bytes(&frame.bytes, &mut fields, &mut written.files);
            push(&mut written.text, fields);
        }
    }
    let (how, message) = match &exchange.end.how {
        EndKind::Closed => ("closed", None),
        EndKind::Left => ("left", None),
        EndKind::Broken(message) => ("broken", Some(message)),
        EndKind::Unreachable(message) => ("unreachable", Some(message)),
        EndKind::TooLarge => ("too_large", None),
    };
    let end = json!({"type": "end", "id": id, "at_us": exchange.end.at_us, "how": how, "message": message});
    push(&mut written.text, line(end));
}

fn write_request<'r>(
    exchange: &Exchange,
    mut candidates: impl Iterator<Item = &'r Exchange>,
    files: &mut RecordingFiles,
) -> Map<String, Value> {
    let request = &exchange.request;
    let mut fields = line(json!({
        "type": "request",
        "id": exchange.id,
        "at_us": request.at_us,
        "after": exchange.after,
        "chatter": exchange.chatter.then_some(true),
        "by": request.by,
        "to": request.origin,
        "method": request.method,
        "path": request.path,
        "speaks": request.speaks.map(ProviderApi::name),
        "headers": write_pairs_if_any(&request.headers),
    }));
    let body = request.body.as_json().map(|body| (body, body.to_string()));
    let likeness = body.and_then(|(body, text)| {
        candidates.find_map(|other| Some((other.id, patch_between(other.request.body.as_json()?, body, &text)?)))
    });
    match likeness {
        Some((id, patch)) => {
            fields.insert("like".into(), id.into());
            fields.insert("patch".into(), patch);
        }
        None => write_body(&request.body, &mut fields, files),
    }
    fields
}
