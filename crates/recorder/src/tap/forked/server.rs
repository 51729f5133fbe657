//! A server in a fork that continues live: decides which messages are replayed, and which are sent.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

use super::super::message::{self, MessageKind};
use super::super::play::{PlayedServer, TapMessage, question};
use super::super::record::RecordedServer;
use crate::proxy::{ForkStep, Forking, ProxyState, RecordingReplay};
use crate::{Exchange, Miss, RecordedRequest, WarningKind, is_chatter};

/// Timeout of the handshake with a server that is started at the fork. Hosts give up on a call after a minute.
pub(super) const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(30);

/// A server in a fork that continues live.
pub(in super::super) struct ForkedServer {
    shared: Arc<ProxyState>,
    origin: String,
    out: UnboundedSender<TapMessage>,
    played: PlayedServer,
    recorded: RecordedServer,
    stage: ForkStage,
    /// The handshake of this host, as far as the recording answered it.
    handshake: Handshake,
    /// Messages that are not in the beginning, which is not complete, and their deadline.
    early: VecDeque<HostMessage>,
    early_due: Option<Instant>,
    /// Whether the recording answered anything.
    has_played: bool,
    has_left: bool,
    has_ended: bool,
}

enum ForkStage {
    /// The server is not needed yet.
    Played,
    /// The handshake was sent; these messages wait for its answer.
    Opening {
        id: Value,
        due: Instant,
        held: Vec<HostMessage>,
    },
    Live,
    /// The server failed, for this reason.
    Failed(String),
}

#[derive(Default)]
struct Handshake {
    initialize: Option<HostMessage>,
    /// The protocol version of the recorded answer, which the host uses.
    version: Option<String>,
    initialized: Option<HostMessage>,
}

impl ForkedServer {
    pub(in super::super) fn new(shared: Arc<ProxyState>, origin: String, out: UnboundedSender<TapMessage>) -> Self {
        let played = PlayedServer::new(Arc::clone(&shared), origin.clone(), out.clone());
        let recorded = RecordedServer::new(Arc::clone(&shared.ledger), origin.clone(), true);
        Self {
            shared,
            origin,
            out,
            played,
            recorded,
            stage: ForkStage::Played,
            handshake: Handshake::default(),
            early: VecDeque::new(),
            early_due: None,
            has_played: false,
            has_left: false,
            has_ended: false,
        }
    }

    /// The host sent a line.
    pub(in super::super) fn host(&mut self, line: &[u8]) {
        for sent in HostMessage::all(line, &self.origin, &self.shared) {
            self.take(sent);
        }
    }

    /// The server sent a line.
    pub(in super::super) fn server(&mut self, line: &[u8]) {
        if let ForkStage::Opening { id, .. } = &self.stage {
            let is_answer =
                |message: &Value| message::kind(message) == Some(MessageKind::Answer) && message["id"] == *id;
            if let Some(answer) = message::messages(line).into_iter().find(is_answer) {
                return self.opened(&answer);
            }
        }
        if matches!(self.stage, ForkStage::Opening { .. } | ForkStage::Live) {
            if let Some(id) = question(line) {
                self.played.answers.forget(&id);
            }
            self.recorded.server(line);
            let _ = self.out.send(TapMessage::line(line.to_vec()));
        }
    }

    /// The server could not be started.
    pub(in super::super) fn not_started(&mut self, why: &str) {
        self.fail(&format!("its program could not be started: {why}"));
    }

    /// The server exited with this status.
    pub(in super::super) fn ended(&mut self, how: &str) {
        if matches!(self.stage, ForkStage::Opening { .. }) {
            self.fail(&format!("the server ended before it answered `initialize` ({how})"));
        }
        self.has_ended = true;
    }

    /// The host has closed its end.
    pub(in super::super) fn left(&mut self) {
        self.has_left = true;
        self.close_input();
    }

    /// Whether the tap is done.
    pub(in super::super) fn is_over(&self) -> bool {
        let is_played = matches!(self.stage, ForkStage::Played);
        self.has_ended || (self.has_left && self.early.is_empty() && is_played)
    }

    /// Ends the open exchanges.
    pub(in super::super) fn close(&mut self) {
        self.recorded.end(self.has_ended);
    }

    /// Waits for the next deadline, or until the agent is past the beginning.
    pub(in super::super) async fn due(&self) {
        let fork = self.shared.replay.as_ref().and_then(RecordingReplay::fork);
        match (&self.stage, self.early_due, fork) {
            (_, Some(due), Some(fork)) => {
                fork.is_past_by(due).await;
            }
            (ForkStage::Opening { due, .. }, ..) => tokio::time::sleep_until(*due).await,
            _ => std::future::pending().await,
        }
    }

    /// Handles the event that `due` waited for.
    pub(in super::super) fn settle(&mut self) {
        if self.early_due.is_some() {
            self.resume();
        } else if matches!(self.stage, ForkStage::Opening { .. }) {
            let limit = HANDSHAKE_TIMEOUT.as_secs();
            self.fail(&format!("the server did not answer `initialize` within {limit} s"));
        }
        self.close_input();
    }

    fn take(&mut self, mut sent: HostMessage) {
        let shared = Arc::clone(&self.shared);
        let Some((replay, fork)) = forking(&shared) else { return };
        if sent.kind == MessageKind::Notification {
            return self.note(sent);
        }
        if sent.kind == MessageKind::Answer {
            sent.is_of_recording = self.played.answers.give(&sent.message["id"]);
        }
        match fork.step(replay, &sent.request, &sent.clean, sent.number) {
            ForkStep::Beginning(exchange, reply_id) => self.play(exchange, reply_id.as_ref(), sent),
            ForkStep::Early => {
                self.early.push_back(sent);
                self.early_due.get_or_insert_with(Forking::soon);
            }
            ForkStep::Past => {
                // Earlier messages are sent first.
                self.resume();
                self.go_live(sent);
            }
            ForkStep::Lost(miss) => self.miss(&sent, miss),
        }
    }

    /// A notification. It does not start the server, but is sent to a running one.
    fn note(&mut self, sent: HostMessage) {
        match &mut self.stage {
            _ if !self.early.is_empty() => self.early.push_back(sent),
            ForkStage::Live => self.send(&sent),
            ForkStage::Opening { held, .. } => held.push(sent),
            ForkStage::Failed(_) => {}
            ForkStage::Played => {
                self.played.message(&sent.message);
                if sent.clean.method == "notifications/initialized" {
                    self.handshake.initialized = Some(sent);
                }
            }
        }
    }

    /// Answers from the beginning.
    fn play(&mut self, exchange: &Exchange, reply_id: Option<&Value>, sent: HostMessage) {
        self.has_played = true;
        self.played.play(exchange, reply_id, &sent.message, sent.clean.clone(), None);
        if sent.clean.method == "initialize" {
            let mut frames = exchange.response.iter().flat_map(|response| &response.frames);
            self.handshake.version = frames.find_map(|frame| version(&serde_json::from_slice(&frame.bytes).ok()?));
            self.handshake.initialize = Some(sent);
        }
    }

    /// Sends the waiting messages if the agent is past the beginning; otherwise the agent diverged.
    fn resume(&mut self) {
        let shared = Arc::clone(&self.shared);
        let Some((replay, fork)) = forking(&shared) else { return };
        self.early_due = None;
        for sent in std::mem::take(&mut self.early) {
            if sent.kind == MessageKind::Notification {
                self.note(sent);
            } else if fork.is_live() {
                self.go_live(sent);
            } else {
                let miss = fork.lose_early(replay, &sent.clean, sent.number);
                self.miss(&sent, miss);
            }
        }
    }

    /// Sends a message to the live server, which is started if necessary.
    fn go_live(&mut self, sent: HostMessage) {
        if sent.kind == MessageKind::Answer {
            return self.reply(&sent);
        }
        match &mut self.stage {
            ForkStage::Live => self.send(&sent),
            ForkStage::Opening { held, .. } => held.push(sent),
            ForkStage::Failed(reason) => {
                let reason = reason.clone();
                self.refuse(&sent, &reason);
            }
            ForkStage::Played => match self.handshake.initialize.take() {
                Some(initialize) if sent.clean.method != "initialize" => {
                    let (id, due) = (initialize.message["id"].clone(), Instant::now() + HANDSHAKE_TIMEOUT);
                    let _ = self.out.send(TapMessage::ToServer(initialize.line));
                    self.stage = ForkStage::Opening { id, due, held: vec![sent] };
                }
                _ => {
                    self.go_on();
                    self.send(&sent);
                }
            },
        }
    }

    /// The server answered the handshake. The host already has an answer, from the recording.
    fn opened(&mut self, answer: &Value) {
        if let Some(error) = answer.get("error") {
            let words = error["message"].as_str().unwrap_or("no reason given");
            return self.fail(&format!("the server refused `initialize`: {words}"));
        }
        let (recorded, live) = (self.handshake.version.as_ref(), version(answer));
        if let Some((recorded, live)) = recorded.zip(live).filter(|(recorded, live)| *recorded != live) {
            return self.fail(&format!("the server uses protocol version {live}, the recorded one used {recorded}"));
        }
        if let Some(initialized) = self.handshake.initialized.take() {
            let _ = self.out.send(TapMessage::ToServer(initialized.line));
        }
        for sent in self.go_on() {
            self.send(&sent);
        }
        self.close_input();
    }

    /// From now on the server is live. Returns the messages that waited for that.
    fn go_on(&mut self) -> Vec<HostMessage> {
        if self.has_played {
            self.shared.ledger.note(WarningKind::StartedAtFork(self.origin.clone()));
        }
        match std::mem::replace(&mut self.stage, ForkStage::Live) {
            ForkStage::Opening { held, .. } => held,
            _ => Vec::new(),
        }
    }

    /// A reply of the host. A reply to a recorded question becomes part of the fork, and is not sent to the live
    /// server.
    fn reply(&mut self, sent: &HostMessage) {
        if sent.is_of_recording || !matches!(self.stage, ForkStage::Opening { .. } | ForkStage::Live) {
            self.recorded.host(&sent.line);
        } else {
            self.send(sent);
        }
    }

    fn send(&mut self, sent: &HostMessage) {
        let calls = self.recorded.host(&sent.line);
        if let Some((_, fork)) = forking(&self.shared) {
            fork.count_live(calls);
        }
        let _ = self.out.send(TapMessage::ToServer(sent.line.clone()));
    }

    /// The server failed: waiting and later messages get an error.
    fn fail(&mut self, reason: &str) {
        let reason = &*self.shared.ledger.clean(reason);
        let stage = std::mem::replace(&mut self.stage, ForkStage::Failed(reason.to_owned()));
        if let ForkStage::Opening { held, .. } = stage {
            held.iter().filter(|sent| sent.kind == MessageKind::Request).for_each(|sent| self.refuse(sent, reason));
            return;
        }
        // The host opens the conversation itself, and sees that the server is gone.
        let number = self.shared.replay.as_ref().map_or(0, RecordingReplay::ask);
        let (asked, reason) = (self.origin.clone(), reason.to_owned());
        self.shared.ledger.miss(Miss { number, asked, reason, ..Miss::default() });
        self.has_ended = true;
    }

    fn refuse(&self, sent: &HostMessage, reason: &str) {
        let text = format!("{} cannot continue live: {reason}", self.origin);
        let asked = format!("{} {}", sent.clean.method, self.origin);
        let miss = Miss { number: sent.number, asked, reason: reason.to_owned(), ..Miss::default() };
        self.played.refuse(&sent.message, sent.clean.clone(), miss, &text);
    }

    fn miss(&self, sent: &HostMessage, miss: Miss) {
        self.played.miss(&sent.message, sent.clean.clone(), miss);
    }

    /// Closes the input of the server when the host has closed its end and all messages were sent.
    fn close_input(&mut self) {
        let is_reached = matches!(self.stage, ForkStage::Live | ForkStage::Failed(_));
        if self.has_left && self.early.is_empty() && is_reached {
            let _ = self.out.send(TapMessage::Left);
        }
    }
}

/// The protocol version in an answer to `initialize`.
fn version(answer: &Value) -> Option<String> {
    answer["result"]["protocolVersion"].as_str().map(str::to_owned)
}

fn forking(shared: &ProxyState) -> Option<(&RecordingReplay, &Forking)> {
    let replay = shared.replay.as_ref()?;
    Some((replay, replay.fork()?))
}

struct HostMessage {
    message: Value,
    kind: MessageKind,
    /// With its newline.
    line: Vec<u8>,
    request: RecordedRequest,
    /// The request without secrets.
    clean: RecordedRequest,
    /// The number of the request in the session; 0 for a notification.
    number: usize,
    /// Whether it replies to a recorded question, which the live server did not ask.
    is_of_recording: bool,
}

impl HostMessage {
    /// The messages of a line. Each message of a batch gets its own line.
    fn all(line: &[u8], origin: &str, shared: &ProxyState) -> Vec<Self> {
        let messages = message::messages(line);
        let is_batch = messages.len() != 1;
        let of = |message: Value| {
            let kind = message::kind(&message)?;
            let mut line = if is_batch { message.to_string().into_bytes() } else { line.to_vec() };
            line.push(b'\n');
            let request = message::request(origin, message.clone(), shared.ledger.now_us());
            let clean = request.redacted(&shared.ledger.secrets());
            let counted = shared.replay.as_ref().filter(|_| !is_chatter(&request));
            let number = counted.map_or(0, RecordingReplay::ask);
            Some(Self { message, kind, line, request, clean, number, is_of_recording: false })
        };
        messages.into_iter().filter_map(of).collect()
    }
}
