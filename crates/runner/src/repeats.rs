//! Whether a case is run again: a fixed number of times, or until it is decided whether it got worse.

use std::cell::{Cell, RefCell};

use agentci_plan::{Mode, RepeatBudget, Repeats};
use agentci_source::print_duration;
use agentci_stubs::Faults;
use agentci_trace::add_decimals;
use agentci_verdict::{CaseEnd, CaseHistory, CaseStatus, RepeatRule};
use tokio::time::Instant;

use crate::job::CaseJob;

/// What runs have used so far.
#[derive(Debug)]
pub(crate) struct RepeatSpending {
    started: Instant,
    cost_usd: Cell<f64>,
    /// Whether a run reported no cost.
    is_unknown: Cell<bool>,
}

/// The runs of a case so far.
#[derive(Debug, Default)]
pub(crate) struct CaseProgress {
    results: RefCell<CaseHistory>,
    spending: RepeatSpending,
}

impl Default for RepeatSpending {
    fn default() -> Self {
        Self { started: Instant::now(), cost_usd: Cell::default(), is_unknown: Cell::default() }
    }
}

impl RepeatSpending {
    fn add(&self, end: &CaseEnd) {
        match end.metrics.usage.cost_usd {
            Some(cost) => self.cost_usd.set(add_decimals(self.cost_usd.get(), cost)),
            None => self.is_unknown.set(true),
        }
    }

    /// Adds a run of a stored case, if the case was repeated until it was decided.
    pub(crate) fn add_stored(&self, end: &CaseEnd) {
        if end.most_runs.is_some() {
            self.add(end);
        }
    }

    /// Why no further run may start, if the budget is used up. `of` is the key in the suite that sets it.
    fn exceeded(&self, budget: RepeatBudget, of: &str) -> Option<String> {
        if let Some(limit) = budget.cost_usd {
            if self.is_unknown.get() {
                return Some(format!("`{of}.max_cost_usd` cannot be enforced, because the agent reports no cost"));
            }
            if self.cost_usd.get() >= limit {
                return Some(format!("`{of}.max_cost_usd` of {limit} USD is used up"));
            }
        }
        let limit = budget.wall.filter(|limit| self.started.elapsed() >= *limit)?;
        Some(format!("`{of}.max_wall` of {} is used up", print_duration(limit)))
    }
}

/// Adds to the end of a run how many runs of the case there are, as far as known: another one follows, or it was the
/// last.
pub(crate) fn plan_next(job: &CaseJob<'_>, number: u32, end: &mut CaseEnd) {
    let Some(repeats) = job.case.repeats.as_deref().filter(|_| end.status != CaseStatus::Skipped) else { return };
    let shared = &job.run.shared;
    for spending in [&job.progress.spending, &shared.repeat_spending] {
        spending.add(end);
    }
    end.most_runs = Some(job.case.runs);
    end.runs = if needs_another(job, repeats, number, end) { number + 1 } else { number };
}

fn needs_another(job: &CaseJob<'_>, repeats: &Repeats, number: u32, end: &mut CaseEnd) -> bool {
    // The next run would say nothing about the agent either, or the same.
    if !end.counts() || is_deterministic(job) {
        return false;
    }
    let mut results = job.progress.results.borrow_mut();
    results.runs += 1;
    results.passes += u64::from(end.status == CaseStatus::Pass);
    if number >= job.case.runs {
        return false;
    }
    if number < repeats.min {
        return true;
    }
    if is_decided(job.run.rule.as_ref(), &job.case.id, *results) {
        return false;
    }
    let spending = [
        (&job.progress.spending, repeats.budget, "runs"),
        (&job.run.shared.repeat_spending, repeats.total, "runs.total"),
    ];
    let used_up = spending.into_iter().find_map(|(spending, budget, of)| spending.exceeded(budget, of));
    end.warnings.extend(used_up.iter().map(|reason| format!("the case is not repeated until it is decided: {reason}")));
    used_up.is_none()
}

/// Without a rule, there is nothing to decide.
fn is_decided(rule: Option<&RepeatRule<'_>>, case: &str, results: CaseHistory) -> bool {
    rule.is_none_or(|rule| rule.is_decided(case, results))
}

/// Whether each run of the case is the same.
fn is_deterministic(job: &CaseJob<'_>) -> bool {
    let mode = job.run.options.mode;
    // Recording again would replace what was recorded.
    mode == Mode::Record || job.case.is_deterministic(mode) && !Faults::drawn(&job.case.world.faults)
}
