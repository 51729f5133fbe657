//! Observes the servers of an attempt: tool calls for the trace, and misses.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use agentci_mock_mcp::{ServerEvent, ServerWatcher};
use agentci_plan::{FaultKind, McpSource, McpWorld};
use agentci_source::Span;
use agentci_stubs::{Faults, RouteMiss};
use agentci_trace::{EventKind, Observer, ToolCall, ToolResult};
use agentci_verdict::Finding;
use agentci_wire::lock;

use crate::services::{missed, told};
use crate::{job::CaseJob, observation_line::ObservationLine};

/// The maximum number of misses that are remembered per server.
const MISSES: usize = 1_000;

/// State that the servers of an attempt share.
#[derive(Debug)]
pub(super) struct WatchedServers {
    pub(super) faults: Mutex<Faults>,
    pub(super) line: Mutex<ObservationLine>,
}

/// What one server has seen.
#[derive(Debug)]
pub(super) struct ServerWatch {
    pub(super) name: String,
    span: Span,
    /// The help for a miss.
    help: &'static str,
    shared: Arc<WatchedServers>,
    reached: AtomicBool,
    misses: Mutex<Vec<RouteMiss>>,
}

impl ServerWatch {
    pub(super) fn new(world: &McpWorld, shared: Arc<WatchedServers>) -> Self {
        let (name, misses) = (world.name.value.clone(), Mutex::default());
        let help = match &world.source {
            McpSource::Script { .. } => "add an answer for it, or find out why the agent requests it",
            McpSource::Recording { .. } => {
                "if this request is intended, record it again: `agentci record -o FILE -- AGENT`"
            }
        };
        Self { name, span: world.span, help, shared, reached: AtomicBool::new(false), misses }
    }

    /// Whether any client connected.
    pub(super) fn was_reached(&self) -> bool {
        self.reached.load(Ordering::Relaxed)
    }

    pub(super) fn misses(&self, job: &CaseJob<'_>) -> Vec<Finding> {
        let misses = lock(&self.misses).clone();
        let place = job.place(self.span);
        told(misses).into_iter().map(|miss| missed(miss, &place, "this server", self.help)).collect()
    }

    fn call_id(&self, number: u64) -> String {
        format!("mcp:{}:{number}", self.name)
    }
}

/// Connects a server to its watch.
#[derive(Debug)]
pub(super) struct Watching(pub(super) Arc<ServerWatch>);

impl ServerWatcher for Watching {
    fn saw(&self, seen: ServerEvent) {
        let watch = &self.0;
        let kind = match seen {
            ServerEvent::Call { number, tool, arguments } => {
                EventKind::ToolCall(ToolCall::new(watch.call_id(number), tool, arguments, Observer::Stub))
            }
            ServerEvent::Answer { number, outcome, fault } => EventKind::ToolResult(ToolResult {
                fault: fault.map(|fault| fault.name().to_owned()),
                ..ToolResult::new(watch.call_id(number), outcome, Observer::Stub)
            }),
            ServerEvent::Miss { of, message } => {
                let message = format!("the MCP server `{}` has no answer: {message}", watch.name);
                let mut misses = lock(&watch.misses);
                if misses.len() < MISSES {
                    misses.push(RouteMiss { tool: of.clone(), message: message.clone(), notes: Vec::new() });
                }
                EventKind::Miss { tool: of, message }
            }
        };
        lock(&watch.shared.line).tell(kind);
    }

    fn reached(&self) {
        self.0.reached.store(true, Ordering::Relaxed);
    }

    fn fault(&self, tool: &str) -> Option<FaultKind> {
        lock(&self.0.shared.faults).next(tool)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_source::{Sources, Spanned};

    use super::*;

    #[test]
    fn number_of_kept_misses_is_limited() {
        let span = Span::whole(Sources::default().add(Path::new("agentci.yaml"), ""));
        let source = McpSource::Script { path: "orders.mcp.yaml".into(), script: Arc::default() };
        let world = McpWorld { name: Spanned::new("orders".to_owned(), span), source, span };
        let shared =
            Arc::new(WatchedServers { faults: Mutex::default(), line: Mutex::new(ObservationLine::new(None)) });
        let watching = Watching(Arc::new(ServerWatch::new(&world, shared)));
        for number in 0..=MISSES {
            watching.saw(ServerEvent::Miss { of: "find".into(), message: format!("no answer to {number}") });
        }
        assert_eq!(watching.0.misses.lock().unwrap().len(), MISSES);
    }
}
