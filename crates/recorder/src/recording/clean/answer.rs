//! Parses the body of an answer according to its format.

use serde_json::Value;

use crate::{AnswerFrame, RecordedResponse};

/// The parsed body of an answer.
pub(super) struct ReadBody {
    pub(super) form: BodyForm,
    /// Its JSON values, in order; empty for any other format.
    pub(super) values: Vec<Value>,
    /// For each value, the frame with the event, or the frame in which the line ends.
    pub(super) frames: Vec<usize>,
}

/// The format of the body of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyForm {
    /// Server-sent events: the data of each frame, if it has any.
    Events,
    /// Lines of JSON.
    Lines,
    /// One JSON value.
    Json,
    /// The items of a list that Gemini streams.
    List,
    /// Text, or anything else.
    Raw,
}

impl BodyForm {
    fn of(self, values: Vec<Value>) -> ReadBody {
        ReadBody { form: self, values, frames: Vec::new() }
    }
}

/// The JSON values of an answer, in order; empty for any other format.
pub(crate) fn values_of(response: &RecordedResponse) -> Vec<Value> {
    read(response).values
}

/// Parses the body of an answer.
pub(super) fn read(response: &RecordedResponse) -> ReadBody {
    if response.is_event_stream() {
        let data = response.frames.iter().enumerate().filter_map(|(index, frame)| Some((event(frame)?, index)));
        let (values, frames) = data.unzip();
        return ReadBody { form: BodyForm::Events, values, frames };
    }
    let whole = response.whole();
    match serde_json::from_slice(&whole) {
        Ok(Value::Array(items)) if items.iter().any(|item| item.get("candidates").is_some()) => {
            BodyForm::List.of(items)
        }
        Ok(value) => BodyForm::Json.of(vec![value]),
        Err(_) => lines(response, &whole).unwrap_or_else(|| BodyForm::Raw.of(Vec::new())),
    }
}

/// The data of a server-sent event: JSON, or a string.
fn event(frame: &AnswerFrame) -> Option<Value> {
    let data = data_of(std::str::from_utf8(&frame.bytes).ok()?)?;
    Some(serde_json::from_str(&data).unwrap_or(Value::String(data)))
}

/// The data of a server-sent event as written; `None` if it has none.
pub(super) fn data_of(event: &str) -> Option<String> {
    let lines: Vec<&str> = event.lines().filter_map(data).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
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
    Some(ReadBody { form: BodyForm::Lines, values, frames })
}
