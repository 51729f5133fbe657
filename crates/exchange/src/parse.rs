//! Parses a stored recording.

use std::time::Duration;

use agentci_text::json_error;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Map, Value};

use crate::{
    AgentExchange, AgentExchangeEnd, AgentRecording, AnswerHead, AnswerPiece, ConversationEnding, ExchangeError,
    HookOutput, HttpMethod, PieceKind,
};

/// Why a text is not a recording.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct AgentRecordingError {
    /// The line number, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl AgentRecording {
    /// Parses the stored form.
    pub fn parse(text: &str) -> Result<Self, AgentRecordingError> {
        if text.len() > Self::LARGEST {
            let message = format!("a recording may have at most {} bytes, this one has {}", Self::LARGEST, text.len());
            return Err(AgentRecordingError { line: 1, message });
        }
        let mut reading = LineParser::default();
        let mut last = 1;
        for (index, line) in text.lines().enumerate() {
            if !line.trim().is_empty() {
                last = index + 1;
                reading.take(line).map_err(|message| AgentRecordingError { line: last, message })?;
            }
        }
        reading.finish().map_err(|message| AgentRecordingError { line: last, message })
    }
}

#[derive(Default)]
struct LineParser {
    /// Whether the first line was read.
    begun: bool,
    recording: AgentRecording,
    /// The exchange whose end was not read yet.
    open: Option<AgentExchange>,
}

impl LineParser {
    fn take(&mut self, line: &str) -> Result<(), String> {
        let value = serde_json::from_str(line).map_err(|error| format!("this is not JSON: {}", json_error(&error)))?;
        let Value::Object(line) = value else { return Err("this is not a JSON object".into()) };
        let line = RecordingLine(line);
        let kind = line.text("type")?;
        if !self.begun {
            self.begun = true;
            self.recording.seed = begin(&line, kind)?;
            return Ok(());
        }
        match kind {
            "variables" => {
                let variables = line.object("variables")?.clone();
                let hook = usize::try_from(line.number("hook")?).map_err(|_| "`hook` is too large")?;
                self.recording.variables.push(HookOutput { hook, variables });
            }
            "request" => self.request(&line)?,
            "response" => {
                let head = head(&line)?;
                let open = self.open("response")?;
                if open.response.is_some() || !open.pieces.is_empty() {
                    return Err("a second `response` to the same request".into());
                }
                open.response = Some(head);
            }
            "frame" => self.piece(&line, PieceKind::Frame)?,
            "rest" => self.piece(&line, PieceKind::Rest)?,
            "line" => self.piece(&line, PieceKind::Line)?,
            "body" => self.piece(&line, PieceKind::Body)?,
            "end" => {
                let end = ConversationEnding { at_us: line.number("at_us")?, how: how(&line)? };
                let mut exchange = self.open.take().ok_or("an `end` without a request before it")?;
                if exchange.response.is_none() && end.how == AgentExchangeEnd::Closed {
                    return Err("an answer without a `response` cannot be closed".into());
                }
                exchange.end = end;
                self.recording.exchanges.push(exchange);
            }
            other => return Err(format!("unknown line type `{other}`")),
        }
        Ok(())
    }

    fn request(&mut self, line: &RecordingLine) -> Result<(), String> {
        if self.open.is_some() {
            return Err("a `request` before the `end` of the previous one".into());
        }
        let name = line.text("method")?;
        let method =
            [HttpMethod::Post, HttpMethod::Get, HttpMethod::Delete].into_iter().find(|known| known.name() == name);
        let method = method.ok_or_else(|| format!("unknown method `{name}`"))?;
        let at_us = line.number("at_us")?;
        let identity = line.0.get("identity").cloned().ok_or("`identity` is missing")?;
        let end = ConversationEnding { at_us, how: AgentExchangeEnd::Left };
        self.open = Some(AgentExchange { at_us, method, identity, response: None, pieces: Vec::new(), end });
        Ok(())
    }

    fn piece(&mut self, line: &RecordingLine, part: PieceKind) -> Result<(), String> {
        let raw = match line.0.get("raw") {
            Some(_) => Bytes::from(line.text("raw")?.to_owned()),
            None if line.0.contains_key("raw_base64") => {
                let decoded = STANDARD.decode(line.text("raw_base64")?);
                decoded.map_err(|error| format!("`raw_base64` is not base64: {error}"))?.into()
            }
            None => return Err("`raw` is missing".into()),
        };
        let piece = AnswerPiece { part, at_us: line.number("at_us")?, raw };
        let open = self.open(line.text("type")?)?;
        if open.response.is_none() {
            return Err("a piece of an answer before its `response`".into());
        }
        open.pieces.push(piece);
        Ok(())
    }

    fn open(&mut self, kind: &str) -> Result<&mut AgentExchange, String> {
        self.open.as_mut().ok_or_else(|| format!("`{kind}` without a request before it"))
    }

    fn finish(self) -> Result<AgentRecording, String> {
        if !self.begun {
            return Err("the recording is empty".into());
        }
        if self.open.is_some() {
            return Err("the recording breaks off: the last request has no `end`".into());
        }
        Ok(self.recording)
    }
}

/// Reads the first line; returns the seed of the ids.
fn begin(line: &RecordingLine, kind: &str) -> Result<u64, String> {
    if kind != "recording" {
        return Err("this is not a recording: its first line must be `{\"v\":1,\"type\":\"recording\"}`".into());
    }
    match line.number("v")? {
        1 if line.0.contains_key("seed") => line.number("seed"),
        1 => Ok(0),
        other => Err(format!("this agentci supports version 1 of recordings, this one has version {other}")),
    }
}

fn head(line: &RecordingLine) -> Result<AnswerHead, String> {
    let status = u16::try_from(line.number("status")?).map_err(|_| "`status` is not a status code")?;
    let mut headers = Vec::new();
    for (name, value) in line.object("headers")? {
        let Value::String(value) = value else { return Err(format!("the header `{name}` must be a string")) };
        headers.push((name.clone(), value.clone()));
    }
    Ok(AnswerHead { at_us: line.number("at_us")?, status, headers })
}

fn how(line: &RecordingLine) -> Result<AgentExchangeEnd, String> {
    let words = || line.text("message").map(str::to_owned);
    let error = match line.text("how")? {
        "closed" => return Ok(AgentExchangeEnd::Closed),
        "left" => return Ok(AgentExchangeEnd::Left),
        "unsendable" => ExchangeError::Unsendable(words()?),
        "unreachable" => ExchangeError::Unreachable(words()?),
        "broken" => ExchangeError::Broken(words()?),
        "too_large" => ExchangeError::TooLarge(words()?),
        "timeout" => ExchangeError::Timeout { after: Duration::from_micros(line.number("after_us")?) },
        other => return Err(format!("unknown ending `{other}`")),
    };
    Ok(AgentExchangeEnd::Failed(error))
}

struct RecordingLine(Map<String, Value>);

impl RecordingLine {
    fn text(&self, key: &str) -> Result<&str, String> {
        self.get(key)?.as_str().ok_or_else(|| format!("`{key}` must be a string"))
    }

    fn number(&self, key: &str) -> Result<u64, String> {
        self.get(key)?.as_u64().ok_or_else(|| format!("`{key}` must be a non-negative integer"))
    }

    fn object(&self, key: &str) -> Result<&Map<String, Value>, String> {
        self.get(key)?.as_object().ok_or_else(|| format!("`{key}` must be an object"))
    }

    fn get(&self, key: &str) -> Result<&Value, String> {
        self.0.get(key).ok_or_else(|| format!("`{key}` is missing"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"v":1,"type":"recording"}"#;
    const REQUEST: &str = r#"{"type":"request","at_us":1,"method":"POST","identity":null}"#;
    const RESPONSE: &str = r#"{"type":"response","at_us":2,"status":200,"headers":{}}"#;
    const END: &str = r#"{"type":"end","at_us":3,"how":"closed"}"#;

    #[test]
    fn reports_invalid_lines_with_line_number() {
        let cases: [(&[&str], &str); 14] = [
            (&[], "line 1: the recording is empty"),
            (&["", "{"], "line 2: this is not JSON: EOF while parsing an object at line 1 column 1"),
            (&["[1]"], "line 1: this is not a JSON object"),
            (&[REQUEST], r#"line 1: this is not a recording: its first line must be `{"v":1,"type":"recording"}`"#),
            (
                &[r#"{"v":2,"type":"recording"}"#],
                "line 1: this agentci supports version 1 of recordings, this one has version 2",
            ),
            (&[HEADER, r#"{"type":"dance"}"#], "line 2: unknown line type `dance`"),
            (&[HEADER, r#"{"type":"frame","at_us":1,"raw":""}"#], "line 2: `frame` without a request before it"),
            (&[HEADER, REQUEST, REQUEST], "line 3: a `request` before the `end` of the previous one"),
            (&[HEADER, REQUEST, END], "line 3: an answer without a `response` cannot be closed"),
            (&[HEADER, REQUEST, RESPONSE, "", ""], "line 3: the recording breaks off: the last request has no `end`"),
            (&[HEADER, REQUEST, RESPONSE, RESPONSE], "line 4: a second `response` to the same request"),
            (&[HEADER, REQUEST, RESPONSE, r#"{"type":"body","at_us":1}"#], "line 4: `raw` is missing"),
            (
                &[HEADER, REQUEST, RESPONSE, r#"{"type":"body","at_us":-1,"raw":""}"#],
                "line 4: `at_us` must be a non-negative integer",
            ),
            (&[HEADER, REQUEST, r#"{"type":"end","at_us":3,"how":"broken"}"#], "line 3: `message` is missing"),
        ];
        for (lines, message) in cases {
            assert_eq!(AgentRecording::parse(&lines.join("\n")).unwrap_err().to_string(), message);
        }
        let whole = [HEADER, REQUEST, RESPONSE, END].join("\r\n");
        assert_eq!(AgentRecording::parse(&whole).unwrap().exchanges.len(), 1);
    }

    #[test]
    fn refuses_deeply_nested_input() {
        let deep = "[".repeat(100_000);
        let error = AgentRecording::parse(&format!("{HEADER}\n{{\"type\":{deep}")).unwrap_err();
        assert!(error.to_string().starts_with("line 2: this is not JSON: recursion limit"), "{error}");
    }
}
