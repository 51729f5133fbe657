//! Tool calls that arrive after their case has ended.
//!
//! An agent that serves cases one after another may answer first and call its tools later. Such a call must not count
//! for the case that is running by then, because its checks would judge the behavior of another case.

use std::sync::{Arc, Mutex};

use agentci_wire::lock;

use super::miss::RouteMiss;

/// Maximum number of calls to keep.
const CALLS: usize = 100;

/// The late calls of a case. They can be read after its routes are closed.
#[derive(Debug, Clone, Default)]
pub struct LateCalls(Arc<Mutex<Vec<RouteMiss>>>);

impl LateCalls {
    /// The late calls so far, in order of arrival.
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
