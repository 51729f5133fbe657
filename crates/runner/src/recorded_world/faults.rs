//! Injects faults into a recorded world, by the names that its calls have in the trace.

use std::sync::{Arc, Mutex};

use agentci_plan::{FaultKind, RecordedCase};
use agentci_recorder::{RecordedRequest, RecorderSession, Spoil};
use agentci_stubs::Faults;
use agentci_wire::lock;

use super::observe::{asks_model, is_helper};
use super::{mcp_streams::McpAddresses, tool_exchange};

/// The faults of an attempt, shared with its session.
pub(super) type SharedFaults = Arc<Mutex<Faults>>;

/// Injects the faults into a session. If only the model is recorded, tools and their faults are played elsewhere. A
/// stream of an MCP server is not a call, so it has no faults.
pub(super) fn install(session: &RecorderSession, faults: &SharedFaults, holds: RecordedCase, mcp: McpAddresses) {
    let faults = Arc::clone(faults);
    session.spoil(move |request: &RecordedRequest| {
        if is_helper(request) || mcp.has_stream(request) {
            return None;
        }
        let mut faults = lock(&faults);
        let kind = if asks_model(request) {
            faults.next_of_model()
        } else if holds == RecordedCase::World {
            faults.next(&tool_exchange::name(request)?)
        } else {
            None
        };
        kind.map(spoil)
    });
}

fn spoil(kind: FaultKind) -> Spoil {
    match kind {
        FaultKind::Error(words) => Spoil::Error(words),
        FaultKind::Delay(time) => Spoil::Delay(time),
        FaultKind::Malformed => Spoil::Malformed,
        FaultKind::Truncated => Spoil::Truncated,
        FaultKind::Hang => Spoil::Hang,
    }
}
