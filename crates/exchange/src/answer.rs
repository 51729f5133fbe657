//! The answer to a request.

use std::time::{Duration, Instant};

use agentci_protocols::sse::{Decoder, EVENT_LIMIT, SseEvent};
use agentci_text::media_type;
use agentci_trace::Moment;
use bytes::Bytes;

use super::lines::LineCutter;
use super::live::IncomingAnswer;
use super::player::PlayedAnswer;
use crate::{AgentExchangeEnd, AnswerHead, ExchangeError, OpenExchange, PieceKind};

/// The size limit of a line, in bytes.
const LINE_LIMIT: usize = EVENT_LIMIT;
/// The size limit of a stream, in bytes.
const STREAM_LIMIT: usize = 256 << 20;

/// An answer whose body is still to be read. Reading is cancellation safe.
#[derive(Debug)]
pub struct StreamedAnswer {
    /// The status code.
    pub status: u16,
    /// When the request was sent.
    pub at: Moment,
    headers: Vec<(String, String)>,
    source: ByteSource,
    decoder: Decoder,
    lines: LineCutter,
    /// The number of bytes read.
    received: usize,
    /// When the last bytes or the end were read.
    latest: Moment,
    /// How the answer ended, if it did.
    over: Option<Result<(), ExchangeError>>,
    slot: Option<OpenExchange>,
}

/// An event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrivedEvent {
    pub frame: SseEvent,
    /// When the bytes that completed it were read.
    pub at: Moment,
}

/// The result of waiting for an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextPiece {
    /// An event.
    Frame(ArrivedEvent),
    /// The end of the stream.
    Closed,
    /// Nothing arrived in time.
    Quiet,
}

#[derive(Debug)]
pub(super) enum ByteSource {
    Live(Box<IncomingAnswer>),
    Played(PlayedAnswer),
}

pub(super) enum ReadPiece {
    Bytes(Bytes),
    End,
    Quiet,
}

impl StreamedAnswer {
    pub(super) fn new(
        at: Moment,
        latest: Moment,
        head: AnswerHead,
        source: ByteSource,
        slot: Option<OpenExchange>,
    ) -> Self {
        let decoder = Decoder::new(EVENT_LIMIT);
        // Only a recording needs the raw bytes.
        let decoder = if slot.is_some() { decoder } else { decoder.without_raw() };
        let AnswerHead { status, headers, .. } = head;
        let lines = LineCutter::default();
        Self { status, at, headers, source, decoder, lines, received: 0, latest, over: None, slot }
    }

    /// The value of a header, by its name in lower case. Only the headers that drivers need are available.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The content type in lower case, without parameters; empty if there is none.
    pub fn content_type(&self) -> String {
        media_type(self.header("content-type").unwrap_or_default())
    }

    /// The `content-encoding`, if the body is compressed.
    pub(super) fn compression(&self) -> Option<&str> {
        let coding = self.header("content-encoding")?.trim();
        Some(coding).filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity"))
    }

    /// When the last bytes or the end were read.
    pub fn latest(&self) -> Moment {
        self.latest
    }

    /// The next event of the stream; `None` at its end.
    pub async fn frame(&mut self) -> Result<Option<ArrivedEvent>, ExchangeError> {
        match self.next(None).await? {
            NextPiece::Frame(arrived) => Ok(Some(arrived)),
            NextPiece::Closed | NextPiece::Quiet => Ok(None),
        }
    }

    /// The next line of the body with its line end, and when it was complete; `None` at the end of the body.
    pub async fn line(&mut self) -> Result<Option<(Bytes, Moment)>, ExchangeError> {
        loop {
            if let Some(line) = self.lines.next() {
                self.keep(PieceKind::Line, line.clone());
                return Ok(Some((line, self.latest)));
            }
            if self.lines.waiting() > LINE_LIMIT {
                let words = format!("a line of the answer is larger than {LINE_LIMIT} bytes");
                return Err(self.fail(ExchangeError::TooLarge(words)));
            }
            let read = self.read(None).await;
            if let Ok(ReadPiece::Bytes(bytes)) = &read {
                self.count(bytes.len())?;
                self.lines.push(bytes);
                continue;
            }
            let last = self.lines.rest();
            if let Some(line) = &last
                && self.over.is_none()
            {
                self.keep(PieceKind::Line, line.clone());
            }
            self.end(read.map(drop))?;
            return Ok(last.map(|line| (line, self.latest)));
        }
    }

    /// The truncated last line of an event stream, if it has no event data.
    pub fn torn_line(&self) -> Option<&[u8]> {
        self.over.as_ref().and_then(|_| self.decoder.torn_line())
    }

    /// The next event if it arrives soon, for servers that keep the connection open after the last event.
    pub async fn frame_within(&mut self, grace: Duration) -> Result<NextPiece, ExchangeError> {
        self.next(Instant::now().checked_add(grace)).await
    }

    /// The rest of the body, at most `limit` bytes, and when its end was read.
    pub async fn body(&mut self, limit: usize) -> Result<(Vec<u8>, Moment), ExchangeError> {
        let mut body = Vec::new();
        let ended = loop {
            match self.read(None).await {
                Ok(ReadPiece::Bytes(bytes)) if body.len() + bytes.len() > limit => {
                    return Err(self.fail(ExchangeError::TooLarge(format!("the answer is larger than {limit} bytes"))));
                }
                Ok(ReadPiece::Bytes(bytes)) => body.extend_from_slice(&bytes),
                Ok(ReadPiece::End | ReadPiece::Quiet) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        if !body.is_empty() {
            self.keep(PieceKind::Body, Bytes::copy_from_slice(&body));
        }
        self.end(ended)?;
        Ok((body, self.latest))
    }

    async fn next(&mut self, until: Option<Instant>) -> Result<NextPiece, ExchangeError> {
        loop {
            match self.decoder.next() {
                Ok(Some(frame)) => return Ok(NextPiece::Frame(self.arrived(frame))),
                Ok(None) => {}
                Err(error) => return Err(self.fail(ExchangeError::TooLarge(error.to_string()))),
            }
            match self.read(until).await {
                Ok(ReadPiece::Bytes(bytes)) => {
                    self.count(bytes.len())?;
                    self.decoder.push(&bytes);
                }
                Ok(ReadPiece::Quiet) => return Ok(NextPiece::Quiet),
                Ok(ReadPiece::End) => {
                    let last = self.decoder.finish().map(|frame| self.arrived(frame));
                    self.keep_rest();
                    self.end(Ok(()))?;
                    return Ok(last.map_or(NextPiece::Closed, NextPiece::Frame));
                }
                Err(error) => {
                    self.keep_rest();
                    self.end(Err(error))?;
                }
            }
        }
    }

    /// Counts the bytes of a stream; fails beyond the limit.
    fn count(&mut self, bytes: usize) -> Result<(), ExchangeError> {
        self.received += bytes;
        if self.received <= STREAM_LIMIT {
            return Ok(());
        }
        Err(self.fail(ExchangeError::TooLarge(format!("the stream is larger than {STREAM_LIMIT} bytes"))))
    }

    /// Reads the next bytes, unless the answer is over.
    async fn read(&mut self, until: Option<Instant>) -> Result<ReadPiece, ExchangeError> {
        if let Some(over) = &self.over {
            return over.clone().map(|()| ReadPiece::End);
        }
        let read = match &mut self.source {
            ByteSource::Live(live) => live.read(until).await,
            ByteSource::Played(played) => played.read(until.is_some()),
        };
        if !matches!(read, Ok(ReadPiece::Quiet)) {
            self.latest = match &self.source {
                ByteSource::Live(live) => live.now(),
                ByteSource::Played(played) => played.now(),
            };
        }
        read
    }

    /// Moves the raw bytes of an event to the recording.
    fn arrived(&mut self, mut frame: SseEvent) -> ArrivedEvent {
        self.keep(PieceKind::Frame, std::mem::take(&mut frame.raw));
        ArrivedEvent { frame, at: self.latest }
    }

    fn keep_rest(&mut self) {
        if self.over.is_none() && !self.decoder.rest().is_empty() {
            self.keep(PieceKind::Rest, Bytes::copy_from_slice(self.decoder.rest()));
        }
    }

    fn keep(&mut self, part: PieceKind, raw: Bytes) {
        if let Some(slot) = &mut self.slot {
            slot.piece(part, self.latest, raw);
        }
    }

    /// Ends the answer with an error that was detected here.
    fn fail(&mut self, error: ExchangeError) -> ExchangeError {
        let _ = self.end(Err(error.clone()));
        error
    }

    /// Records how the answer ended; only the first call counts.
    fn end(&mut self, ended: Result<(), ExchangeError>) -> Result<(), ExchangeError> {
        if self.over.is_none() {
            if let (Some(slot), Some(how)) = (&mut self.slot, AgentExchangeEnd::of(&ended)) {
                slot.end(self.latest, how);
            }
            self.over = Some(ended.clone());
        }
        ended
    }
}
