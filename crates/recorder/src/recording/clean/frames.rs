//! Removes the secrets from the body of an answer.

use agentci_trace::Redactor;
use bytes::Bytes;
use serde_json::Value;

use super::answer::{BodyForm, ReadBody, data, data_of, read};
use super::{events, texts};
use crate::{AnswerFrame, RecordedResponse};

/// Removes the secrets from the body of an answer.
pub(super) fn scrub(response: &mut RecordedResponse, redactor: &Redactor) {
    let ReadBody { form, values, frames } = read(response);
    let mut clean = values.clone();
    events::scrub(&mut clean, form != BodyForm::Json, redactor);
    let at_us = response.frames.last().map_or(response.at_us, |frame| frame.at_us);
    match form {
        BodyForm::Raw => scrub_raw(response, redactor),
        BodyForm::Events => scrub_events(response, &values, clean, &frames, redactor),
        _ if clean == values && redactor.known_places(&String::from_utf8_lossy(&response.whole())).is_empty() => {}
        BodyForm::Lines => {
            let old = std::mem::take(&mut response.frames);
            let line = |(value, frame): (&Value, &usize)| {
                let at_us = old.get(*frame).map_or(0, |frame| frame.at_us);
                AnswerFrame { at_us, bytes: format!("{value}\n").into() }
            };
            response.frames = clean.iter().zip(&frames).map(line).collect();
        }
        BodyForm::List => response.frames = vec![AnswerFrame { at_us, bytes: Value::Array(clean).to_string().into() }],
        BodyForm::Json => {
            let bytes = clean.pop().expect("the body is one JSON value").to_string().into();
            response.frames = vec![AnswerFrame { at_us, bytes }];
        }
    }
}

fn scrub_events(
    response: &mut RecordedResponse,
    values: &[Value],
    clean: Vec<Value>,
    frames: &[usize],
    redactor: &Redactor,
) {
    let mut events = frames.iter().zip(values.iter().zip(clean)).peekable();
    for (index, frame) in response.frames.iter_mut().enumerate() {
        let Some((_, (value, clean))) = events.next_if(|(at, _)| **at == index) else {
            texts::scrub_bytes(&mut frame.bytes, redactor);
            continue;
        };
        let text = String::from_utf8_lossy(&frame.bytes);
        // In comments and names, and in a value that JSON hides behind a duplicate key.
        let beside = !redactor.known_places(&text).is_empty();
        if beside || *value != clean {
            frame.bytes = rewritten(&text, &clean, redactor).into();
        }
    }
}

/// A server-sent event with other data.
fn rewritten(text: &str, clean: &Value, redactor: &Redactor) -> String {
    let said = match clean {
        // Text that is not JSON is written as it is.
        Value::String(words) if data_of(text).is_none_or(|data| serde_json::from_str::<Value>(&data).is_err()) => {
            words.clone()
        }
        value => value.to_string(),
    };
    let mut clean = String::with_capacity(text.len());
    let mut done = false;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\r', '\n']);
        let line_end = &line[content.len()..];
        if data(content).is_none() {
            clean.push_str(&redactor.text(content));
            clean.push_str(line_end);
        } else if !done {
            done = true;
            for part in said.split('\n') {
                clean.push_str("data: ");
                clean.push_str(part);
                clean.push_str(if line_end.is_empty() { "\n" } else { line_end });
            }
        }
    }
    clean
}

/// The pieces of a text may end anywhere, even within a character.
fn scrub_raw(response: &mut RecordedResponse, redactor: &Redactor) {
    let whole = response.whole();
    let Ok(text) = String::from_utf8(whole) else {
        for frame in &mut response.frames {
            texts::scrub_bytes(&mut frame.bytes, redactor);
        }
        return;
    };
    let (mut at, mut start) = (0, 0);
    let parts: Vec<_> = response
        .frames
        .iter()
        .map(|frame| {
            at += frame.bytes.len();
            let part = start..text.floor_char_boundary(at);
            start = part.end;
            part
        })
        .collect();
    let changed = texts::clean_parts(&text, &parts, redactor);
    if changed.is_empty() {
        return;
    }
    for (frame, part) in response.frames.iter_mut().zip(&parts) {
        frame.bytes = Bytes::copy_from_slice(text[part.clone()].as_bytes());
    }
    for (index, clean) in changed {
        if let Some(frame) = response.frames.get_mut(index) {
            frame.bytes = clean.into();
        }
    }
    // An empty piece would be read as the end of the answer.
    response.frames.retain(|frame| !frame.bytes.is_empty());
}
