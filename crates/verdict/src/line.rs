//! Reads and writes run events as lines of `run.jsonl`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Body, RunEvent};

/// The version of the file format.
pub const VERSION: u64 = 1;

/// Why a stored event could not be read.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// The line is not JSON, or a field is invalid.
    #[error("not a run event: {0}")]
    Json(#[from] serde_json::Error),
    /// An unknown version of the format.
    #[error("unknown version {0}, this build reads version {VERSION}")]
    Version(Value),
    /// An event type that this build does not support.
    #[error("unknown event type `{0}`")]
    UnknownType(String),
}

/// Where a file has the line of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePlace {
    /// The offset of its first byte.
    pub at: u64,
    /// Its length in bytes, without the line end.
    pub length: u32,
}

impl RunEvent {
    /// The event as one line of JSON, without the line end.
    pub fn to_line(&self) -> Result<String, EventError> {
        Ok(serde_json::to_string(&self.line())?)
    }

    /// Appends the event as one line of JSON, without the line end.
    pub fn write_line(&self, into: &mut Vec<u8>) -> Result<(), EventError> {
        Ok(serde_json::to_writer(into, &self.line())?)
    }

    fn line(&self) -> EventLine<'_> {
        let Self { suite, case_id, attempt, timestamp, body } = self;
        let case_id = case_id.as_deref();
        EventLine { v: VERSION, r#type: body.name(), suite, case_id, attempt: *attempt, timestamp: *timestamp, body }
    }

    /// Reads a line that [`RunEvent::to_line`] wrote.
    pub fn from_line(line: &str) -> Result<Self, EventError> {
        // The line is read twice, once for the envelope and once for the body, so that each value of the body is parsed
        // from the text and keeps its digits.
        let envelope: StoredEnvelope = serde_json::from_str(line)?;
        if envelope.v.as_u64() != Some(VERSION) {
            return Err(EventError::Version(envelope.v));
        }
        let mut body = Body::from_json(&envelope.r#type, line)?;
        let StoredEnvelope { suite, case_id, attempt, timestamp, .. } = envelope;
        if let (Body::CaseEnd(end), Some(case_id)) = (&mut body, &case_id) {
            Arc::make_mut(end).id = Arc::clone(case_id);
        }
        Ok(Self { suite, case_id, attempt, timestamp, body })
    }
}

#[derive(Serialize)]
struct EventLine<'e> {
    v: u64,
    r#type: &'static str,
    suite: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    case_id: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    timestamp: u64,
    #[serde(flatten)]
    body: &'e Body,
}

#[derive(Deserialize)]
struct StoredEnvelope {
    #[serde(default)]
    v: Value,
    r#type: String,
    suite: Arc<str>,
    case_id: Option<Arc<str>>,
    attempt: Option<u32>,
    timestamp: u64,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::RunEnd;

    #[test]
    fn names_are_json_escaped() {
        for name in ["plain", "größe 🦀", "a\"b", "a\\b", "a\nb\u{1}", ""] {
            let event = RunEvent {
                suite: name.into(),
                case_id: Some(name.into()),
                attempt: Some(3),
                timestamp: 7,
                body: Body::RunEnd(RunEnd::default()),
            };
            let line = event.to_line().unwrap();
            let start =
                json!({ "v": 1, "type": "run_end", "suite": name, "case_id": name, "attempt": 3, "timestamp": 7 });
            let start = start.to_string();
            assert!(line.starts_with(&start[..start.len() - 1]), "{line}");
            assert_eq!(RunEvent::from_line(&line).unwrap(), event);
        }
    }
}
