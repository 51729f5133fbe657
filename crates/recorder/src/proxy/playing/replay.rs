//! Finds the answers to requests in a recording, and handles those that it has none for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use hyper::{Response, StatusCode};
use serde_json::Value;
use tokio::time::Instant;

use super::play::{ReplayNotice, play};
use crate::proxy::forwarding::forward;
use crate::proxy::own_answers::{of_miss, whole};
use crate::proxy::{
    AnswerBody, Decide, Forking, ObservedRequest, OngoingExchange, OutgoingRequest, PlayClock, ProxyAnswer, ProxyState,
    Questions, RequestTarget, Spoil, StreamPosition, in_streams, spoilt,
};
use crate::{
    AfterFork, Answered, Circumstances, EndKind, Exchange, Fork, MatchRules, Matcher, Miss, NearestRequest, OnMiss,
    PostEndpoint, RecordedRequest, Recording, Remedy, ReplayPace, ReplayTally, is_chatter, miss_answer,
};

/// What a recording contains for a request.
#[derive(Debug)]
pub(crate) enum RecordedLookup<'r> {
    /// Nothing, and an empty answer is enough.
    Chatter,
    /// This exchange answers it; its answer must have this JSON-RPC id, if any.
    Recorded(&'r Exchange, Option<Value>),
    /// It has no answer.
    Miss(Miss),
}

/// The result for a request.
struct FoundRequest {
    answered: Answered,
    /// The request without its secrets.
    clean: RecordedRequest,
    /// The request as it was sent, if more than its headers may differ.
    changed: Option<RecordedRequest>,
}

/// A recording that answers requests.
pub(crate) struct RecordingReplay {
    pub(crate) recording: Arc<Recording>,
    matcher: Mutex<Matcher>,
    /// What happens to a request that is not in the recording.
    pub(crate) on_miss: OnMiss,
    /// How fast answers are sent.
    pub(crate) pace: ReplayPace,
    /// Where it leaves the recording.
    fork: Option<Forking>,
    /// Injects faults; can be set once.
    pub(crate) spoils: OnceLock<Box<Decide>>,
    /// Exchanges that were requested but not used, since a fault was injected into their answers.
    spoilt: Mutex<BTreeSet<u64>>,
    asked: AtomicUsize,
    /// The exchanges that were answered over a stream.
    in_streams: OnceLock<BTreeMap<u64, StreamPosition>>,
    /// The requests so far, for streams that wait for them.
    pub(crate) questions: Arc<Questions>,
    /// Misses that the matcher does not count.
    further_misses: AtomicUsize,
    /// Those of them that the matcher counts as answered: exactly, and with holes.
    not_kept: [AtomicUsize; 2],
}

impl RecordingReplay {
    pub(crate) fn new(
        recording: Arc<Recording>,
        here: Circumstances,
        rules: MatchRules,
        on_miss: OnMiss,
        pace: ReplayPace,
    ) -> Self {
        let matcher = Mutex::new(Matcher::new(Arc::clone(&recording), here, rules));
        Self {
            recording,
            matcher,
            on_miss,
            pace,
            fork: None,
            spoils: OnceLock::new(),
            spoilt: Mutex::default(),
            asked: AtomicUsize::default(),
            in_streams: OnceLock::new(),
            questions: Arc::default(),
            further_misses: AtomicUsize::default(),
            not_kept: Default::default(),
        }
    }

    /// A replay that leaves the recording after a call.
    pub(crate) fn forked(
        recording: Recording,
        here: Circumstances,
        rules: MatchRules,
        fork: Fork,
        pace: ReplayPace,
    ) -> Self {
        let on_miss = if fork.then == AfterFork::Live { OnMiss::Record } else { OnMiss::Fail };
        let (beginning, fork) = Forking::new(recording, &here, &rules, fork);
        let replay = Self::new(Arc::new(beginning), here, rules, on_miss, pace);
        Self { fork: Some(fork), ..replay }
    }

    pub(crate) fn fork(&self) -> Option<&Forking> {
        self.fork.as_ref()
    }

    /// Whether requests may be sent to the live world.
    pub(crate) fn is_live(&self) -> bool {
        self.on_miss != OnMiss::Fail
    }

    /// All exchanges; in a fork, without the later calls to models.
    pub(super) fn exchanges(&self) -> impl Iterator<Item = &Exchange> + Clone {
        let rest = self.fork.iter().flat_map(|fork| &fork.rest.exchanges);
        self.recording.exchanges.iter().chain(rest)
    }

    /// Whether an exchange was only accepted, and answered over a stream.
    fn is_in_stream(&self, id: u64) -> bool {
        self.in_streams.get_or_init(|| in_streams(self.exchanges())).contains_key(&id)
    }

    /// The origins in the recording.
    pub(crate) fn origins(&self) -> BTreeSet<String> {
        self.exchanges().map(|exchange| exchange.request.origin.clone()).collect()
    }

    /// Counts a miss that the matcher does not know, and returns its number.
    pub(crate) fn count(&self) -> usize {
        self.further_misses.fetch_add(1, Ordering::Relaxed);
        self.asked.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The miss of a request to a target that cannot be recorded.
    pub(crate) fn unrecordable(&self, asked: String, reason: &str, target: &RequestTarget) -> Miss {
        let (reason, remedy) = (reason.to_owned(), Some(Remedy::Allow(target.authority())));
        Miss { number: self.count(), asked, reason, nearest: None, remedy }
    }

    /// The result so far.
    pub(crate) fn tally(&self) -> ReplayTally {
        let mut tally = self.matcher().tally();
        tally.misses += self.further_misses.load(Ordering::Relaxed);
        let [exact, with_holes] = self.not_kept.each_ref().map(|count| count.load(Ordering::Relaxed));
        tally.exact = tally.exact.saturating_sub(exact);
        tally.with_holes = tally.with_holes.saturating_sub(with_holes);
        // An agent that does not retry after a fault has still sent the request.
        let spoilt = self.spoilt.lock().unwrap_or_else(PoisonError::into_inner);
        tally.unused.retain(|id| !spoilt.contains(id));
        tally
    }

    /// Whether the recording contains this origin.
    pub(crate) fn has_origin(&self, origin: &str) -> bool {
        self.exchanges().any(|exchange| exchange.request.origin == origin)
    }

    /// The fault to inject into the answer to a request.
    pub(crate) fn spoil(&self, request: &RecordedRequest) -> Option<Spoil> {
        self.spoils.get().filter(|_| !is_chatter(request)).and_then(|decide| decide(request))
    }

    /// Finds the answer to a request. An exchange is not used up if a fault is injected into its answer. Also returns
    /// the request without its secrets.
    pub(crate) fn look(
        &self,
        request: RecordedRequest,
        spoil: Option<&Spoil>,
        shared: &ProxyState,
    ) -> (RecordedLookup<'_>, RecordedRequest) {
        if let Some(fork) = self.fork.as_ref().filter(|_| !is_chatter(&request)) {
            return fork.look(self, &request, shared);
        }
        let FoundRequest { answered, clean, changed } = self.find(request, spoil, shared);
        let request = changed.as_ref().unwrap_or(&clean);
        let look = match answered {
            Answered::Chatter => RecordedLookup::Chatter,
            Answered::Recorded { id, reply_id, holes } => {
                self.asked.fetch_add(1, Ordering::Relaxed);
                match self.recording.exchange(id) {
                    Some(exchange) if exchange.is_kept() => {
                        let on_stream = spoil.filter(|spoil| !matches!(spoil, Spoil::Delay(_)));
                        self.questions.add(exchange, request, on_stream.filter(|_| self.is_in_stream(id)).cloned());
                        if spoil.is_some() {
                            self.spoilt.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
                        }
                        RecordedLookup::Recorded(exchange, reply_id)
                    }
                    kept => {
                        if kept.is_some() {
                            self.further_misses.fetch_add(1, Ordering::Relaxed);
                            self.not_kept[usize::from(!holes.is_empty())].fetch_add(1, Ordering::Relaxed);
                        }
                        RecordedLookup::Miss(self.not_kept(&clean))
                    }
                }
            }
            Answered::Miss(miss) => {
                self.asked.fetch_add(1, Ordering::Relaxed);
                self.note_answer(&miss, request);
                RecordedLookup::Miss(*miss)
            }
        };
        (look, clean)
    }

    /// Answers a request from the recording, or handles the miss.
    pub(crate) async fn answer(
        &self,
        outgoing: OutgoingRequest<'_>,
        asked: ObservedRequest,
        shared: &Arc<ProxyState>,
    ) -> ProxyAnswer {
        if let Some(fork) = self.fork.as_ref().filter(|_| !is_chatter(&asked.request)) {
            return fork.answer(self, outgoing, asked, shared).await;
        }
        let spoil = self.spoil(&asked.request);
        if let Some(Spoil::Delay(time)) = &spoil {
            tokio::time::sleep(*time).await;
        }
        let clock = self.clock();
        let ObservedRequest { request, program, .. } = asked;
        let forwarded = self.is_live().then(|| request.clone());
        let (look, clean) = self.look(request, spoil.as_ref(), shared);
        let miss = match look {
            RecordedLookup::Chatter => {
                let mut response = Response::new(whole(""));
                *response.status_mut() = StatusCode::NO_CONTENT;
                return Ok(response);
            }
            RecordedLookup::Recorded(exchange, reply_id) => {
                let playback =
                    spoil.as_ref().map_or(ReplayNotice::Replayed, |spoil| ReplayNotice::Spoilt(spoil.name()));
                // If the answer comes over a stream, the fault is injected there.
                let changed = spoil.filter(|_| !self.is_in_stream(exchange.id)).map(|spoil| spoilt(exchange, &spoil));
                let exchange = changed.as_ref().unwrap_or(exchange);
                return play(exchange, clean, reply_id.as_ref(), clock, shared, playback).await;
            }
            RecordedLookup::Miss(miss) => miss,
        };
        let Some(request) = forwarded else { return Ok(refuse(clean, miss, shared)) };
        let asked = ObservedRequest { request, program, keep: self.on_miss == OnMiss::Record };
        Ok(forward::forward(outgoing, Some(asked), shared).await)
    }

    pub(crate) fn clock(&self) -> PlayClock {
        PlayClock { began: Instant::now(), pace: self.pace }
    }

    pub(crate) fn matcher(&self) -> MutexGuard<'_, Matcher> {
        self.matcher.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request, and returns its number.
    pub(crate) fn ask(&self) -> usize {
        self.asked.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The result for a request.
    fn find(&self, request: RecordedRequest, spoil: Option<&Spoil>, shared: &ProxyState) -> FoundRequest {
        let mut matcher = self.matcher();
        let secrets = shared.ledger.secrets();
        if spoil.is_some_and(|spoil| !matches!(spoil, Spoil::Delay(_))) {
            let clean = request.redacted(&secrets);
            return FoundRequest { answered: matcher.look_up(&clean), clean, changed: Some(request) };
        }
        if let Some(answered) = matcher.answer_equal(&request) {
            return FoundRequest { answered, clean: request.with_clean_headers(&secrets), changed: None };
        }
        let clean = request.redacted(&secrets);
        FoundRequest { answered: matcher.answer(&clean), clean, changed: Some(request) }
    }

    /// A client that replies to its server differently than recorded has still replied: streams that wait for it
    /// continue.
    fn note_answer(&self, miss: &Miss, request: &RecordedRequest) {
        let body = request.body.as_json();
        let is_answer = body.is_some_and(|body| body.get("jsonrpc").is_some() && body.get("method").is_none());
        let nearest = miss.nearest.as_ref().filter(|_| is_answer);
        if let Some(exchange) = nearest.and_then(|nearest| self.recording.exchange(nearest.id)) {
            self.questions.add(exchange, request, None);
        }
    }

    /// The recorded reply to a question of a recorded server, if this request is a different reply to it.
    pub(crate) fn expected_reply(&self, request: &RecordedRequest) -> Option<&Exchange> {
        let id = reply_id(request)?;
        let mut expected = self.exchanges().filter(|reply| self.questions.expects(reply.id));
        expected.find(|reply| reply.request.origin == request.origin && reply_id(&reply.request) == Some(id))
    }

    /// Whether requests like this one are only accepted, and answered over a stream: an error in the answer would not
    /// be read.
    fn is_answered_elsewhere(&self, miss: &Miss, request: &RecordedRequest) -> bool {
        let is_accepted = |nearest: &NearestRequest| {
            let response = self.recording.exchange(nearest.id).and_then(|exchange| exchange.response.as_ref());
            self.is_in_stream(nearest.id) || response.is_some_and(|response| response.status == 202)
        };
        // The endpoint of requests that are answered over a stream.
        let endpoint = PostEndpoint::of(request);
        let is_of_stream =
            |other: &Exchange| self.is_in_stream(other.id) && PostEndpoint::of(&other.request) == endpoint;
        miss.nearest.as_ref().is_some_and(is_accepted) || self.exchanges().any(is_of_stream)
    }

    pub(crate) fn not_kept(&self, request: &RecordedRequest) -> Miss {
        let asked = request.line();
        let reason = "its answer was too large to be recorded".to_owned();
        let remedy = Some(Remedy::less(&request.origin));
        Miss { number: self.asked.load(Ordering::Relaxed), asked, reason, nearest: None, remedy }
    }
}

/// Answers a miss in the format of the client, and keeps it. The miss is reported to the observer first.
pub(crate) fn refuse(request: RecordedRequest, miss: Miss, shared: &ProxyState) -> Response<AnswerBody> {
    let nearest = |near: &NearestRequest| format!("; nearest is call {}, which differs at {}", near.id, near.at);
    let nearest = miss.nearest.as_ref().map(nearest).unwrap_or_default();
    let message = format!("agentci replay: {} is not in the recording: {}{nearest}", miss.asked, miss.reason);
    let mut answer = miss_answer(request.speaks, &request, &shared.ledger.clean(&message));
    if shared.replay.as_ref().is_some_and(|replay| replay.is_answered_elsewhere(&miss, &request)) {
        answer.status = 400;
    }
    shared.ledger.miss(miss);
    let mut ongoing = OngoingExchange::missed(&shared.ledger, request);
    ongoing.head(answer.status, answer.headers.clone());
    ongoing.chunk(&Bytes::from(answer.body.clone()));
    ongoing.end(EndKind::Closed);
    of_miss(answer)
}

/// The JSON-RPC id of a client's reply to its server.
fn reply_id(request: &RecordedRequest) -> Option<&Value> {
    request.body.as_json().filter(|body| body.get("method").is_none())?.get("id")
}
