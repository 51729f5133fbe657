//! The state of a case whose routes are served: its fixtures, calls and misses.

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

/// Maximum number of misses to keep.
const MISSES: usize = 1_000;
/// Maximum number of recorded calls, and maximum total size of their answers in bytes.
const RECORDED: usize = 10_000;
const RECORDED_BYTES: usize = 512 << 20;

/// A case whose routes are served.
#[derive(Debug)]
pub(super) struct SessionState {
    /// The first part of its paths; `None` if it is served at the root.
    pub(super) scope: Option<String>,
    /// Whether calls outside its scope belong to it too, because no other case is running.
    pub(super) alone: bool,
    pub(super) mode: Mode,
    pub(super) fixtures: FixtureSet,
    /// Destinations of forwarded requests, in record and live mode.
    pub(super) live: Vec<ForwardTarget>,
    /// Receives events until the case ends.
    observer: Mutex<Option<UnboundedSender<EventKind>>>,
    /// Its calls that arrived after it had ended.
    pub(super) late: LateCalls,
    state: Mutex<RouteState>,
    closed: watch::Sender<bool>,
}

#[derive(Debug, Default)]
pub(super) struct RouteState {
    pub(super) faults: Faults,
    /// How often the fixtures for one request were used, by tool and fixture indexes.
    used: HashMap<(String, Vec<usize>), usize>,
    misses: Vec<RouteMiss>,
    calls: u64,
    pub(super) recorded: Vec<RecordedToolCall>,
    recorded_bytes: usize,
}

impl RouteState {
    /// Records a call of a live tool; the error is an exceeded limit.
    pub(super) fn record(&mut self, call: RecordedToolCall) -> Result<(), String> {
        if self.recorded.len() >= RECORDED {
            return Err(format!("the limit of {RECORDED} recorded calls is reached"));
        }
        if self.recorded_bytes + call.bytes.len() > RECORDED_BYTES {
            return Err(format!("the limit of {} MiB of recorded answers is reached", RECORDED_BYTES >> 20));
        }
        self.recorded_bytes += call.bytes.len();
        self.recorded.push(call);
        Ok(())
    }
}

/// A call in progress.
#[derive(Debug)]
pub(super) struct BegunCall {
    id: String,
    /// The fault to inject.
    pub(super) fault: Option<FaultKind>,
}

impl SessionState {
    pub(super) fn new(
        (scope, alone): (Option<String>, bool),
        mode: Mode,
        fixtures: FixtureSet,
        live: Vec<ForwardTarget>,
        faults: Faults,
        observer: Option<UnboundedSender<EventKind>>,
    ) -> Self {
        let state = Mutex::new(RouteState { faults, ..RouteState::default() });
        let (observer, late, closed) = (Mutex::new(observer), LateCalls::default(), watch::Sender::new(false));
        Self { scope, alone, mode, fixtures, live, observer, late, state, closed }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, RouteState> {
        lock(&self.state)
    }

    /// Aborts pending requests.
    pub(super) fn close(&self) {
        self.closed.send_replace(true);
        // The state is kept to recognise late calls, but the receiver of events must see the end.
        lock(&self.observer).take();
    }

    /// Waits until it is closed.
    pub(super) async fn until_closed(&self) {
        // The sender lives as long as `self`, so this cannot fail.
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }

    /// Starts a call.
    pub(super) fn begin(&self, tool: &str, asked: &ToolRequest) -> BegunCall {
        let (id, fault) = {
            let mut state = self.state();
            state.calls += 1;
            (format!("call_{}", state.calls), state.faults.next(tool))
        };
        self.tell(EventKind::ToolCall(ToolCall::new(&*id, tool, asked.value().clone(), Observer::Stub)));
        BegunCall { id, fault }
    }

    /// Whether a fixture matches this request; false if the tool has no fixtures.
    pub(super) fn fits(&self, tool: &str, method: &Method, asked: &ToolRequest) -> bool {
        self.fixtures.tool(tool).is_some_and(|known| !known.matching(method, asked).is_empty())
    }

    /// The answer of the matching fixture. Fixtures for the same request are used in turn; the last one is repeated.
    pub(super) fn fixture(
        &self,
        tool: &str,
        method: &Method,
        asked: &ToolRequest,
    ) -> Result<RouteReply, Box<Explained>> {
        let Some(known) = self.fixtures.tool(tool) else {
            return Err(unknown_tool(&self.fixtures, tool, method, asked));
        };
        let matching = known.matching(method, asked);
        let Some(last) = matching.len().checked_sub(1) else { return Err(no_fixture(known, method, asked)) };
        let mut state = self.state();
        let turn = state.used.entry((tool.to_owned(), matching.clone())).or_default();
        let at = matching[last.min(*turn)];
        *turn += 1;
        Ok(known.fixtures[at].reply.clone())
    }

    /// Keeps a miss that may belong to this case.
    pub(super) fn strayed(&self, miss: &RouteMiss) {
        let mut state = self.state();
        if state.misses.len() < MISSES {
            state.misses.push(miss.clone());
        }
        drop(state);
        self.tell(EventKind::Miss { tool: miss.tool.clone(), message: miss.line() });
    }

    /// Keeps the miss of a call, and ends the call.
    pub(super) fn missed(&self, begun: &BegunCall, miss: &RouteMiss) {
        self.strayed(miss);
        self.answered(begun, Err(miss.message.clone()));
    }

    /// Reports the answer to a call.
    pub(super) fn answered(&self, begun: &BegunCall, answer: Result<Value, String>) {
        let fault = begun.fault.as_ref().map(|fault| fault.name().to_owned());
        let result = ToolResult::new(&*begun.id, answer, Observer::Stub);
        self.tell(EventKind::ToolResult(ToolResult { fault, ..result }));
    }

    /// The misses so far, up to the limit.
    pub(super) fn misses(&self) -> Vec<RouteMiss> {
        self.state().misses.clone()
    }

    /// Resets the use of fixtures and the misses.
    pub(super) fn reset(&self) {
        let mut state = self.state();
        state.used.clear();
        state.misses.clear();
    }

    fn tell(&self, kind: EventKind) {
        // The receiver may be gone.
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

    /// The number of calls with such an answer that are recorded, and the error of the next one.
    fn recorded(bytes: &Bytes) -> (usize, String) {
        let faults = Faults::new([].into(), 1);
        let fixtures = FixtureSet::default();
        let active = SessionState::new((None, false), Mode::Record, fixtures, Vec::new(), faults, None);
        let mut state = active.state();
        loop {
            if let Err(reason) = state.record(call(bytes)) {
                return (state.recorded.len(), reason);
            }
        }
    }

    #[test]
    fn recording_is_limited_in_calls_and_size() {
        assert_eq!(recorded(&Bytes::new()), (RECORDED, "the limit of 10000 recorded calls is reached".into()));
        let large = Bytes::from(vec![0; 64 << 20]);
        assert_eq!(recorded(&large), (8, "the limit of 512 MiB of recorded answers is reached".into()));
    }
}
