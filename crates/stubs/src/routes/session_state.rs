//! A case whose routes are served: its fixtures, and what has happened so far.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use agentci_plan::{FaultKind, Mode};
use agentci_trace::{EventKind, Observer, ToolCall, ToolResult};
use agentci_wire::lock;
use hyper::Method;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;

use super::fixtures::{FixtureSet, RouteReply};
use super::miss::{Explained, RouteMiss, no_fixture, unknown_tool};
use super::{forward::ForwardTarget, late_calls::LateCalls, recorded::RecordedToolCall, request::ToolRequest};
use crate::Faults;

/// The most misses that are remembered.
const MISSES: usize = 1_000;
/// How many calls are recorded at most, and how many bytes their answers have together.
const RECORDED: usize = 10_000;
const RECORDED_BYTES: usize = 512 << 20;

/// A case whose routes are served.
#[derive(Debug)]
pub(super) struct SessionState {
    /// The part of the path that is its own.
    pub(super) scope: Option<String>,
    /// Whether calls outside of its scope are its own as well, since no other case runs.
    pub(super) alone: bool,
    pub(super) mode: Mode,
    pub(super) shelf: FixtureSet,
    /// Where requests are forwarded to, when they are.
    pub(super) live: Vec<ForwardTarget>,
    /// Who is told of calls, until the case is over.
    observer: Mutex<Option<UnboundedSender<EventKind>>>,
    /// Its calls that came when it was over.
    pub(super) late: LateCalls,
    state: Mutex<RouteState>,
    closed: watch::Sender<bool>,
}

/// What has happened so far.
#[derive(Debug, Default)]
pub(super) struct RouteState {
    pub(super) faults: Faults,
    /// How often the fixtures for one request were used.
    used: HashMap<(String, Vec<usize>), usize>,
    misses: Vec<RouteMiss>,
    calls: u64,
    pub(super) recorded: Vec<RecordedToolCall>,
    recorded_bytes: usize,
}

impl RouteState {
    /// Takes note of a call of a live tool; what is refused is too much.
    pub(super) fn record(&mut self, call: RecordedToolCall) -> Result<(), String> {
        if self.recorded.len() >= RECORDED {
            return Err(format!("more than {RECORDED} calls are not recorded"));
        }
        if self.recorded_bytes + call.bytes.len() > RECORDED_BYTES {
            return Err(format!("more than {} MiB of answers are not recorded", RECORDED_BYTES >> 20));
        }
        self.recorded_bytes += call.bytes.len();
        self.recorded.push(call);
        Ok(())
    }
}

/// A call that has begun.
#[derive(Debug)]
pub(super) struct BegunCall {
    id: String,
    /// What goes wrong with it on purpose.
    pub(super) fault: Option<FaultKind>,
}

impl SessionState {
    pub(super) fn new(
        (scope, alone): (Option<String>, bool),
        mode: Mode,
        shelf: FixtureSet,
        live: Vec<ForwardTarget>,
        faults: Faults,
        observer: Option<UnboundedSender<EventKind>>,
    ) -> Self {
        let state = Mutex::new(RouteState { faults, ..RouteState::default() });
        let (observer, late, closed) = (Mutex::new(observer), LateCalls::default(), watch::Sender::new(false));
        Self { scope, alone, mode, shelf, live, observer, late, state, closed }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, RouteState> {
        lock(&self.state)
    }

    /// Ends every request that still waits.
    pub(super) fn close(&self) {
        self.closed.send_replace(true);
        // The case is kept to recognise late calls; whoever listens must not wait for it.
        lock(&self.observer).take();
    }

    /// Waits until it is closed.
    pub(super) async fn until_closed(&self) {
        // The sender lives as long as this does.
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }

    /// Takes note of a call.
    pub(super) fn begin(&self, tool: &str, asked: &ToolRequest) -> BegunCall {
        let (id, fault) = {
            let mut state = self.state();
            state.calls += 1;
            (format!("call_{}", state.calls), state.faults.next(tool))
        };
        self.tell(EventKind::ToolCall(ToolCall::new(&*id, tool, asked.value().clone(), Observer::Stub)));
        BegunCall { id, fault }
    }

    /// Whether a fixture is for this request; nobody knows where there are none.
    pub(super) fn fits(&self, tool: &str, method: &Method, asked: &ToolRequest) -> bool {
        self.shelf.tool(tool).is_some_and(|shelved| !shelved.matching(method, asked).is_empty())
    }

    /// The answer of the fixtures. Those for the same request are used in turn, the last again and again.
    pub(super) fn fixture(
        &self,
        tool: &str,
        method: &Method,
        asked: &ToolRequest,
    ) -> Result<RouteReply, Box<Explained>> {
        let Some(shelved) = self.shelf.tool(tool) else {
            return Err(unknown_tool(&self.shelf, tool, method, asked));
        };
        let matching = shelved.matching(method, asked);
        let Some(last) = matching.len().checked_sub(1) else { return Err(no_fixture(shelved, method, asked)) };
        let mut state = self.state();
        let turn = state.used.entry((tool.to_owned(), matching.clone())).or_default();
        let at = matching[last.min(*turn)];
        *turn += 1;
        Ok(shelved.fixtures[at].reply.clone())
    }

    /// Remembers a request that nothing answers, and that may be this case's.
    pub(super) fn strayed(&self, miss: &RouteMiss) {
        let mut state = self.state();
        if state.misses.len() < MISSES {
            state.misses.push(miss.clone());
        }
        drop(state);
        self.tell(EventKind::Miss { tool: miss.tool.clone(), message: miss.line() });
    }

    /// Remembers a call that nothing answers.
    pub(super) fn missed(&self, begun: &BegunCall, miss: &RouteMiss) {
        self.strayed(miss);
        self.answered(begun, Err(miss.message.clone()));
    }

    /// Takes note of the answer to a call.
    pub(super) fn answered(&self, begun: &BegunCall, answer: Result<Value, String>) {
        let fault = begun.fault.as_ref().map(|fault| fault.name().to_owned());
        let result = ToolResult::new(&*begun.id, answer, Observer::Stub);
        self.tell(EventKind::ToolResult(ToolResult { fault, ..result }));
    }

    /// The requests that nothing answered, as far as they are remembered.
    pub(super) fn misses(&self) -> Vec<RouteMiss> {
        self.state().misses.clone()
    }

    /// Begins anew: no fixture was used, and nothing was missed.
    pub(super) fn reset(&self) {
        let mut state = self.state();
        state.used.clear();
        state.misses.clear();
    }

    fn tell(&self, kind: EventKind) {
        // Whoever listened may be gone by now.
        if let Some(observer) = &*lock(&self.observer) {
            let _ = observer.send(kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use hyper::{HeaderMap, StatusCode};

    use super::*;

    fn call(bytes: &Bytes) -> RecordedToolCall {
        let (tool, method, asked) = ("t".to_owned(), Method::POST, ToolRequest::Body(Value::Null));
        RecordedToolCall {
            tool,
            method,
            asked,
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            bytes: bytes.clone(),
        }
    }

    /// How many calls with such an answer are recorded, and why no more.
    fn recorded(bytes: &Bytes) -> (usize, String) {
        let faults = Faults::new([].into(), 1);
        let shelf = FixtureSet::default();
        let active = SessionState::new((None, false), Mode::Record, shelf, Vec::new(), faults, None);
        let mut state = active.state();
        loop {
            if let Err(reason) = state.record(call(bytes)) {
                return (state.recorded.len(), reason);
            }
        }
    }

    #[test]
    fn a_recording_has_an_end() {
        assert_eq!(recorded(&Bytes::new()), (RECORDED, "more than 10000 calls are not recorded".into()));
        let large = Bytes::from(vec![0; 64 << 20]);
        assert_eq!(recorded(&large), (8, "more than 512 MiB of answers are not recorded".into()));
    }
}
