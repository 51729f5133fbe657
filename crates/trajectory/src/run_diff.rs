//! Compares two runs.

use std::collections::HashMap;

use agentci_text::{and_more, count_of};

use crate::case_diff::only_in;
use crate::groups::repeated;
use crate::{CaseDiff, CaseTrajectories, RepeatedChange, RunKind, RunTrajectories, compare_cases};

/// The differences of two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDiff<'t> {
    /// The name of the suite in both runs.
    pub suites: [&'t str; 2],
    /// All cases: those of the new run in its order, then those that only the old run has.
    pub cases: Vec<CaseDiff<'t>>,
    /// Differences that repeat in several cases.
    pub repeated: Vec<RepeatedChange<'t>>,
    /// What was not compared, and why.
    pub not_compared: Vec<String>,
}

impl RunDiff<'_> {
    /// Whether anything differs.
    pub fn differs(&self) -> bool {
        self.cases.iter().any(CaseDiff::differs)
    }

    /// The number of values that vary from run to run and count as equal.
    pub fn ignored(&self) -> usize {
        self.cases.iter().map(|case| case.ignored).sum()
    }
}

/// Compares two runs. With `exact`, ids and times that vary from run to run count as well.
pub fn compare_runs<'t>(old: &'t RunTrajectories, new: &'t RunTrajectories, exact: bool) -> RunDiff<'t> {
    let mut before: HashMap<(&str, usize), &'t CaseTrajectories> = numbered(&old.cases).collect();
    let times = [old.time, new.time];
    let mut other_rule = Vec::new();
    let mut cases: Vec<CaseDiff<'t>> = Vec::with_capacity(new.cases.len());
    for (key, case) in numbered(&new.cases) {
        let Some(earlier) = before.remove(&key) else {
            cases.push(only_in(case, true));
            continue;
        };
        if old.steps_rule != new.steps_rule && case.seen_by_others {
            other_rule.push(case.id.as_str());
            cases.push(without_steps(earlier, case));
        } else {
            cases.push(compare_cases(earlier, case, times, exact));
        }
    }
    let left = numbered(&old.cases).filter(|(key, _)| before.contains_key(key));
    cases.extend(left.map(|(_, case)| only_in(case, false)));
    let repeated = repeated(&cases);
    let not_compared = not_compared([old, new], &cases, &other_rule);
    RunDiff { suites: [&old.suite, &new.suite], cases, repeated, not_compared }
}

/// A case whose steps cannot be compared.
fn without_steps<'t>(old: &'t CaseTrajectories, new: &'t CaseTrajectories) -> CaseDiff<'t> {
    let (before, now) = (only_in(old, false), only_in(new, true));
    CaseDiff { old: before.old, shapes: Vec::new(), unknown_steps: true, ..now }
}

/// The cases with their ids. Some formats allow duplicate ids; then the nth case is compared with the nth.
fn numbered(cases: &[CaseTrajectories]) -> impl Iterator<Item = ((&str, usize), &CaseTrajectories)> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    cases.iter().map(move |case| {
        let number = seen.entry(&case.id).or_default();
        *number += 1;
        ((case.id.as_str(), *number), case)
    })
}

fn not_compared(runs: [&RunTrajectories; 2], cases: &[CaseDiff<'_>], other_rule: &[&str]) -> Vec<String> {
    let mut told = Vec::new();
    if runs.iter().any(|run| run.kind == RunKind::Baseline) {
        told.push(
            "results of calls, inputs, messages, answers, and times of steps: a baseline does not keep them; compare two \
             run folders to see them"
                .to_owned(),
        );
        let by_fingerprint =
            cases.iter().flat_map(|case| &case.rows).flat_map(|row| &row.changes).any(|change| change.only_fingerprint);
        if by_fingerprint {
            told.push("how long arguments changed: a baseline keeps only their fingerprint".to_owned());
        }
    }
    if let [first, more @ ..] = other_rule {
        let more = and_more(more.len());
        told.push(format!(
            "the tool calls of `{first}`{more}: the baseline counted calls by another rule; make a new one with \
             `agentci baseline promote`"
        ));
    }
    let unknown = cases.iter().filter(|case| case.unknown_steps && case.old.is_some() && case.new.is_some()).count();
    let unknown = unknown.saturating_sub(other_rule.len());
    if unknown > 0 {
        let cases = count_of(unknown, "case");
        told.push(format!("the steps of {cases}: one of the runs did not store them"));
    }
    let many = cases.iter().filter(|case| case.left_out > 0).count();
    if many > 0 {
        let cases = count_of(many, "case");
        told.push(format!("the runs of {cases} after the first 50"));
    }
    for (run, name) in runs.iter().zip(["A", "B"]) {
        if !run.ended {
            told.push(format!("what {name} would have done after it was stopped: its run did not end"));
        }
    }
    told
}
