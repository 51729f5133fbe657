//! Replays a server from a recording.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::host_replies::Answers;
use super::message::{self, LISTEN, MessageKind, REPLY};
use crate::proxy::{OngoingExchange, PlayClock, ProxyState, RecordedLookup, RecordingReplay, Spoil, moved, spoilt};
use crate::{EndKind, Exchange, Miss, RecordedRequest, SeenHow};

/// The JSON-RPC code for server-defined errors.
const SERVER_ERROR: i32 = -32_000;

#[derive(Debug)]
pub(super) enum TapMessage {
    /// A line for the host.
    Line(Vec<u8>),
    /// A line for the server.
    ToServer(Vec<u8>),
    /// The host has closed its end.
    Left,
    /// The server exits, as recorded.
    Over,
}

impl TapMessage {
    /// A line for the host; an injected fault may have removed its newline.
    pub(super) fn line(mut bytes: Vec<u8>) -> Self {
        if bytes.last() != Some(&b'\n') {
            bytes.push(b'\n');
        }
        Self::Line(bytes)
    }
}

/// A replayed server. Answers that are still pending are dropped with it.
pub(super) struct PlayedServer {
    shared: Arc<ProxyState>,
    origin: String,
    out: UnboundedSender<TapMessage>,
    pub(super) answers: Arc<Answers>,
    under_way: JoinSet<()>,
}

impl PlayedServer {
    pub(super) fn new(shared: Arc<ProxyState>, origin: String, out: UnboundedSender<TapMessage>) -> Self {
        Self { shared, origin, out, answers: Arc::default(), under_way: JoinSet::new() }
    }

    /// The host sent a line.
    pub(super) fn host(&mut self, line: &[u8]) {
        for message in message::messages(line) {
            self.message(&message);
        }
    }

    /// Answers a message of the host.
    pub(super) fn message(&mut self, message: &Value) {
        let shared = Arc::clone(&self.shared);
        let (Some(replay), Some(kind)) = (&shared.replay, message::kind(message)) else { return };
        let request = message::request(&self.origin, message.clone(), shared.ledger.now_us());
        if kind == MessageKind::Answer {
            self.answers.give(&message["id"]);
        }
        let spoil = replay.spoil(&request);
        let (look, clean) = replay.look(request, spoil.as_ref(), &shared);
        match look {
            RecordedLookup::Chatter => {}
            RecordedLookup::Recorded(exchange, reply_id) => {
                self.play(exchange, reply_id.as_ref(), message, clean, spoil.as_ref());
            }
            RecordedLookup::Miss(miss) => self.miss(message, clean, miss),
        }
    }

    /// Answers a message with a recorded exchange.
    pub(super) fn play(
        &mut self,
        exchange: &Exchange,
        reply_id: Option<&Value>,
        message: &Value,
        clean: RecordedRequest,
        spoil: Option<&Spoil>,
    ) {
        let shared = Arc::clone(&self.shared);
        let Some(replay) = &shared.replay else { return };
        let changed = spoil.map(|spoil| spoilt(exchange, spoil));
        let exchange = changed.as_ref().unwrap_or(exchange);
        let moved = moved(exchange, clean, reply_id);
        let how = spoil.map_or(SeenHow::Replayed, |spoil| SeenHow::Spoilt(spoil.name()));
        let ongoing = begin(&shared, moved, how);
        let mut playback = ExchangePlayback::of(exchange, message, replay, self);
        if let Some(Spoil::Delay(time)) = spoil {
            playback.delay = *time;
        }
        while self.under_way.try_join_next().is_some() {}
        self.under_way.spawn(playback.play(ongoing));
    }

    /// Answers a message that is not in the recording.
    pub(super) fn miss(&self, message: &Value, clean: RecordedRequest, miss: Miss) {
        let text = format!("{} is not in the recording: {}", miss.asked, miss.reason);
        self.refuse(message, clean, miss, &text);
    }

    /// Answers a message with this error.
    pub(super) fn refuse(&self, message: &Value, clean: RecordedRequest, miss: Miss, text: &str) {
        if message::kind(message) == Some(MessageKind::Request) {
            let text = self.shared.ledger.clean(&format!("agentci replay: {text}"));
            let error = json!({ "code": SERVER_ERROR, "message": text });
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
            let _ = self.out.send(TapMessage::line(answer.to_string().into_bytes()));
        }
        self.shared.ledger.miss(miss);
        OngoingExchange::missed(&self.shared.ledger, clean).end(EndKind::Closed);
    }
}

/// Begins an exchange that the recording answers. In a fork, it becomes part of the new recording.
fn begin(shared: &ProxyState, exchange: Exchange, how: SeenHow) -> OngoingExchange {
    match shared.replay.as_ref().and_then(RecordingReplay::fork) {
        Some(_) => shared.ledger.begin_again(exchange),
        None => OngoingExchange::replayed(&shared.ledger, exchange, how),
    }
}

/// The answer to one message of the host.
struct ExchangePlayback {
    lines: Vec<ServerLine>,
    /// Messages that the server sent by itself afterwards.
    afterwards: Vec<Arc<Exchange>>,
    how: EndKind,
    /// The delay of all lines.
    delay: Duration,
    clock: PlayClock,
    out: UnboundedSender<TapMessage>,
    answers: Arc<Answers>,
    shared: Arc<ProxyState>,
}

struct ServerLine {
    /// Microseconds from the request to it.
    after_us: u64,
    bytes: Vec<u8>,
    /// The id of its question to the host.
    asks: Option<Value>,
    /// The question that the host replied to before this line.
    waits_for: Option<Value>,
}

impl ExchangePlayback {
    fn of(exchange: &Exchange, sent: &Value, replay: &RecordingReplay, played: &PlayedServer) -> Self {
        let recording = &replay.recording;
        let recorded = exchange.request.body.as_json().unwrap_or(&Value::Null);
        let frames = exchange.response.iter().flat_map(|response| &response.frames);
        let mut asked: Option<Value> = None;
        let mut lines = Vec::new();
        for frame in frames {
            let is_answer = |other: &&Exchange| {
                let of_this = other.request.origin == exchange.request.origin && other.request.method == REPLY;
                let id = other.request.body.as_json().map(|body| &body["id"]);
                of_this && other.request.at_us <= frame.at_us && id.is_some() && id == asked.as_ref()
            };
            let waits_for = asked.clone().filter(|_| recording.exchanges.iter().any(|other| is_answer(&other)));
            let bytes = message::renumbered(&frame.bytes, recorded, sent);
            let asks = question(&frame.bytes);
            asked = asks.clone().or(asked.filter(|_| waits_for.is_none()));
            let after_us = frame.at_us.saturating_sub(exchange.request.at_us);
            lines.push(ServerLine { after_us, bytes, asks, waits_for });
        }
        let is_aside = |other: &&Exchange| other.request.method == LISTEN && other.after == Some(exchange.id);
        let asides = recording.exchanges.iter().filter(|other| other.request.origin == exchange.request.origin);
        let afterwards = asides.filter(is_aside).map(|aside| Arc::new(aside.clone())).collect();
        Self {
            lines,
            afterwards,
            how: exchange.end.how.clone(),
            delay: Duration::ZERO,
            clock: PlayClock { began: Instant::now(), pace: replay.pace },
            out: played.out.clone(),
            answers: Arc::clone(&played.answers),
            shared: Arc::clone(&played.shared),
        }
    }

    async fn play(self, ongoing: OngoingExchange) {
        tokio::time::sleep(self.delay).await;
        for line in self.lines {
            if let Some(question) = &line.waits_for {
                self.answers.wait(question).await;
            }
            if let Some(due) = self.clock.due(line.after_us) {
                tokio::time::sleep_until(due).await;
            }
            if let Some(id) = &line.asks {
                self.answers.ask(id);
            }
            let _ = self.out.send(TapMessage::line(line.bytes));
        }
        let broke = matches!(self.how, EndKind::Broken(_));
        let id = ongoing.id();
        ongoing.end(self.how);
        for aside in self.afterwards {
            let request = RecordedRequest { at_us: self.shared.ledger.now_us(), ..aside.request.clone() };
            let moved = moved(&aside, request, None);
            let ongoing = begin(&self.shared, moved, SeenHow::Replayed).continuing(Some(id));
            for frame in aside.response.iter().flat_map(|response| &response.frames) {
                if let Some(id) = question(&frame.bytes) {
                    self.answers.ask(&id);
                }
                let _ = self.out.send(TapMessage::Line(frame.bytes.to_vec()));
            }
            ongoing.end(aside.end.how.clone());
        }
        if broke {
            let _ = self.out.send(TapMessage::Over);
        }
    }
}

/// The id of a question to the host in a line.
pub(super) fn question(line: &[u8]) -> Option<Value> {
    let message: Value = serde_json::from_slice(line).ok()?;
    (message::kind(&message) == Some(MessageKind::Request)).then(|| message["id"].clone())
}
