//! Replaces the content of recorded answers.

use agentci_text::excerpt;
use bytes::Bytes;
use serde_json::Value;

use crate::compression::unpacked;
use crate::proxy::in_streams;
use crate::{AnswerFrame, Exchange, RecordedBody, RecordedResponse, Recording};

/// How many names are listed if one is missing.
const MOST_NAMES: usize = 12;
/// Maximum number of characters shown of a name.
const SHOWN: usize = 40;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SetAnswerError {
    NoAnswer,
    Stream,
    NotJson,
    /// The pointer does not exist: the longest prefix that does, and the names at that place.
    Missing {
        before: String,
        names: Vec<String>,
    },
}

/// Sets the result of a call, or the value at a pointer into it. The result is the `result` field of a JSON-RPC answer,
/// and the whole body of any other answer.
pub(super) fn set(recording: &mut Recording, call: u64, pointer: &str, value: &Value) -> Result<(), SetAnswerError> {
    let in_stream = in_streams(recording.exchanges.iter()).remove(&call);
    let holder = in_stream.map_or(call, |place| place.stream);
    let exchange =
        recording.exchanges.iter_mut().find(|exchange| exchange.id == holder).ok_or(SetAnswerError::NoAnswer)?;
    let Some(place) = in_stream else { return set_in_answer(exchange, pointer, value) };
    let frame = exchange.response.as_mut().and_then(|response| response.frames.get_mut(place.event));
    set_in_frame(frame.ok_or(SetAnswerError::NoAnswer)?, pointer, value)
}

fn set_in_answer(exchange: &mut Exchange, pointer: &str, value: &Value) -> Result<(), SetAnswerError> {
    let is_rpc = is_rpc(&exchange.request.body);
    let response = exchange.response.as_mut().ok_or(SetAnswerError::NoAnswer)?;
    if response.is_event_stream() {
        return if is_rpc { set_in_event(response, pointer, value) } else { Err(SetAnswerError::Stream) };
    }
    let body: Option<Value> = serde_json::from_slice(&body_of(response)).ok();
    let changed = match body {
        Some(message) if is_rpc && is_answer(&message) => with_result(message, pointer, value)?.to_string(),
        Some(mut body) => {
            *at(&mut body, pointer)? = value.clone();
            body.to_string()
        }
        None if !pointer.is_empty() => return Err(SetAnswerError::NotJson),
        None => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    };
    replace(response, changed);
    Ok(())
}

/// Replaces the body of an answer. It arrives when the last piece of the recorded body arrived.
pub(super) fn replace(response: &mut RecordedResponse, body: String) {
    let at_us = response.frames.last().map_or(response.at_us, |frame| frame.at_us);
    response.frames = vec![AnswerFrame { at_us, bytes: body.into() }];
    response.headers.retain(|(name, _)| name != "content-encoding");
}

fn is_rpc(body: &RecordedBody) -> bool {
    body.as_json().is_some_and(|body| body.get("jsonrpc").is_some() && body.get("method").is_some())
}

fn is_answer(message: &Value) -> bool {
    message.get("jsonrpc").is_some() && (message.get("result").is_some() || message.get("error").is_some())
}

fn body_of(response: &RecordedResponse) -> Vec<u8> {
    let whole = response.whole();
    let encoding = response.header("content-encoding");
    encoding.and_then(|encoding| unpacked(encoding, &whole)).unwrap_or(whole)
}

/// A JSON-RPC answer with another result. An error becomes a result.
fn with_result(mut message: Value, pointer: &str, value: &Value) -> Result<Value, SetAnswerError> {
    if pointer.is_empty() {
        if let Some(fields) = message.as_object_mut() {
            fields.remove("error");
            fields.insert("result".into(), value.clone());
        }
        return Ok(message);
    }
    let missing = || SetAnswerError::Missing { before: String::new(), names: Vec::new() };
    *at(message.get_mut("result").ok_or_else(missing)?, pointer)? = value.clone();
    Ok(message)
}

/// Changes the event that contains the answer, as MCP servers send it.
fn set_in_event(response: &mut RecordedResponse, pointer: &str, value: &Value) -> Result<(), SetAnswerError> {
    let answer = |frame: &AnswerFrame| text_of(frame)?.lines().find_map(answer_in);
    let frame = response.frames.iter_mut().find(|frame| answer(frame).is_some());
    set_in_frame(frame.ok_or(SetAnswerError::NotJson)?, pointer, value)
}

/// Changes the answer in an event.
fn set_in_frame(frame: &mut AnswerFrame, pointer: &str, value: &Value) -> Result<(), SetAnswerError> {
    let text = text_of(frame).ok_or(SetAnswerError::NotJson)?;
    let answer = text.lines().find_map(answer_in).ok_or(SetAnswerError::NotJson)?;
    let changed = with_result(answer, pointer, value)?;
    let line = |line: &str| match answer_in(line) {
        Some(_) => format!("data: {changed}{}", &line[line.trim_end_matches(['\r', '\n']).len()..]),
        None => line.to_owned(),
    };
    frame.bytes = Bytes::from(text.split_inclusive('\n').map(line).collect::<String>());
    Ok(())
}

fn text_of(frame: &AnswerFrame) -> Option<&str> {
    std::str::from_utf8(&frame.bytes).ok()
}

/// The JSON-RPC answer in a line of an event.
fn answer_in(line: &str) -> Option<Value> {
    let data = line.strip_prefix("data:")?;
    serde_json::from_str(data.trim()).ok().filter(is_answer)
}

/// The value at a pointer, or the error with the longest prefix that exists.
fn at<'v>(value: &'v mut Value, pointer: &str) -> Result<&'v mut Value, SetAnswerError> {
    if value.pointer(pointer).is_none() {
        let beginnings = pointer.match_indices('/').map(|(at, _)| &pointer[..at]);
        let whole = &*value;
        let found = beginnings.rev().find_map(|before| Some((before, whole.pointer(before)?)));
        let (before, holder) = found.unwrap_or(("", whole));
        return Err(SetAnswerError::Missing { before: before.to_owned(), names: names(holder) });
    }
    value.pointer_mut(pointer).ok_or(SetAnswerError::NotJson)
}

fn names(value: &Value) -> Vec<String> {
    let shown = |name: &String| format!("`{}`", excerpt(name, SHOWN));
    match value {
        Value::Object(fields) => fields.keys().take(MOST_NAMES).map(shown).collect(),
        Value::Array(items) if items.is_empty() => vec!["no items".into()],
        Value::Array(items) => vec![format!("items 0 to {}", items.len() - 1)],
        _ => Vec::new(),
    }
}
