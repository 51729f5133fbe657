//! The end of a case that is not told yet: its agent goes on, and may still call a tool of the case.
//!
//! Cases that run one after the other share the paths of their tools where the agent is there for all of them. What such a case
//! comes to is told when the next one is over, or the run is.

use std::cell::RefCell;
use std::sync::Arc;

use agentci_verdict::{Body, CaseEnd, CaseStatus, settle};

use super::tools::Late;
use crate::{event_sink::EventSink, secrets::Secrets};

/// At most one end that is not told yet. Cases that run one after the other share it, so it is in a cell.
#[derive(Default)]
pub(crate) struct HeldEnd(RefCell<Option<UntoldEnd>>);

/// An end that is not told yet.
pub(crate) struct UntoldEnd {
    pub(crate) attempt: u32,
    pub(crate) timestamp: u64,
    pub(crate) end: CaseEnd,
    /// What the agent printed, which is told with a failure.
    pub(crate) printed: Vec<String>,
    pub(crate) late: Late,
    /// What must not leave the case.
    pub(crate) secrets: Secrets,
}

impl HeldEnd {
    /// Holds an end.
    pub(crate) fn hold(&self, held: UntoldEnd) {
        self.0.replace(Some(held));
    }

    /// Tells the end that was held, if one was; and what the case came to.
    pub(crate) fn tell(&self, events: &EventSink<'_>) -> Option<CaseStatus> {
        let UntoldEnd { attempt, timestamp, mut end, printed, late, secrets } = self.0.take()?;
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
