//! An attempt at a case: no more than 192 KB are kept of its steps.

use agentci_verdict::{Body, CaseStatus, CheckStatus, RunEvent};
use serde::Serialize;

use super::check::Checks;
use super::step::PageStep;
use super::steps::PageSteps;
use super::value;

/// How much of the steps of an attempt is kept, in bytes.
const STEPS_LIMIT: usize = 192 * 1024;

/// What is shown of an attempt.
#[derive(Debug, Default, Serialize)]
pub(super) struct RunningAttempt {
    pub(super) number: u32,
    pub(super) checks: Checks,
    steps: PageSteps,
    /// When it began, in Unix milliseconds.
    #[serde(skip)]
    begun: u64,
    /// How it ended.
    #[serde(skip)]
    pub(super) status: CaseStatus,
    #[serde(skip)]
    pub(super) held: usize,
    /// What the agent gave, in HTML.
    #[serde(skip)]
    pub(super) output: String,
}

impl RunningAttempt {
    pub(super) fn new(number: u32, begun: u64) -> Self {
        Self { number, begun, ..Self::default() }
    }

    pub(super) fn add(&mut self, event: &RunEvent) {
        match &event.body {
            Body::Check(check) => {
                self.held += usize::from(check.status == CheckStatus::Held);
                self.checks.add(check);
            }
            Body::FinalOutput(given) => self.output = value::json(&given.output, value::SHORT),
            _ => {}
        }
        if let Some(step) = PageStep::of(event, self.begun) {
            self.steps.add(step, STEPS_LIMIT);
        }
    }

    /// Keeps the beginning of each step, and of all of them.
    pub(super) fn shorten(&mut self, each: usize, limit: usize) {
        self.steps.shorten(each, limit);
        self.checks.shorten(limit);
    }
}
