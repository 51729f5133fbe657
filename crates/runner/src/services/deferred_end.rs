//! Holds back the end of a case whose agent is still running and may still call a tool of the case.
//!
//! Cases that run one after another share the paths of their tools if one agent serves all of them. The end of such a
//! case is emitted when the next case or the run is over.

use std::cell::RefCell;
use std::sync::Arc;

use agentci_verdict::{Body, CaseEnd, CaseStatus, settle};

use super::tools::LateToolCalls;
use crate::{event_sink::EventSink, secrets::Secrets};

/// At most one held-back end. Cases that run one after another share it, so it is in a cell.
#[derive(Default)]
pub(crate) struct DeferredEndSlot(RefCell<Option<DeferredEnd>>);

/// An end that is not emitted yet.
pub(crate) struct DeferredEnd {
    pub(crate) attempt: u32,
    pub(crate) timestamp: u64,
    pub(crate) end: CaseEnd,
    /// The agent's output, which is shown with a failure.
    pub(crate) printed: Vec<String>,
    pub(crate) late: LateToolCalls,
    pub(crate) secrets: Secrets,
}

impl DeferredEndSlot {
    pub(crate) fn hold(&self, held: DeferredEnd) {
        self.0.replace(Some(held));
    }

    /// Emits the held-back end, if there is one, and returns the status of its case.
    pub(crate) fn tell(&self, events: &EventSink<'_>) -> Option<CaseStatus> {
        let DeferredEnd { attempt, timestamp, mut end, printed, late, secrets } = self.0.take()?;
        let (found, warnings) = late.told();
        end.warnings.extend(warnings);
        if !found.is_empty() {
            end.findings.extend(found);
            (end.status, end.cause) = settle(&end.findings);
            end.passed = end.status == CaseStatus::Pass;
            end.stderr_tail = printed;
        }
        let (status, case_id) = (end.status, Arc::clone(&end.id));
        events.of_attempt((&case_id, attempt), timestamp, Body::CaseEnd(Arc::new(end)), &secrets);
        Some(status)
    }
}
