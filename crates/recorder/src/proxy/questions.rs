//! What has been asked in a replay so far, for streams that go on only then.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::Instant;

use super::player::Clock;
use super::spoil::Spoil;
use crate::{Exchange, Pace, Request};

/// What has been asked so far.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    exchanges: Mutex<HashMap<u64, Question>>,
    /// The streams that were opened.
    opened: Mutex<HashSet<u64>>,
    /// The replies of the client to questions that a recorded server has asked.
    expected: Mutex<HashSet<u64>>,
    changed: Notify,
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
    pub(super) fn add(&self, exchange: &Exchange, sent: &Request, spoil: Option<Spoil>) {
        let id = id_of(sent).filter(|id| id_of(&exchange.request) != Some(id)).cloned();
        let question = Question { at: Instant::now(), recorded_us: exchange.request.at_us, id, spoil };
        self.lock().insert(exchange.id, question);
        self.changed.notify_waiters();
    }

    /// A client opens a stream, with which these exchanges are answered. If it did so before, it has lost that one and asks anew.
    pub(super) fn open(&self, stream: u64, exchanges: impl Iterator<Item = u64>) {
        let is_first = self.opened.lock().unwrap_or_else(PoisonError::into_inner).insert(stream);
        if !is_first {
            let mut asked = self.lock();
            for exchange in exchanges {
                asked.remove(&exchange);
            }
        }
    }

    /// A recorded server asks what this exchange replies to.
    pub(super) fn expect(&self, reply: u64) {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner).insert(reply);
    }

    /// Whether a recorded server has asked what this exchange replies to, and waits.
    pub(super) fn expects(&self, reply: u64) -> bool {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner).contains(&reply) && !self.contains(reply)
    }

    pub(super) fn contains(&self, id: u64) -> bool {
        self.lock().contains_key(&id)
    }

    /// The JSON-RPC id that the answer must have, where it is another.
    pub(super) fn number(&self, id: u64) -> Option<Value> {
        self.lock().get(&id).and_then(|question| question.id.clone())
    }

    /// What is to go wrong with the answer now. A question that was answered so counts as not asked: the client may ask again.
    pub(super) fn take_spoilt(&self, id: u64) -> Option<Spoil> {
        let mut asked = self.lock();
        let spoil = asked.get_mut(&id)?.spoil.take()?;
        asked.remove(&id);
        Some(spoil)
    }

    /// When something is due that was said at this moment of the recording to a request.
    pub(super) fn due(&self, id: u64, at_us: u64, pace: Pace) -> Option<Instant> {
        let asked = self.lock();
        let question = asked.get(&id)?;
        Clock { began: question.at, pace }.due(at_us.saturating_sub(question.recorded_us))
    }

    /// Waits until something more is asked.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Question>> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn id_of(request: &Request) -> Option<&Value> {
    request.body.as_json()?.get("id")
}
