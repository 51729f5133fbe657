//! What comes back.

use std::time::{Duration, Instant};

use agentci_protocols::sse::{Decoder, EVENT_LIMIT, SseEvent};
use agentci_trace::Moment;
use bytes::Bytes;

use super::lines::LineCutter;
use super::live::IncomingAnswer;
use super::player::PlayedAnswer;
use crate::{AgentExchangeEnd, AnswerHead, ExchangeError, PieceKind, Slot};

/// The most bytes of a line.
const LINE_LIMIT: usize = EVENT_LIMIT;
/// The most bytes of a stream.
const STREAM_LIMIT: usize = 256 << 20;

/// An answer whose body is still to come. A wait for an event that is dropped loses nothing.
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
    /// How many bytes came.
    received: usize,
    /// When the last bytes came, or the end.
    latest: Moment,
    /// How it ended, if it did.
    over: Option<Result<(), ExchangeError>>,
    slot: Option<Slot>,
}

/// An event of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived {
    /// The event.
    pub frame: SseEvent,
    /// When the bytes that completed it were read.
    pub at: Moment,
}

/// What came within a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextPiece {
    /// An event.
    Frame(Arrived),
    /// The end of the stream.
    Closed,
    /// Nothing.
    Quiet,
}

/// Where the bytes come from.
#[derive(Debug)]
pub(super) enum ByteSource {
    Live(Box<IncomingAnswer>),
    Played(PlayedAnswer),
}

/// What was read.
pub(super) enum ReadPiece {
    Bytes(Bytes),
    End,
    Quiet,
}

impl StreamedAnswer {
    pub(super) fn new(at: Moment, latest: Moment, head: AnswerHead, source: ByteSource, slot: Option<Slot>) -> Self {
        let decoder = Decoder::new(EVENT_LIMIT);
        // Only a recording has use for the bytes.
        let decoder = if slot.is_some() { decoder } else { decoder.without_raw() };
        let AnswerHead { status, headers, .. } = head;
        let lines = LineCutter::default();
        Self { status, at, headers, source, decoder, lines, received: 0, latest, over: None, slot }
    }

    /// The value of a header, its name in small letters; only those that a driver may need are there.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// What the body says it is, in small letters and without parameters; empty if it does not say.
    pub fn content_type(&self) -> String {
        let whole = self.header("content-type").unwrap_or_default();
        whole.split(';').next().expect("a split has a first part").trim().to_ascii_lowercase()
    }

    /// How the body is compressed, if it is.
    pub(super) fn compression(&self) -> Option<&str> {
        let coding = self.header("content-encoding")?.trim();
        Some(coding).filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity"))
    }

    /// When the last bytes were read, or the end was seen.
    pub fn latest(&self) -> Moment {
        self.latest
    }

    /// The next event of the stream; `None` at its end.
    pub async fn frame(&mut self) -> Result<Option<Arrived>, ExchangeError> {
        match self.next(None).await? {
            NextPiece::Frame(arrived) => Ok(Some(arrived)),
            NextPiece::Closed | NextPiece::Quiet => Ok(None),
        }
    }

    /// The next line of the body with its end, and when the bytes that completed it were read; `None` at the end of the body.
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

    /// The line in which a stream of events broke off before the data of an event came.
    pub fn torn_line(&self) -> Option<&[u8]> {
        self.over.as_ref().and_then(|_| self.decoder.torn_line())
    }

    /// The next event if it comes soon, for a server that keeps the connection open when everything is said.
    pub async fn frame_within(&mut self, grace: Duration) -> Result<NextPiece, ExchangeError> {
        self.next(Instant::now().checked_add(grace)).await
    }

    /// What is left of the body and when its end was seen, unless it is more than `limit` bytes.
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

    /// Takes note of bytes that came; there may be too many.
    fn count(&mut self, bytes: usize) -> Result<(), ExchangeError> {
        self.received += bytes;
        if self.received <= STREAM_LIMIT {
            return Ok(());
        }
        Err(self.fail(ExchangeError::TooLarge(format!("the stream is larger than {STREAM_LIMIT} bytes"))))
    }

    /// Reads on, unless it is over.
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

    /// An event, whose bytes are the recording's alone.
    fn arrived(&mut self, mut frame: SseEvent) -> Arrived {
        self.keep(PieceKind::Frame, std::mem::take(&mut frame.raw));
        Arrived { frame, at: self.latest }
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

    /// Ends with an error of our own.
    fn fail(&mut self, error: ExchangeError) -> ExchangeError {
        let _ = self.end(Err(error.clone()));
        error
    }

    /// Notes how it ended; the first time counts.
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
