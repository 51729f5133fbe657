//! Parses the text of a recording.

use std::collections::BTreeSet;

use bytes::Bytes;
use serde_json::Value;

use super::content::{ReadFile, read_body, read_bytes};
use super::fields::LineFields;
use super::lines::{api, exit, header, hole, how};
use super::patch::patched;
use super::{
    AnswerFrame, EndKind, Exchange, ExchangeEnd, RecordedBody, RecordedRequest, RecordedResponse, Recording,
    RecordingError,
};

impl Recording {
    /// Maximum number of bytes of a recording: of its text, and of everything that its text expands to.
    pub const LARGEST: usize = 512 << 20;
    /// Maximum number of exchanges of a recording.
    pub const MOST_EXCHANGES: usize = 10_000;

    /// Whether a text is the recording of a world, according to its first line; version 1 of the format is a single
    /// conversation.
    pub fn is_world(text: &str) -> bool {
        let first = text.lines().next().unwrap_or_default();
        let value = serde_json::from_str::<Value>(first).unwrap_or_default();
        value["type"] == "recording" && value["v"].as_u64().is_some_and(|version| version >= 2)
    }

    /// Parses a recording without files beside it.
    pub fn parse(text: &str) -> Result<Self, RecordingError> {
        Self::parse_with(text, &mut |name| Err(format!("the file {name} beside the recording is missing")))
    }

    /// Parses a recording; `files` reads a file beside it by its name.
    pub fn parse_with(text: &str, files: &mut ReadFile<'_>) -> Result<Self, RecordingError> {
        if text.len() > Self::LARGEST {
            let message = format!("a recording may have at most {} bytes, this one has {}", Self::LARGEST, text.len());
            return Err(RecordingError { line: 1, message });
        }
        let mut reading = RecordingParser::default();
        let mut last = 1;
        let torn = !text.ends_with('\n');
        let mut lines = text.lines().enumerate().peekable();
        while let Some((index, line)) = lines.next() {
            if line.trim().is_empty() {
                continue;
            }
            last = index + 1;
            let cut = torn && lines.peek().is_none() && LineFields::read(line).is_err();
            let read = if cut {
                Err("the file ends in the middle of this line: it was cut off".into())
            } else {
                reading.take(line, files)
            };
            read.map_err(|message| RecordingError { line: last, message })?;
        }
        reading.finish().map_err(|message| RecordingError { line: last, message })
    }
}

#[derive(Default)]
struct RecordingParser {
    begun: bool,
    recording: Recording,
    /// Exchanges without an end so far.
    open: BTreeSet<u64>,
    /// The number of bytes that the text expanded to so far: patches and files can be much larger than the text.
    made: usize,
}

impl RecordingParser {
    fn take(&mut self, line: &str, files: &mut ReadFile<'_>) -> Result<(), String> {
        let mut fields = LineFields::read(line)?;
        let kind = fields.text("type")?;
        if !self.begun {
            self.recording.header = header(&kind, &mut fields)?;
            self.begun = true;
            return fields.end();
        }
        if self.recording.exit.is_some() {
            return Err("no line may follow the `exit` line".into());
        }
        match kind.as_str() {
            "request" => self.request(&mut fields, files)?,
            "response" => self.response(&mut fields)?,
            "frame" => self.frame(&mut fields, files)?,
            "end" => self.end(&mut fields)?,
            "hole" => self.recording.holes.push(hole(&mut fields)?),
            "exit" => self.recording.exit = Some(exit(&mut fields)?),
            "recording" => return Err("a second `recording` line: the file contains two recordings".into()),
            other => return Err(format!("unknown line type `{}`", agentci_text::one_line(other))),
        }
        fields.end()
    }

    fn request(&mut self, fields: &mut LineFields, files: &mut ReadFile<'_>) -> Result<(), String> {
        let id = fields.number("id")?;
        let next = self.recording.exchanges.len() as u64 + 1;
        if id < next && id > 0 {
            return Err(format!("exchange {id} has two requests"));
        }
        if id != next {
            return Err(format!("found request {id}, expected request {next}: requests are numbered from 1"));
        }
        if self.recording.exchanges.len() >= Recording::MOST_EXCHANGES {
            return Err(format!("a recording may have at most {} exchanges", Recording::MOST_EXCHANGES));
        }
        let after = fields.number_if_any("after")?;
        if after.is_some_and(|after| after == 0 || after >= id) {
            return Err("`after` must name an earlier exchange".into());
        }
        let request = RecordedRequest {
            at_us: fields.number("at_us")?,
            by: fields.text_if_any("by")?,
            method: fields.text("method")?,
            origin: fields.text("to")?,
            path: fields.text("path")?,
            speaks: api(fields)?,
            headers: fields.pairs("headers")?,
            body: self.body(fields, files)?,
        };
        let end = ExchangeEnd { at_us: request.at_us, how: EndKind::Closed };
        let chatter = fields.if_any("chatter", "a boolean")?.unwrap_or(false);
        self.recording.exchanges.push(Exchange { id, request, response: None, end, chatter, after });
        self.open.insert(id);
        Ok(())
    }

    fn body(&mut self, fields: &mut LineFields, files: &mut ReadFile<'_>) -> Result<RecordedBody, String> {
        let body = match fields.number_if_any("like")? {
            None => {
                let mut counted = counting(files, &mut self.made);
                return read_body(fields, &mut counted);
            }
            Some(like) => {
                let patch = fields.take("patch").ok_or("`patch` is missing")?;
                let position = usize::try_from(like).ok().and_then(|like| like.checked_sub(1));
                let base = position.and_then(|position| self.recording.exchanges.get(position));
                let base = base.and_then(|base| base.request.body.as_json());
                let base = base.ok_or("`like` must name an earlier exchange whose body is JSON")?;
                patched(base.clone(), patch)?
            }
        };
        self.made = self.made.saturating_add(size(&body));
        within(self.made)?;
        Ok(RecordedBody::Json(body))
    }

    fn response(&mut self, fields: &mut LineFields) -> Result<(), String> {
        let exchange = self.open(fields, "response")?;
        if exchange.response.is_some() {
            return Err(format!("exchange {} has two responses", exchange.id));
        }
        exchange.response = Some(RecordedResponse {
            at_us: fields.number("at_us")?,
            status: http_status(fields.number("status")?).ok_or("`status` is not an HTTP status")?,
            headers: fields.pairs("headers")?,
            frames: Vec::new(),
        });
        Ok(())
    }

    fn frame(&mut self, fields: &mut LineFields, files: &mut ReadFile<'_>) -> Result<(), String> {
        let at_us = fields.number("at_us")?;
        let bytes = read_bytes(fields, &mut counting(files, &mut self.made))?;
        let exchange = self.open(fields, "frame")?;
        let Some(response) = &mut exchange.response else {
            return Err(format!("a line of type `frame` of exchange {}, which has no response yet", exchange.id));
        };
        response.frames.push(AnswerFrame { at_us, bytes });
        Ok(())
    }

    fn end(&mut self, fields: &mut LineFields) -> Result<(), String> {
        let at_us = fields.number("at_us")?;
        let how = how(fields)?;
        let exchange = self.open(fields, "end")?;
        exchange.end = ExchangeEnd { at_us, how };
        let id = exchange.id;
        self.open.remove(&id);
        Ok(())
    }

    /// The exchange that a line belongs to, which must have begun and not ended.
    fn open(&mut self, fields: &mut LineFields, kind: &str) -> Result<&mut Exchange, String> {
        let id = fields.number("id")?;
        let is_open = self.open.contains(&id);
        let position = id.checked_sub(1).and_then(|position| usize::try_from(position).ok());
        match position.and_then(|position| self.recording.exchanges.get_mut(position)) {
            None => Err(format!("a line of type `{kind}` of exchange {id}, which has no request")),
            Some(_) if !is_open => Err(format!("a line of type `{kind}` of exchange {id}, which has ended")),
            Some(exchange) => Ok(exchange),
        }
    }

    fn finish(self) -> Result<Recording, String> {
        if !self.begun {
            return Err("this is not a recording: it is empty".into());
        }
        match self.open.first() {
            Some(open) => Err(format!("exchange {open} has no end: the file was cut off")),
            None => Ok(self.recording),
        }
    }
}

/// Counts the bytes of files, and fails beyond the limit.
fn counting<'c, 'f>(
    files: &'c mut ReadFile<'f>,
    made: &'c mut usize,
) -> impl FnMut(&str) -> Result<Bytes, String> + use<'c, 'f> {
    move |name| {
        let content = files(name)?;
        *made = made.saturating_add(content.len());
        within(*made)?;
        Ok(content)
    }
}

fn within(made: usize) -> Result<(), String> {
    let most = Recording::LARGEST;
    if made > most { Err(format!("the bodies of a recording may have at most {most} bytes in total")) } else { Ok(()) }
}

/// The status of an answer, if a replay can send it.
fn http_status(number: u64) -> Option<u16> {
    u16::try_from(number).ok().filter(|status| (100..1000).contains(status))
}

/// The approximate size of a value in bytes.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(number) => number.as_str().len(),
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| size(item) + 1).sum::<usize>() + 2,
        Value::Object(map) => map.iter().map(|(key, value)| key.len() + 4 + size(value)).sum::<usize>() + 2,
    }
}
