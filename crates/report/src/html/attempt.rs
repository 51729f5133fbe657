//! An attempt at a case: at most 192 KB of its steps are kept.

use agentci_verdict::{Body, CaseStatus, CheckStatus, RunEvent};
use serde::Serialize;

use super::check::Checks;
use super::step::PageStep;
use super::steps::PageSteps;
use super::value;

/// The maximum size of an attempt's steps, in bytes.
const STEPS_LIMIT: usize = 192 * 1024;

/// The data of an attempt on the page.
#[derive(Debug, Default, Serialize)]
pub(super) struct RunningAttempt {
    pub(super) number: u32,
    pub(super) checks: Checks,
    steps: PageSteps,
    /// Its start, in Unix milliseconds.
    #[serde(skip)]
    begun: u64,
    #[serde(skip)]
    pub(super) status: CaseStatus,
    #[serde(skip)]
    pub(super) held: usize,
    /// The output of the agent, as HTML.
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
                self.held += usize::from(check.status == CheckStatus::Passed);
                self.checks.add(check);
            }
            Body::FinalOutput(given) => self.output = value::json(&given.output, value::SHORT),
            _ => {}
        }
        if let Some(step) = PageStep::of(event, self.begun) {
            self.steps.add(step, STEPS_LIMIT);
        }
    }

    /// Truncates each step to `each` bytes, and all of them to `limit` bytes.
    pub(super) fn shorten(&mut self, each: usize, limit: usize) {
        self.steps.shorten(each, limit);
        self.checks.shorten(limit);
    }
}
