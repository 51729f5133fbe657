//! The secrets of a case: the one place from which everything is redacted.
//!
//! What the case brings along is known before its agent says anything, and nothing else decides how calls are compared and told
//! apart, so that every attempt does it in the same way. What is met on the way, such as a token in the answer of a tool or one
//! that a driver fetched, is known besides. All of it is removed from all that leaves the run: events and recordings.

use std::cell::RefCell;

use agentci_trace::Redactor;
use agentci_verdict::Body;
use agentci_wire::FetchedSecrets;

use crate::redact::redact;

/// The secrets of a case, over all of its attempts.
#[derive(Debug, Clone)]
pub(crate) struct Secrets {
    /// What is secret in every case of the suite.
    suite: Redactor,
    /// Events are redacted, and learned from, wherever they arise: also by a driver in the middle of a turn, which has no more
    /// than a shared reference. Nothing is awaited while this is borrowed.
    known: RefCell<KnownSecrets>,
    /// What drivers fetched themselves, such as access tokens.
    pub(crate) fetched: FetchedSecrets,
}

#[derive(Debug, Clone)]
struct KnownSecrets {
    /// What the present attempt brings along.
    brought: Redactor,
    /// That, and what was met in any attempt.
    all: Redactor,
}

impl Secrets {
    /// Nothing is known but the secrets of the suite.
    pub(crate) fn new(suite: &Redactor) -> Self {
        let known = KnownSecrets { brought: suite.clone(), all: suite.clone() };
        Self { suite: suite.clone(), known: RefCell::new(known), fetched: FetchedSecrets::default() }
    }

    /// Begins an attempt, which brings along its own.
    pub(crate) fn begin_attempt(&self) {
        self.known.borrow_mut().brought = self.suite.clone();
    }

    /// Learns what the case brings along.
    pub(crate) fn bring(&self, learn: impl FnOnce(&mut Redactor)) {
        let KnownSecrets { brought, all } = &mut *self.known.borrow_mut();
        learn(brought);
        all.absorb(brought);
    }

    /// Learns what is met on the way.
    pub(crate) fn meet(&self, learn: impl FnOnce(&mut Redactor)) {
        learn(&mut self.known.borrow_mut().all);
    }

    /// What the attempt brought along: calls are compared without it.
    pub(crate) fn brought(&self) -> Redactor {
        self.known.borrow().brought.clone()
    }

    /// Everything that is known by now: what is written is written without it.
    pub(crate) fn all(&self) -> Redactor {
        let all = &mut self.known.borrow_mut().all;
        self.fetched.each(|secret| all.learn_value(secret));
        all.clone()
    }

    /// Removes everything that is known by now from an event, and learns what the event shows under a secret key.
    pub(crate) fn redact(&self, body: &mut Body) {
        let all = &mut self.known.borrow_mut().all;
        self.fetched.each(|secret| all.learn_value(secret));
        redact(body, all);
    }
}
