//! The differences of each case from the baseline.

use std::collections::HashMap;

use agentci_verdict::{CallStep, CaseChanges, CaseStatus, GateReport, StepChange};
use serde::Serialize;

/// The differences of a case from the baseline.
#[derive(Debug, Default, Serialize)]
pub(super) struct Departure<'r> {
    /// Whether the case is not in the baseline.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    new: bool,
    /// The status in the baseline, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<CaseStatus>,
    /// The number of the first tool call that differs, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<usize>,
    /// Whether its prompts differ.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    prompts: bool,
    /// The calls of the baseline from there on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<&'r CallStep>,
}

/// The cases that differ, by id.
pub(super) type Departures<'r> = HashMap<&'r str, Departure<'r>>;

/// The differences of a run that was compared with a baseline.
pub(super) fn departures(report: Option<&GateReport>) -> Departures<'_> {
    let mut all = Departures::default();
    let Some(report) = report.filter(|report| report.baseline_path.is_some() && report.problem.is_none()) else {
        return all;
    };
    let CaseChanges { new_in_current, status_changed, steps_changed, prompts_changed, .. } =
        &report.comparison.case_diffs;
    for id in new_in_current {
        all.entry(id).or_default().new = true;
    }
    for change in status_changed {
        all.entry(&change.id).or_default().status = Some(change.baseline);
    }
    for id in prompts_changed.iter().flat_map(|change| &change.cases) {
        all.entry(id).or_default().prompts = true;
    }
    for StepChange { id, first_difference, baseline, baseline_after, .. } in steps_changed {
        let departure = all.entry(id).or_default();
        departure.step = Some(*first_difference);
        departure.calls = baseline.iter().chain(baseline_after).collect();
    }
    all
}

impl Departure<'_> {
    /// A short description of the differences.
    pub(super) fn words(&self) -> String {
        let new = self.new.then(|| "new".to_owned());
        let status = self.status.map(|status| format!("was {}", status.name()));
        let step = self.step.map(|step| format!("step {step} differs"));
        let prompts = self.prompts.then(|| "prompts differ".to_owned());
        new.into_iter().chain(status).chain(step).chain(prompts).collect::<Vec<_>>().join(", ")
    }
}
