//! The requests of a replay so far, for streams that wait for them.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::proxy::{PlayClock, Spoil};
use crate::{Exchange, RecordedRequest, ReplayPace};

/// The requests so far.
#[derive(Debug, Default)]
pub(crate) struct Questions(watch::Sender<AskedSoFar>);

#[derive(Debug, Default)]
pub(crate) struct AskedSoFar {
    exchanges: HashMap<u64, Question>,
    /// The streams that were opened.
    opened: HashSet<u64>,
    /// The replies of the client to questions of a recorded server.
    expected: HashSet<u64>,
}

/// A request that was answered by an exchange.
#[derive(Debug)]
struct Question {
    at: Instant,
    recorded_us: u64,
    /// Its JSON-RPC id, if it differs from the recorded one.
    id: Option<Value>,
    /// The fault to inject into its answer, which comes over a stream.
    spoil: Option<Spoil>,
}

impl Questions {
    /// Adds a request that matched this exchange, with the fault to inject into its answer over a stream.
    pub(crate) fn add(&self, exchange: &Exchange, sent: &RecordedRequest, spoil: Option<Spoil>) {
        let id = id_of(sent).filter(|id| id_of(&exchange.request) != Some(id)).cloned();
        let question = Question { at: Instant::now(), recorded_us: exchange.request.at_us, id, spoil };
        self.0.send_modify(|asked| drop(asked.exchanges.insert(exchange.id, question)));
    }

    /// A client opens a stream that answers these exchanges. If it was open before, the client lost it and sends its
    /// requests again.
    pub(crate) fn open(&self, stream: u64, exchanges: impl Iterator<Item = u64>) {
        self.0.send_modify(|asked| {
            if !asked.opened.insert(stream) {
                exchanges.for_each(|exchange| drop(asked.exchanges.remove(&exchange)));
            }
        });
    }

    /// A recorded server asks the question that this exchange replies to.
    pub(crate) fn expect(&self, reply: u64) {
        self.0.send_if_modified(|asked| asked.expected.insert(reply));
    }

    /// Whether a recorded server has asked the question that this exchange replies to, and waits for the reply.
    pub(crate) fn expects(&self, reply: u64) -> bool {
        let asked = self.0.borrow();
        asked.expected.contains(&reply) && !asked.exchanges.contains_key(&reply)
    }

    pub(crate) fn contains(&self, id: u64) -> bool {
        self.0.borrow().exchanges.contains_key(&id)
    }

    /// The JSON-RPC id of the answer, if it differs from the recorded one.
    pub(crate) fn number(&self, id: u64) -> Option<Value> {
        self.0.borrow().exchanges.get(&id)?.id.clone()
    }

    /// The fault to inject into the answer now. The request then counts as not sent: the client may send it again.
    pub(crate) fn take_spoilt(&self, id: u64) -> Option<Spoil> {
        let mut spoil = None;
        self.0.send_if_modified(|asked| {
            spoil = asked.exchanges.get_mut(&id).and_then(|question| question.spoil.take());
            spoil.is_some() && asked.exchanges.remove(&id).is_some()
        });
        spoil
    }

    /// When data is due that was recorded at this time, relative to its request.
    pub(crate) fn due(&self, id: u64, at_us: u64, pace: ReplayPace) -> Option<Instant> {
        let asked = self.0.borrow();
        let question = asked.exchanges.get(&id)?;
        PlayClock { began: question.at, pace }.due(at_us.saturating_sub(question.recorded_us))
    }

    /// Notifies about further requests.
    pub(crate) fn subscribe(&self) -> watch::Receiver<AskedSoFar> {
        self.0.subscribe()
    }
}

fn id_of(request: &RecordedRequest) -> Option<&Value> {
    request.body.as_json()?.get("id")
}
