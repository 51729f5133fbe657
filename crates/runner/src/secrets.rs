//! The secrets of a case: the only source for redaction.
//!
//! Secrets that the case itself defines are known before its agent starts. Only these affect how calls are compared, so
//! that every attempt compares them in the same way. Secrets that are met along the way, such as a token in a tool's
//! answer or one that a driver fetched, are added. All of them are removed from everything that leaves the run: events
//! and recordings.

use std::cell::RefCell;

use agentci_trace::Redactor;
use agentci_verdict::Body;
use agentci_wire::FetchedSecrets;
use serde_json::Value;

use crate::{fingerprint::clean_fingerprint, redact::redact};

/// The secrets of a case, across all of its attempts.
#[derive(Debug, Clone)]
pub(crate) struct Secrets {
    /// Secrets of every case of the suite.
    suite: Redactor,
    /// Events are redacted, and new secrets learned from them, wherever they are emitted: also by a driver in the
    /// middle of a turn, which only has a shared reference. Nothing is awaited while this is borrowed.
    known: RefCell<KnownSecrets>,
    /// Secrets that drivers fetched, such as access tokens.
    pub(crate) fetched: FetchedSecrets,
}

#[derive(Debug, Clone)]
struct KnownSecrets {
    /// Secrets that the current attempt defines.
    brought: Redactor,
    /// Those, and all secrets met in any attempt.
    all: Redactor,
}

impl Secrets {
    /// Starts with the secrets of the suite.
    pub(crate) fn new(suite: &Redactor) -> Self {
        let known = KnownSecrets { brought: suite.clone(), all: suite.clone() };
        Self { suite: suite.clone(), known: RefCell::new(known), fetched: FetchedSecrets::default() }
    }

    /// Begins an attempt, which defines its own secrets.
    pub(crate) fn begin_attempt(&self) {
        self.known.borrow_mut().brought = self.suite.clone();
    }

    /// Learns secrets that the case defines.
    pub(crate) fn bring(&self, learn: impl FnOnce(&mut Redactor)) {
        let KnownSecrets { brought, all } = &mut *self.known.borrow_mut();
        learn(brought);
        all.absorb(brought);
    }

    /// Learns secrets that are met along the way.
    pub(crate) fn meet(&self, learn: impl FnOnce(&mut Redactor)) {
        learn(&mut self.known.borrow_mut().all);
    }

    /// The secrets that the attempt defines; calls are compared without them.
    pub(crate) fn brought(&self) -> Redactor {
        self.known.borrow().brought.clone()
    }

    /// All known secrets; everything that is written is written without them.
    pub(crate) fn all(&self) -> Redactor {
        let all = &mut self.known.borrow_mut().all;
        self.fetched.each(|secret| all.learn_value(secret));
        all.clone()
    }

    /// The fingerprint of a value without any known secret, and whether the value contains one.
    pub(crate) fn fingerprint(&self, value: &Value) -> (String, bool) {
        let all = &self.known.borrow().all;
        let clean = all.clean(value);
        (clean_fingerprint(&clean), *clean != *value)
    }

    /// Removes all known secrets from an event, and learns values under secret keys in the event.
    pub(crate) fn redact(&self, body: &mut Body) {
        let all = &mut self.known.borrow_mut().all;
        self.fetched.each(|secret| all.learn_value(secret));
        redact(body, all);
    }
}
