//! What has been asked in a replay so far, for streams that go on only then.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::proxy::{PlayClock, Spoil};
use crate::{Exchange, RecordedRequest, ReplayPace};

/// What has been asked so far.
#[derive(Debug, Default)]
pub(crate) struct Questions(watch::Sender<AskedSoFar>);

#[derive(Debug, Default)]
pub(crate) struct AskedSoFar {
    exchanges: HashMap<u64, Question>,
    /// The streams that were opened.
    opened: HashSet<u64>,
    /// The replies of the client to questions that a recorded server has asked.
    expected: HashSet<u64>,
}

/// A request that was answered by an exchange.
#[derive(Debug)]
struct Question {
    at: Instant,
    recorded_us: u64,
    /// Its JSON-RPC id, where it is another than the recorded one.
    id: Option<Value>,
    /// What is to go wrong with its answer, which comes over a stream.
    spoil: Option<Spoil>,
}

impl Questions {
    /// A request was found to be this exchange, whose answer over a stream is to go wrong in this way.
    pub(crate) fn add(&self, exchange: &Exchange, sent: &RecordedRequest, spoil: Option<Spoil>) {
        let id = id_of(sent).filter(|id| id_of(&exchange.request) != Some(id)).cloned();
        let question = Question { at: Instant::now(), recorded_us: exchange.request.at_us, id, spoil };
        self.0.send_modify(|asked| drop(asked.exchanges.insert(exchange.id, question)));
    }

    /// A client opens a stream, with which these exchanges are answered. If it did so before, it has lost that one and asks anew.
    pub(crate) fn open(&self, stream: u64, exchanges: impl Iterator<Item = u64>) {
        self.0.send_modify(|asked| {
            if !asked.opened.insert(stream) {
                exchanges.for_each(|exchange| drop(asked.exchanges.remove(&exchange)));
            }
        });
    }

    /// A recorded server asks what this exchange replies to.
    pub(crate) fn expect(&self, reply: u64) {
        self.0.send_if_modified(|asked| asked.expected.insert(reply));
    }

    /// Whether a recorded server has asked what this exchange replies to, and waits.
    pub(crate) fn expects(&self, reply: u64) -> bool {
        let asked = self.0.borrow();
        asked.expected.contains(&reply) && !asked.exchanges.contains_key(&reply)
    }

    pub(crate) fn contains(&self, id: u64) -> bool {
        self.0.borrow().exchanges.contains_key(&id)
    }

    /// The JSON-RPC id that the answer must have, where it is another.
    pub(crate) fn number(&self, id: u64) -> Option<Value> {
        self.0.borrow().exchanges.get(&id)?.id.clone()
    }

    /// What is to go wrong with the answer now. A question that was answered so counts as not asked: the client may ask again.
    pub(crate) fn take_spoilt(&self, id: u64) -> Option<Spoil> {
        let mut spoil = None;
        self.0.send_if_modified(|asked| {
            spoil = asked.exchanges.get_mut(&id).and_then(|question| question.spoil.take());
            spoil.is_some() && asked.exchanges.remove(&id).is_some()
        });
        spoil
    }

    /// When something is due that was said at this moment of the recording to a request.
    pub(crate) fn due(&self, id: u64, at_us: u64, pace: ReplayPace) -> Option<Instant> {
        let asked = self.0.borrow();
        let question = asked.exchanges.get(&id)?;
        PlayClock { began: question.at, pace }.due(at_us.saturating_sub(question.recorded_us))
    }

    /// Tells when something more is asked.
    pub(crate) fn subscribe(&self) -> watch::Receiver<AskedSoFar> {
        self.0.subscribe()
    }
}

fn id_of(request: &RecordedRequest) -> Option<&Value> {
    request.body.as_json()?.get("id")
}
