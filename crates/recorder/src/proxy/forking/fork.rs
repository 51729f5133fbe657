//! Answers from a recording up to a call, and then live or with a scripted model.
//!
//! The agent is past the recorded beginning when it has made every call of it. Until then, a request that is not in it
//! is a miss: the agent diverged, and its next steps prove nothing. After the first such miss, nothing is sent live.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::Response;
use hyper::http::Uri;
use hyper::http::request::Parts;
use serde_json::Value;
use tokio::sync::mpsc::Receiver;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::fork::{ForkCut, scripted_path};
use crate::proxy::forking::session::SESSION;
use crate::proxy::forwarding::forward;
use crate::proxy::playing::play::play;
use crate::proxy::playing::replay::refuse;
use crate::proxy::{
    AnswerBody, ForkSessions, ForkStreams, LiveEvent, ObservedRequest, OutgoingRequest, ProxyAnswer, ProxyState,
    RecordedLookup, RecordingReplay, ReplayNotice, RequestTarget, SessionChoice,
};
use crate::{
    AfterFork, Answered, Circumstances, Exchange, Fork, Forked, MatchRules, Matcher, Miss, RecordedRequest, Recording,
};

/// How long a request waits for the agent to be past the recorded beginning: of concurrent calls, a later one may
/// arrive first.
const BEGINNING_TIMEOUT: Duration = Duration::from_secs(2);

/// Why later requests are refused after the agent diverged.
const GONE_ANOTHER_WAY: &str = "the agent diverged from the recording before the fork, so later requests are refused";

/// Why a different reply to a recorded question is refused.
const ASKED_BEFORE: &str = "its MCP server asked for this before the fork; the recording continues with another reply";

/// A replay that leaves its recording.
#[derive(Debug)]
pub(crate) struct Forking {
    then: AfterFork,
    /// Calls of the beginning that a scripted model answers.
    spoken: BTreeMap<u64, SocketAddr>,
    /// The exchanges after the beginning, without calls to models.
    pub(crate) rest: Arc<Recording>,
    /// The time of the last request of the beginning, in the recording.
    forked_us: u64,
    matcher: Mutex<Matcher>,
    sessions: ForkSessions,
    streams: ForkStreams,
    /// The outcome so far.
    state: watch::Sender<Forked>,
}

/// How a request is answered; also a message to an MCP server over standard input, if the rest is live.
#[derive(Debug)]
pub(crate) enum ForkStep<'r> {
    /// From the beginning: this exchange answers it, with this JSON-RPC id.
    Beginning(&'r Exchange, Option<Value>),
    /// It is not in the beginning, which is not complete: it must wait.
    Early,
    /// It comes after the beginning.
    Past,
    /// Not at all: the agent diverged before it was past the beginning.
    Lost(Miss),
}

/// A recorded exchange, and the JSON-RPC id of its answer, if it differs from the recorded one.
type RecordedAnswer<'r> = (&'r Exchange, Option<Value>);

/// A request that is being answered.
struct ForkCall<'r> {
    replay: &'r RecordingReplay,
    shared: &'r Arc<ProxyState>,
    /// The number of the request in the session.
    number: usize,
    outgoing: OutgoingRequest<'r>,
    asked: ObservedRequest,
    /// The request without its secrets.
    clean: RecordedRequest,
}

impl Forking {
    /// Splits a recording into the beginning and the rest.
    pub(crate) fn new(recording: Recording, here: &Circumstances, rules: &MatchRules, fork: Fork) -> (Recording, Self) {
        let ForkCut { beginning, rest, awaited } = ForkCut::at(recording, fork.until);
        let rest = Arc::new(rest);
        let forked_us = beginning.exchanges.iter().map(|exchange| exchange.request.at_us).max().unwrap_or(0);
        let matcher = Mutex::new(Matcher::new(Arc::clone(&rest), here.clone(), rules.clone()));
        let forking = Self {
            then: fork.then,
            spoken: fork.spoken.into_iter().collect(),
            rest,
            forked_us,
            matcher,
            sessions: ForkSessions::default(),
            streams: ForkStreams::default(),
            state: watch::Sender::new(Forked { awaited: awaited.into_iter().collect(), ..Forked::default() }),
        };
        (beginning, forking)
    }

    /// The outcome so far.
    pub(crate) fn outcome(&self) -> Forked {
        self.state.borrow().clone()
    }

    /// Answers a request.
    pub(crate) async fn answer(
        &self,
        replay: &RecordingReplay,
        outgoing: OutgoingRequest<'_>,
        asked: ObservedRequest,
        shared: &Arc<ProxyState>,
    ) -> ProxyAnswer {
        let number = replay.ask();
        let clean = asked.request.redacted(&shared.ledger.secrets());
        let call = ForkCall { replay, shared, number, outgoing, asked, clean };
        match self.step(replay, &call.asked.request, &call.clean, number) {
            ForkStep::Beginning(exchange, reply_id) => {
                if let Some(to) = self.spoken.get(&exchange.id) {
                    return call.redirected(*to).await;
                }
                let live = if self.goes_live() { self.note(&call, exchange) } else { None };
                call.play((exchange, reply_id), live).await
            }
            ForkStep::Early if !self.is_past_by(Self::soon()).await => {
                let miss = self.lose_early(replay, &call.clean, number);
                Ok(call.missed(miss))
            }
            ForkStep::Early | ForkStep::Past => self.after(call).await,
            ForkStep::Lost(miss) => Ok(call.missed(miss)),
        }
    }

    /// Answers a request after the beginning.
    async fn after(&self, call: ForkCall<'_>) -> ProxyAnswer {
        if self.state.borrow().lost {
            return Ok(call.refused(GONE_ANOTHER_WAY));
        }
        if let Some(reply) = call.replay.expected_reply(&call.asked.request) {
            if let Some(recorded) = self.again(call.replay, &call.clean) {
                return call.play(recorded, None).await;
            }
            // Streams that wait for the reply continue.
            call.replay.questions.add(reply, &call.asked.request, None);
            return Ok(call.refused(ASKED_BEFORE));
        }
        let to = match self.then {
            AfterFork::Live => return self.go_live(call).await,
            AfterFork::Script(to) => to,
        };
        if scripted_path(&call.clean).is_some() {
            self.state.send_modify(|state| state.scripted += 1);
            return call.redirected(to).await;
        }
        // Data that is only read may be read again, including that of the beginning.
        let found = self.again(call.replay, &call.clean);
        let Some(recorded) = found.filter(|(exchange, _)| exchange.is_kept()) else {
            let miss = self.matcher().missed(&call.clean);
            return Ok(call.missed(miss));
        };
        self.state.send_modify(|state| state.recorded += 1);
        call.play(recorded, None).await
    }

    /// Remembers the parts of the beginning that the live world does not know. Returns the live events of a stream that
    /// is being replayed.
    fn note(&self, call: &ForkCall<'_>, exchange: &Exchange) -> Option<Receiver<LiveEvent>> {
        let OutgoingRequest { target, parts, intake } = &call.outgoing;
        let request = &call.asked.request;
        self.sessions.note(&call.outgoing, request, exchange);
        self.streams.note(parts, request, intake);
        // A stream that ended before the fork does not concern the live world.
        let is_open = exchange.end.at_us > self.forked_us;
        is_open.then(|| self.streams.open(target, parts, request, exchange)).flatten()
    }

    /// Sends a request to the live world.
    async fn go_live(&self, call: ForkCall<'_>) -> ProxyAnswer {
        let (parts, request, shared) = (call.outgoing.parts, &call.asked.request, call.shared);
        let mut sent = self.sessions.sent(parts, request, shared).await;
        if matches!(sent, SessionChoice::AsItIs) {
            sent = self.streams.sent(parts, request, false, shared).await;
        }
        if matches!(sent, SessionChoice::Recorded) {
            if let Some(recorded) = self.again(call.replay, &call.clean) {
                let live = self.note(&call, recorded.0);
                return call.play(recorded, live).await;
            }
            sent = self.streams.sent(parts, request, true, shared).await;
        }
        let renewed = match sent {
            SessionChoice::AsItIs | SessionChoice::Recorded => None,
            SessionChoice::Renewed(renewed) => {
                let session = |parts: &Parts| parts.headers.get(&SESSION).cloned();
                if let Some((recorded, live)) = session(parts).zip(session(&renewed)) {
                    self.streams.follow(&recorded, &live, shared).await;
                }
                Some(renewed)
            }
            SessionChoice::Refused(reason) => return Ok(call.refused(&reason)),
        };
        self.count_live(1);
        let outgoing = OutgoingRequest { parts: renewed.as_deref().unwrap_or(parts), ..call.outgoing };
        Ok(forward::forward(outgoing, Some(call.asked), shared).await)
    }

    /// Whether the live world answers after the beginning.
    pub(crate) fn goes_live(&self) -> bool {
        self.then == AfterFork::Live
    }

    /// Whether the agent is past the beginning without diverging, and continues live.
    pub(crate) fn is_live(&self) -> bool {
        self.goes_live() && self.is_past() && !self.state.borrow().lost
    }

    /// Counts calls to the live world.
    pub(crate) fn count_live(&self, calls: usize) {
        self.state.send_modify(|state| state.live += calls);
    }

    /// Determines how a request is answered; also a message to an MCP server over standard input, if the rest is live.
    /// `clean` is the request without its secrets.
    pub(crate) fn step<'r>(
        &self,
        replay: &'r RecordingReplay,
        request: &RecordedRequest,
        clean: &RecordedRequest,
        number: usize,
    ) -> ForkStep<'r> {
        if !self.is_past() {
            let Some((exchange, reply_id)) = self.of_beginning(replay, request, clean) else { return ForkStep::Early };
            if exchange.is_kept() || self.spoken.contains_key(&exchange.id) {
                return ForkStep::Beginning(exchange, reply_id);
            }
            self.lose();
            return ForkStep::Lost(Miss { number, ..replay.not_kept(clean) });
        }
        if self.state.borrow().lost { ForkStep::Lost(missed(clean, number, GONE_ANOTHER_WAY)) } else { ForkStep::Past }
    }

    /// A request waited in vain for the end of the beginning: from now on nothing is sent live.
    pub(crate) fn lose_early(&self, replay: &RecordingReplay, clean: &RecordedRequest, number: usize) -> Miss {
        self.lose();
        Miss { number, ..replay.matcher().missed(clean) }
    }

    /// Finds the answer to a message to an MCP server over standard input, if the rest is scripted. No server is
    /// started after the beginning: its later recorded answers are used for equal requests.
    pub(crate) fn look<'r>(
        &'r self,
        replay: &'r RecordingReplay,
        request: &RecordedRequest,
        shared: &ProxyState,
    ) -> (RecordedLookup<'r>, RecordedRequest) {
        let number = replay.ask();
        let clean = request.redacted(&shared.ledger.secrets());
        let found = self.of_beginning(replay, request, &clean).or_else(|| self.again(replay, &clean));
        let Some((exchange, reply_id)) = found.filter(|(exchange, _)| exchange.is_kept()) else {
            self.state.send_modify(|state| state.lost |= !state.awaited.is_empty());
            let miss = replay.matcher().missed(&clean);
            return (RecordedLookup::Miss(Miss { number, ..miss }), clean);
        };
        (RecordedLookup::Recorded(exchange, reply_id), clean)
    }

    /// The recorded answer to an equal request after the beginning, or to one that may be repeated.
    fn again<'r>(&'r self, replay: &'r RecordingReplay, clean: &RecordedRequest) -> Option<RecordedAnswer<'r>> {
        let of_rest = self.matcher().answer_exact(clean);
        recorded(&self.rest, of_rest).or_else(|| {
            let of_beginning = replay.matcher().answer_exact(clean);
            recorded(&replay.recording, of_beginning)
        })
    }

    /// The call of the beginning that a request matches.
    fn of_beginning<'r>(
        &self,
        replay: &'r RecordingReplay,
        request: &RecordedRequest,
        clean: &RecordedRequest,
    ) -> Option<RecordedAnswer<'r>> {
        let mut matcher = replay.matcher();
        let answered = matcher.answer_equal(request).or_else(|| matcher.answer_recorded(clean));
        drop(matcher);
        let (exchange, reply_id) = recorded(&replay.recording, answered)?;
        self.state.send_modify(|state| state.awaited.retain(|id| *id != exchange.id));
        Some((exchange, reply_id))
    }

    fn is_past(&self) -> bool {
        self.state.borrow().awaited.is_empty()
    }

    /// From now on nothing is sent live.
    fn lose(&self) {
        self.state.send_modify(|state| state.lost = true);
    }

    /// The deadline of a request that starts waiting now.
    pub(crate) fn soon() -> Instant {
        Instant::now() + BEGINNING_TIMEOUT
    }

    /// Waits until the agent is past the beginning, up to this time.
    pub(crate) async fn is_past_by(&self, due: Instant) -> bool {
        if self.state.borrow().lost {
            return self.is_past();
        }
        let mut state = self.state.subscribe();
        tokio::time::timeout_at(due, state.wait_for(|state| state.awaited.is_empty())).await.is_ok()
    }

    fn matcher(&self) -> MutexGuard<'_, Matcher> {
        self.matcher.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The miss of a request after the beginning.
fn missed(clean: &RecordedRequest, number: usize, reason: &str) -> Miss {
    Miss { number, asked: clean.line(), reason: reason.to_owned(), ..Miss::default() }
}

fn recorded(recording: &Recording, answered: Option<Answered>) -> Option<RecordedAnswer<'_>> {
    let Some(Answered::Recorded { id, reply_id, .. }) = answered else { return None };
    Some((recording.exchange(id)?, reply_id))
}

impl ForkCall<'_> {
    fn missed(self, miss: Miss) -> Response<AnswerBody> {
        refuse(self.clean, Miss { number: self.number, ..miss }, self.shared)
    }

    fn refused(self, reason: &str) -> Response<AnswerBody> {
        let miss = missed(&self.clean, self.number, reason);
        self.missed(miss)
    }

    /// Sends a request to a scripted model. The recording keeps the original target.
    async fn redirected(self, to: SocketAddr) -> ProxyAnswer {
        let target = RequestTarget { tls: false, host: to.ip().to_string(), port: to.port() };
        let mut parts = self.outgoing.parts.clone();
        if let Some(uri) = scripted_path(&self.clean).and_then(|path| path.parse::<Uri>().ok()) {
            parts.uri = uri;
        }
        let outgoing = OutgoingRequest { target: &target, parts: &parts, intake: self.outgoing.intake };
        Ok(forward::forward(outgoing, Some(self.asked), self.shared).await)
    }

    /// Sends a recorded answer, and keeps it.
    async fn play(self, (exchange, reply_id): RecordedAnswer<'_>, live: Option<Receiver<LiveEvent>>) -> ProxyAnswer {
        self.replay.questions.add(exchange, &self.asked.request, None);
        let playback = ReplayNotice::Kept(self.asked.program, live);
        play(exchange, self.clean, reply_id.as_ref(), self.replay.clock(), self.shared, playback).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EndKind, ExchangeEnd};

    fn forking() -> Forking {
        let end = ExchangeEnd { at_us: 0, how: EndKind::Closed };
        let request = RecordedRequest { method: "POST".into(), path: "/x".into(), ..RecordedRequest::default() };
        let exchange = Exchange { id: 1, request, response: None, end, chatter: false, after: None };
        let recording = Recording { exchanges: vec![exchange], ..Recording::default() };
        let fork = Fork { until: 1, then: AfterFork::Live, spoken: Vec::new() };
        Forking::new(recording, &Circumstances::default(), &MatchRules::default(), fork).1
    }

    #[tokio::test(start_paused = true)]
    async fn early_call_waits_for_the_others_until_a_timeout() {
        let forking = Arc::new(forking());
        let began = tokio::time::Instant::now();
        assert!(!forking.is_past_by(Forking::soon()).await);
        assert_eq!(began.elapsed(), BEGINNING_TIMEOUT);
        let other = Arc::clone(&forking);
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(500)).await;
            other.state.send_modify(|state| state.awaited.clear());
        });
        let began = tokio::time::Instant::now();
        assert!(forking.is_past_by(Forking::soon()).await);
        assert!(began.elapsed() < BEGINNING_TIMEOUT);
    }

    #[tokio::test(start_paused = true)]
    async fn does_not_wait_for_a_diverged_agent() {
        let forking = forking();
        forking.lose();
        let began = tokio::time::Instant::now();
        assert!(!forking.is_past_by(Forking::soon()).await);
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
