//! Replays a recording.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::vec;

use agentci_text::Difference;
use agentci_trace::{Moment, Redactor};
use bytes::Bytes;
use serde_json::Value;

use super::answer::{ByteSource, ReadPiece};
use crate::{
    AgentExchange, AgentExchangeEnd, AgentRecording, AnswerPiece, Clock, ConversationEnding, ExchangeError, HttpMethod,
    MismatchError, Request, StreamedAnswer, first_difference, shown,
};

/// Replays a recording, request by request.
#[derive(Debug)]
pub struct ExchangePlayer {
    pub(super) seed: u64,
    exchanges: vec::IntoIter<AgentExchange>,
    /// The number of replayed exchanges.
    played: usize,
    redactor: Redactor,
    position: Arc<AtomicU64>,
}

impl ExchangePlayer {
    /// Starts a replay. Requests are compared without the secrets of both sides.
    pub fn new(recording: AgentRecording, redactor: Redactor) -> Self {
        let AgentRecording { seed, exchanges, .. } = recording;
        Self { seed, exchanges: exchanges.into_iter(), played: 0, redactor, position: Arc::default() }
    }

    /// The time of the next request, in microseconds since the start of the recorded attempt.
    pub(super) fn next(&self) -> Option<u64> {
        self.exchanges.as_slice().first().map(|exchange| exchange.at_us)
    }

    /// The time of the last replayed data, in microseconds since the start of the recorded attempt.
    pub(super) fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    pub(super) fn answer(&mut self, request: &Request, clock: Clock) -> Result<StreamedAnswer, ExchangeError> {
        let (exchange, number) = self.take(request.method, &request.identity)?;
        let AgentExchange { at_us, response, pieces, end, .. } = exchange;
        let pieces = pieces.into_iter();
        let mut played = PlayedAnswer { pieces, end, number, clock, now: at_us, position: Arc::clone(&self.position) };
        let Some(head) = response else {
            return Err(played.at_end(false).err().unwrap_or_else(|| played.not_read_on()));
        };
        let came = played.advance(head.at_us);
        Ok(StreamedAnswer::new(clock.after(at_us), came, head, ByteSource::Played(played), None))
    }

    /// The whole answer of an exchange that is not HTTP, and when it arrived.
    pub(super) fn recall(&mut self, identity: &Value, clock: Clock) -> Result<(Bytes, Moment), ExchangeError> {
        let (exchange, number) = self.take(HttpMethod::Post, identity)?;
        let answer = exchange.pieces.into_iter().next().ok_or(MismatchError::NotReadOn { number })?;
        self.position.fetch_max(answer.at_us, Ordering::Relaxed);
        Ok((answer.raw, clock.after(answer.at_us)))
    }

    /// The next observer event, if it is not later than `until_us`, and its time.
    pub(super) fn seen(&mut self, until_us: u64) -> Option<(Value, u64)> {
        let next = self.exchanges.as_slice().first().filter(|next| next.at_us <= until_us)?;
        let what = next.seen()?.clone();
        let at_us = next.at_us;
        self.exchanges.next();
        self.position.fetch_max(at_us, Ordering::Relaxed);
        Some((what, at_us))
    }

    /// The next exchange and its number, if it matches the request.
    fn take(&mut self, method: HttpMethod, identity: &Value) -> Result<(AgentExchange, usize), MismatchError> {
        while self.seen(u64::MAX).is_some() {}
        let number = self.played + 1;
        let Some(exchange) = self.exchanges.next() else { return Err(MismatchError::NoMore { number }) };
        self.played = number;
        match self.difference(&exchange, method, identity) {
            Some(difference) => Err(differs(number, &difference)),
            None => Ok((exchange, number)),
        }
    }

    fn difference(&self, recorded: &AgentExchange, method: HttpMethod, identity: &Value) -> Option<Difference> {
        let [mut was, mut is] = [recorded.identity.clone(), identity.clone()];
        // Secrets in the request itself were removed from the recording.
        let mut redactor = self.redactor.clone();
        redactor.learn(identity);
        redactor.value(&mut was);
        redactor.value(&mut is);
        if recorded.method != method {
            let name = |method: HttpMethod| Some(Value::from(method.name()));
            let (recorded, sent) = (name(recorded.method), name(method));
            return Some(Difference { path: "its method".into(), expected: recorded, actual: sent });
        }
        first_difference(&was, &is)
    }
}

fn differs(number: usize, difference: &Difference) -> MismatchError {
    let Difference { path, expected: recorded, actual: sent } = difference;
    let path = if path.is_empty() { "the top".into() } else { path.clone() };
    MismatchError::Differs { number, path, recorded: shown(recorded.as_ref()), sent: shown(sent.as_ref()) }
}

/// The answer to one recorded request.
#[derive(Debug)]
pub(super) struct PlayedAnswer {
    pieces: vec::IntoIter<AnswerPiece>,
    end: ConversationEnding,
    number: usize,
    clock: Clock,
    now: u64,
    position: Arc<AtomicU64>,
}

impl PlayedAnswer {
    /// The next bytes. Beyond the point where the recording stopped reading, there are none.
    pub(super) fn read(&mut self, soon: bool) -> Result<ReadPiece, ExchangeError> {
        if let Some(piece) = self.pieces.next() {
            self.advance(piece.at_us);
            return Ok(ReadPiece::Bytes(piece.raw));
        }
        self.at_end(soon)
    }

    fn at_end(&mut self, soon: bool) -> Result<ReadPiece, ExchangeError> {
        self.advance(self.end.at_us);
        match &self.end.how {
            AgentExchangeEnd::Closed => Ok(ReadPiece::End),
            AgentExchangeEnd::Left if soon => Ok(ReadPiece::Quiet),
            AgentExchangeEnd::Left => Err(self.not_read_on()),
            AgentExchangeEnd::Failed(error) => Err(error.clone()),
        }
    }

    fn not_read_on(&self) -> ExchangeError {
        MismatchError::NotReadOn { number: self.number }.into()
    }

    pub(super) fn now(&self) -> Moment {
        self.clock.after(self.now)
    }

    fn advance(&mut self, at_us: u64) -> Moment {
        self.now = at_us;
        self.position.fetch_max(at_us, Ordering::Relaxed);
        self.now()
    }
}

impl Drop for PlayedAnswer {
    /// An answer that was left in the recording is left at the same time.
    fn drop(&mut self) {
        if self.end.how == AgentExchangeEnd::Left {
            self.advance(self.end.at_us);
        }
    }
}
