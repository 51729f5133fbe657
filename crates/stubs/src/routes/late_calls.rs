//! Calls that come when their case is over.
//!
//! An agent that serves many cases one after the other may answer first and call its tools later. Such a call is no call of the
//! case that runs by then, or its checks would judge what another case did.

use std::sync::{Arc, Mutex};

use agentci_wire::lock;

use super::miss::RouteMiss;

/// The most calls that are remembered.
const CALLS: usize = 100;

/// The calls of a case that came too late. It may be asked for them after its routes were closed.
#[derive(Debug, Clone, Default)]
pub struct LateCalls(Arc<Mutex<Vec<RouteMiss>>>);

impl LateCalls {
    /// The calls so far, in the order they came.
    pub fn calls(&self) -> Vec<RouteMiss> {
        lock(&self.0).clone()
    }

    pub(super) fn add(&self, call: RouteMiss) {
        let mut calls = lock(&self.0);
        if calls.len() < CALLS {
            calls.push(call);
        }
    }
}
