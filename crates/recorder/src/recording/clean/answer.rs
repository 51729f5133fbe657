//! The body of an answer, read as what it is.

use serde_json::Value;

use crate::{AnswerFrame, RecordedResponse};

/// The body of an answer, read as what it is.
pub(super) enum ReadBody {
    /// Server-sent events: the data of each frame, where it has some.
    Events(Vec<Value>, Vec<usize>),
    /// Lines of JSON, each with the frame in which it ends.
    Lines(Vec<Value>, Vec<usize>),
    /// One JSON value, or the items of a list that Gemini streams.
    Json(Vec<Value>, bool),
    /// Text, or anything else.
    Raw,
}

/// The JSON values of an answer, in order; none of one that is something else.
pub(crate) fn values_of(response: &RecordedResponse) -> Vec<Value> {
    match read(response) {
        ReadBody::Events(values, _) | ReadBody::Lines(values, _) | ReadBody::Json(values, _) => values,
        ReadBody::Raw => Vec::new(),
    }
}

/// Whether an answer says that it is a stream of server-sent events.
pub(crate) fn is_event_stream(response: &RecordedResponse) -> bool {
    let mut types = response.headers.iter().filter(|(name, _)| name == "content-type");
    types.any(|(_, value)| value.trim_start().to_ascii_lowercase().starts_with("text/event-stream"))
}

/// Reads the body of an answer.
pub(super) fn read(response: &RecordedResponse) -> ReadBody {
    if is_event_stream(response) {
        let data = response.frames.iter().enumerate().filter_map(|(index, frame)| Some((event(frame)?, index)));
        let (events, frames) = data.unzip();
        return ReadBody::Events(events, frames);
    }
    let whole = response.whole();
    match serde_json::from_slice(&whole) {
        Ok(Value::Array(items)) if items.iter().any(|item| item.get("candidates").is_some()) => {
            ReadBody::Json(items, true)
        }
        Ok(value) => ReadBody::Json(vec![value], false),
        Err(_) => lines(response, &whole).unwrap_or(ReadBody::Raw),
    }
}

/// The data of a server-sent event: JSON, or a text.
fn event(frame: &AnswerFrame) -> Option<Value> {
    let text = std::str::from_utf8(&frame.bytes).ok()?;
    let data: Vec<&str> = text.lines().filter_map(data).collect();
    if data.is_empty() {
        return None;
    }
    let data = data.join("\n");
    Some(serde_json::from_str(&data).unwrap_or(Value::String(data)))
}

pub(super) fn data(line: &str) -> Option<&str> {
    let data = line.trim_start_matches('\u{feff}').strip_prefix("data:")?;
    Some(data.strip_prefix(' ').unwrap_or(data))
}

fn lines(response: &RecordedResponse, whole: &[u8]) -> Option<ReadBody> {
    let (mut values, mut frames) = (Vec::new(), Vec::new());
    let (mut frame, mut end) = (0, response.frames.first()?.bytes.len());
    let mut at = 0;
    for line in whole.split_inclusive(|byte| *byte == b'\n') {
        at += line.len();
        while end < at && frame + 1 < response.frames.len() {
            frame += 1;
            end += response.frames.get(frame).map_or(0, |frame| frame.bytes.len());
        }
        if !line.trim_ascii().is_empty() {
            values.push(serde_json::from_slice(line).ok()?);
            frames.push(frame);
        }
    }
    Some(ReadBody::Lines(values, frames))
}
