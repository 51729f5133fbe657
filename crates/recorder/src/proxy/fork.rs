//! Answers up to a call from a recording, and then live or with a scripted model.
//!
//! The agent is past the recorded beginning when it has made every call of it. Until then a request that is not there is a miss: the
//! agent went another way, and what it would do next proves nothing. From the first such miss on nothing goes live.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::Response;
use hyper::http::Uri;
use hyper::http::request::Parts;
use serde_json::Value;
use tokio::sync::Notify;
use tokio::sync::mpsc::Receiver;
use tokio::time::Instant;

use super::Shared;
use super::fork_session::{SESSION, Sent, Sessions};
use super::fork_stream::{Live, Streams};
use super::forward::{self, Asked};
use super::intake::Intake;
use super::replay::{Look, Replay, Told, play, refuse};
use super::speech::Speech;
use super::target::Target;
use super::tee::BrokenOff;
use crate::fork::{Cut, scripted_path};
use crate::{Answered, Exchange, Fork, Forked, How, MatchRules, Matcher, Miss, Recording, Request, Surroundings, Then};

/// How long a request waits for the agent to be past the recorded beginning: of calls that are made at once, a later one may come
/// first.
const BEGINNING_TIMEOUT: Duration = Duration::from_secs(2);

/// Why nothing goes on after the agent went another way.
const GONE_ANOTHER_WAY: &str = "the agent left the recording before the fork, so nothing goes on";

/// Why another reply to a recorded question is not sent.
const ASKED_BEFORE: &str = "its MCP server asked for this before the fork, and what it said then answers another reply";

/// A replay that leaves its recording.
#[derive(Debug)]
pub(crate) struct Forking {
    then: Then,
    /// Calls of the beginning that a scripted model answers.
    spoken: BTreeMap<u64, SocketAddr>,
    rest: Arc<Recording>,
    /// When the last request of the beginning was made, in the recording.
    forked_us: u64,
    matcher: Mutex<Matcher>,
    sessions: Sessions,
    streams: Streams,
    state: Mutex<State>,
    past: Notify,
    live: AtomicUsize,
    scripted: AtomicUsize,
    recorded: AtomicUsize,
}

#[derive(Debug)]
struct State {
    awaited: BTreeSet<u64>,
    /// Whether the agent went another way before it was past the beginning.
    lost: bool,
}

/// Where a message to an MCP server over standard input belongs, if the rest goes on live.
#[derive(Debug)]
pub(crate) enum Step<'r> {
    /// To the beginning: this exchange answers it, with this JSON-RPC id.
    Beginning(&'r Exchange, Option<Value>),
    /// It is not in the beginning, which is not over: it has to wait.
    Early,
    /// After the beginning.
    Past,
    /// Nowhere: the agent went another way before it was past the beginning.
    Lost(Miss),
}

/// A request on its way.
struct Passing<'r> {
    target: &'r Target,
    parts: &'r Parts,
    intake: Intake,
    asked: Asked,
    /// The request without its secrets.
    clean: Request,
}

impl Forking {
    /// The recorded beginning, and what follows it.
    pub(super) fn new(recording: Recording, here: &Surroundings, rules: &MatchRules, fork: Fork) -> (Recording, Self) {
        let Cut { beginning, rest, awaited } = Cut::at(recording, fork.until);
        let rest = Arc::new(rest);
        let forked_us = beginning.exchanges.iter().map(|exchange| exchange.request.at_us).max().unwrap_or(0);
        let matcher = Mutex::new(Matcher::new(Arc::clone(&rest), here.clone(), rules.clone()));
        let forking = Self {
            then: fork.then,
            spoken: fork.spoken.into_iter().collect(),
            rest,
            forked_us,
            matcher,
            sessions: Sessions::default(),
            streams: Streams::default(),
            state: Mutex::new(State { awaited, lost: false }),
            past: Notify::new(),
            live: AtomicUsize::new(0),
            scripted: AtomicUsize::new(0),
            recorded: AtomicUsize::new(0),
        };
        (beginning, forking)
    }

    /// What follows the beginning, without the calls of models.
    pub(super) fn rest(&self) -> &Recording {
        &self.rest
    }

    /// How it went so far.
    pub(crate) fn outcome(&self) -> Forked {
        let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let state = self.state();
        Forked {
            lost: state.lost,
            awaited: state.awaited.iter().copied().collect(),
            live: count(&self.live),
            scripted: count(&self.scripted),
            recorded: count(&self.recorded),
        }
    }

    /// Answers a request.
    pub(super) async fn answer(
        &self,
        replay: &Replay,
        target: &Target,
        parts: &Parts,
        intake: Intake,
        asked: Asked,
        shared: &Arc<Shared>,
    ) -> Result<Response<Speech>, BrokenOff> {
        let number = replay.ask();
        let clean = asked.request.redacted(&shared.ledger.secrets());
        let passing = Passing { target, parts, intake, asked, clean };
        if !self.is_past() {
            let found = self.of_beginning(replay, &passing.asked.request, &passing.clean);
            if let Some(Answered::Recorded { id, reply_id, .. }) = found {
                if let Some(to) = self.spoken.get(&id) {
                    return Ok(passing.redirected(*to, shared).await);
                }
                let kept = replay.exchange(id).filter(|exchange| exchange.end.how != How::TooLarge);
                let Some(exchange) = kept else {
                    let miss = replay.not_kept(&passing.clean);
                    return Ok(self.lose(passing.clean, Miss { number, ..miss }, shared));
                };
                let live = if self.goes_live() { self.note(&passing, exchange) } else { None };
                return passing.play(exchange, reply_id.as_ref(), live, replay, shared).await;
            }
            if !self.is_past_soon().await {
                let miss = replay.matcher().missed(&passing.clean);
                return Ok(self.lose(passing.clean, Miss { number, ..miss }, shared));
            }
        }
        self.after(replay, number, passing, shared).await
    }

    /// Answers a request that comes after the beginning.
    async fn after(
        &self,
        replay: &Replay,
        number: usize,
        passing: Passing<'_>,
        shared: &Arc<Shared>,
    ) -> Result<Response<Speech>, BrokenOff> {
        if self.state().lost {
            let miss = missed(&passing.clean, number, GONE_ANOTHER_WAY);
            return Ok(refuse(passing.clean, miss, shared));
        }
        if let Some(reply) = replay.expected_reply(&passing.asked.request) {
            if let Some((exchange, reply_id)) = self.again(replay, &passing.clean) {
                return passing.play(exchange, reply_id.as_ref(), None, replay, shared).await;
            }
            // What waits for it goes on.
            replay.questions().add(reply, &passing.asked.request, None);
            let miss = missed(&passing.clean, number, ASKED_BEFORE);
            return Ok(refuse(passing.clean, miss, shared));
        }
        let to = match self.then {
            Then::Live => return self.go_live(replay, number, passing, shared).await,
            Then::Script(to) => to,
        };
        if scripted_path(&passing.clean).is_some() {
            self.scripted.fetch_add(1, Ordering::Relaxed);
            return Ok(passing.redirected(to, shared).await);
        }
        // What is there to be read may be read again, also what is in the beginning.
        let found = self.again(replay, &passing.clean);
        let Some((exchange, reply_id)) = found.filter(|(exchange, _)| exchange.end.how != How::TooLarge) else {
            let miss = self.matcher().missed(&passing.clean);
            return Ok(refuse(passing.clean, Miss { number, ..miss }, shared));
        };
        self.recorded.fetch_add(1, Ordering::Relaxed);
        passing.play(exchange, reply_id.as_ref(), None, replay, shared).await
    }

    /// Remembers what of the beginning the live world will not know. Gives what a live server says on a stream that is played.
    fn note(&self, passing: &Passing<'_>, exchange: &Exchange) -> Option<Receiver<Live>> {
        let Passing { target, parts, intake, asked, .. } = passing;
        self.sessions.note(target, parts, intake, exchange);
        self.streams.note(parts, &asked.request, intake);
        // One that was over by then has nothing to do with the live world.
        let is_open = exchange.end.at_us > self.forked_us;
        is_open.then(|| self.streams.open(target, parts, &asked.request, exchange)).flatten()
    }

    /// Sends a request to the live world.
    async fn go_live(
        &self,
        replay: &Replay,
        number: usize,
        passing: Passing<'_>,
        shared: &Arc<Shared>,
    ) -> Result<Response<Speech>, BrokenOff> {
        let mut sent = self.sessions.sent(passing.parts, &passing.asked.request, shared).await;
        if matches!(sent, Sent::AsItIs) {
            sent = self.streams.sent(passing.parts, &passing.asked.request, false, shared).await;
        }
        if matches!(sent, Sent::Recorded) {
            if let Some((exchange, reply_id)) = self.again(replay, &passing.clean) {
                let live = self.note(&passing, exchange);
                return passing.play(exchange, reply_id.as_ref(), live, replay, shared).await;
            }
            sent = self.streams.sent(passing.parts, &passing.asked.request, true, shared).await;
        }
        let renewed = match sent {
            Sent::AsItIs | Sent::Recorded => None,
            Sent::Renewed(parts) => {
                let session = |parts: &Parts| parts.headers.get(&SESSION).cloned();
                if let Some((recorded, live)) = session(passing.parts).zip(session(&parts)) {
                    self.streams.follow(&recorded, &live, shared).await;
                }
                Some(parts)
            }
            Sent::Refused(reason) => {
                let miss = missed(&passing.clean, number, &reason);
                return Ok(refuse(passing.clean, miss, shared));
            }
        };
        self.count_live(1);
        let Passing { target, parts, intake, asked, .. } = passing;
        let parts = renewed.as_deref().unwrap_or(parts);
        Ok(forward::forward(target, parts, intake, Some(asked), shared).await)
    }

    /// Whether the live world answers after the beginning.
    pub(crate) fn goes_live(&self) -> bool {
        self.then == Then::Live
    }

    /// Whether the agent is past the beginning as it was recorded, and goes on live.
    pub(crate) fn is_live(&self) -> bool {
        self.goes_live() && self.is_past() && !self.state().lost
    }

    /// Calls went to the live world.
    pub(crate) fn count_live(&self, calls: usize) {
        self.live.fetch_add(calls, Ordering::Relaxed);
    }

    /// Finds where a message to an MCP server over standard input belongs, if the rest goes on live. `clean` is the same message
    /// without its secrets.
    pub(crate) fn step<'r>(&self, replay: &'r Replay, request: &Request, clean: &Request, number: usize) -> Step<'r> {
        if !self.is_past() {
            let Some(Answered::Recorded { id, reply_id, .. }) = self.of_beginning(replay, request, clean) else {
                return Step::Early;
            };
            let kept = replay.exchange(id).filter(|exchange| exchange.end.how != How::TooLarge);
            let Some(exchange) = kept else {
                self.state().lost = true;
                return Step::Lost(Miss { number, ..replay.not_kept(clean) });
            };
            return Step::Beginning(exchange, reply_id);
        }
        if self.state().lost { Step::Lost(missed(clean, number, GONE_ANOTHER_WAY)) } else { Step::Past }
    }

    /// A message to an MCP server waited for the end of the beginning, which did not come.
    pub(crate) fn lose_early(&self, replay: &Replay, clean: &Request, number: usize) -> Miss {
        self.state().lost = true;
        Miss { number, ..replay.matcher().missed(clean) }
    }

    /// Finds what answers a message to an MCP server over standard input, if the rest is scripted. No server is started after the
    /// beginning: what it said later answers what is asked the same again.
    pub(super) fn look<'r>(&'r self, replay: &'r Replay, request: &Request, shared: &Shared) -> (Look<'r>, Request) {
        let number = replay.ask();
        let clean = request.redacted(&shared.ledger.secrets());
        let of_beginning = self.of_beginning(replay, request, &clean);
        let found = match of_beginning {
            Some(Answered::Recorded { id, reply_id, .. }) => replay.exchange(id).zip(Some(reply_id)),
            _ => self.again(replay, &clean),
        };
        let Some((exchange, reply_id)) = found.filter(|(exchange, _)| exchange.end.how != How::TooLarge) else {
            let mut state = self.state();
            state.lost |= !state.awaited.is_empty();
            drop(state);
            let miss = replay.matcher().missed(&clean);
            return (Look::Miss(Miss { number, ..miss }), clean);
        };
        (Look::Recorded(exchange, reply_id), clean)
    }

    /// What was recorded after the beginning, or may be read again, for exactly this request.
    fn again<'r>(&'r self, replay: &'r Replay, clean: &Request) -> Option<(&'r Exchange, Option<Value>)> {
        let exact = |matcher: &mut Matcher| matcher.answer_exact(clean);
        let of_rest = exact(&mut self.matcher());
        match of_rest {
            Some(Answered::Recorded { id, reply_id, .. }) => {
                self.rest.exchanges.iter().find(|it| it.id == id).zip(Some(reply_id))
            }
            _ => match exact(&mut replay.matcher()) {
                Some(Answered::Recorded { id, reply_id, .. }) => replay.exchange(id).zip(Some(reply_id)),
                _ => None,
            },
        }
    }

    /// The call of the beginning that a request makes.
    fn of_beginning(&self, replay: &Replay, request: &Request, clean: &Request) -> Option<Answered> {
        let mut matcher = replay.matcher();
        let equal = matcher.answer_equal(request);
        let answered = equal.or_else(|| matcher.answer_recorded(clean))?;
        drop(matcher);
        if let Answered::Recorded { id, .. } = &answered {
            let mut state = self.state();
            state.awaited.remove(id);
            if state.awaited.is_empty() {
                self.past.notify_waiters();
            }
        }
        Some(answered)
    }

    /// A miss before the fork: from now on nothing goes live.
    fn lose(&self, request: Request, miss: Miss, shared: &Shared) -> Response<Speech> {
        self.state().lost = true;
        refuse(request, miss, shared)
    }

    fn is_past(&self) -> bool {
        self.state().awaited.is_empty()
    }

    /// Whether the agent is past the beginning, if not now, then soon.
    async fn is_past_soon(&self) -> bool {
        self.is_past_by(Self::soon()).await
    }

    /// When a request that comes now has waited long enough.
    pub(crate) fn soon() -> Instant {
        Instant::now() + BEGINNING_TIMEOUT
    }

    /// Whether the agent is past the beginning at this time.
    pub(crate) async fn is_past_by(&self, due: Instant) -> bool {
        let wait = async {
            loop {
                let changed = self.past.notified();
                if self.is_past() {
                    return;
                }
                changed.await;
            }
        };
        if self.state().lost {
            return self.is_past();
        }
        tokio::time::timeout_at(due, wait).await.is_ok()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn matcher(&self) -> MutexGuard<'_, Matcher> {
        self.matcher.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The miss of a request after the beginning.
fn missed(clean: &Request, number: usize, reason: &str) -> Miss {
    let asked = format!("{} {}{}", clean.method, clean.origin, clean.path);
    Miss { number, asked, reason: reason.to_owned(), ..Miss::default() }
}

impl Passing<'_> {
    /// Sends a request to a scripted model. The recording has it where the agent sent it.
    async fn redirected(self, to: SocketAddr, shared: &Arc<Shared>) -> Response<Speech> {
        let target = Target { tls: false, host: to.ip().to_string(), port: to.port() };
        let mut parts = self.parts.clone();
        if let Some(uri) = scripted_path(&self.clean).and_then(|path| path.parse::<Uri>().ok()) {
            parts.uri = uri;
        }
        forward::forward(&target, &parts, self.intake, Some(self.asked), shared).await
    }

    /// Sends a recorded answer, and keeps it.
    async fn play(
        self,
        exchange: &Exchange,
        reply_id: Option<&Value>,
        live: Option<Receiver<Live>>,
        replay: &Replay,
        shared: &Arc<Shared>,
    ) -> Result<Response<Speech>, BrokenOff> {
        replay.questions().add(exchange, &self.asked.request, None);
        play(exchange, self.clean, reply_id, replay.clock(), shared, Told::Kept(self.asked.program, live)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::End;

    fn forking() -> Forking {
        let end = End { at_us: 0, how: How::Closed };
        let request = Request { method: "POST".into(), path: "/x".into(), ..Request::default() };
        let exchange = Exchange { id: 1, request, response: None, end, chatter: false, after: None };
        let recording = Recording { exchanges: vec![exchange], ..Recording::default() };
        let fork = Fork { until: 1, then: Then::Live, spoken: Vec::new() };
        Forking::new(recording, &Surroundings::default(), &MatchRules::default(), fork).1
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_comes_early_waits_for_the_others_but_not_for_ever() {
        let forking = Arc::new(forking());
        let began = tokio::time::Instant::now();
        assert!(!forking.is_past_soon().await);
        assert_eq!(began.elapsed(), BEGINNING_TIMEOUT);
        let other = Arc::clone(&forking);
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(500)).await;
            other.state().awaited.clear();
            other.past.notify_waiters();
        });
        let began = tokio::time::Instant::now();
        assert!(forking.is_past_soon().await);
        assert!(began.elapsed() < BEGINNING_TIMEOUT);
    }

    #[tokio::test(start_paused = true)]
    async fn an_agent_that_went_another_way_is_not_waited_for() {
        let forking = forking();
        forking.state().lost = true;
        let began = tokio::time::Instant::now();
        assert!(!forking.is_past_soon().await);
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
