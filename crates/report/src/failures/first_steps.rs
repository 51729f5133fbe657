//! Groups failed cases by the first step that differs from the baseline.
//!
//! The gates of a run name that step for each case. Cases whose agents took the same wrong turn often fail different
//! checks, or one check with different texts; the step is what they have in common. It explains a failure only if it goes
//! along with failing: a step that also differs in most cases that pass says nothing.

use std::collections::{BTreeMap, BTreeSet};

use agentci_verdict::{CaseRow, CaseStatus, StepChange};

use super::groups::FailureGroup;
use crate::ReportedRun;
use crate::gates::differing_arguments;

/// The number of failed cases with the same first differing step from which these are a group.
const ALIKE: usize = 3;

/// The groups, and the positions of their cases. A case with an error is in none: it broke off, and its error says why.
pub(super) fn groups(run: &ReportedRun) -> (Vec<FailureGroup<'_>>, BTreeSet<usize>) {
    let report = run.gates.as_deref().filter(|report| report.baseline_path.is_some() && report.problem.is_none());
    let changes = report.map_or(&[][..], |report| &report.comparison.case_diffs.steps_changed);
    let words: BTreeMap<&str, String> = changes.iter().map(|change| (change.id.as_str(), title(change))).collect();
    let mut failed: BTreeMap<&str, Vec<&CaseRow>> = BTreeMap::new();
    for row in run.rows.failed().filter(|row| row.status() == CaseStatus::Fail) {
        if let Some(title) = words.get(row.id()) {
            failed.entry(title).or_default().push(row);
        }
    }
    let mut all: BTreeMap<&str, usize> = BTreeMap::new();
    for title in words.values() {
        *all.entry(title).or_default() += 1;
    }
    let explains = |title: &str, rows: &[&CaseRow]| rows.len() >= ALIKE && 2 * rows.len() >= all[title];
    let groups = failed.into_iter().filter(|(title, rows)| explains(title, rows));
    let groups: Vec<_> = groups.map(|(title, rows)| FailureGroup { title: title.to_owned(), rows }).collect();
    let positions = groups.iter().flat_map(|group| &group.rows).map(|row| row.index()).collect();
    (groups, positions)
}

/// ``first differing step: `refund` is missing``: the tool and what changed, without the number of the step.
fn title(change: &StepChange) -> String {
    let (old, new) = (change.baseline.as_ref(), change.current.as_ref());
    let during = if old.or(new).is_some_and(|step| step.within) { " during a call" } else { "" };
    let what = match (old, new) {
        (Some(old), Some(new)) if old.is_same_call(new) => format!("`{}` is answered without being called", new.tool),
        (Some(old), Some(new)) if old.tool == new.tool => match differing_arguments(old, new) {
            Some(names) => format!("`{}` has different arguments ({})", new.tool, names.join(", ")),
            None => format!("`{}` has different arguments", new.tool),
        },
        (Some(old), Some(new)) => format!("`{}` instead of `{}`", new.tool, old.tool),
        (Some(old), None) => format!("`{}` is missing", old.tool),
        (None, Some(new)) => format!("`{}` is new", new.tool),
        (None, None) => "unknown".to_owned(),
    };
    format!("first differing step: {what}{during}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agentci_verdict::{Body, CallStep, CaseChanges, CaseEnd, Cause, Comparison, Finding, GateReport, RunEvent};

    use super::super::groups::of;
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "a change may have no call on one side")]
    fn call(tool: &str, args: &str) -> Option<CallStep> {
        Some(CallStep { tool: tool.into(), args_hash: args.into(), args: Some(args.into()), ..CallStep::default() })
    }

    fn change(id: &str, baseline: Option<CallStep>, current: Option<CallStep>) -> StepChange {
        StepChange { id: id.into(), first_difference: 1, baseline, baseline_after: Vec::new(), current }
    }

    /// A run of cases with these ids, statuses and missing steps.
    fn run(cases: &[(&str, CaseStatus, Option<&str>)]) -> ReportedRun {
        let mut run = ReportedRun::default();
        let event = |id: Option<&str>, body| {
            let case_id = id.map(Arc::from);
            RunEvent { suite: "s".into(), attempt: case_id.as_ref().map(|_| 1), case_id, timestamp: 1, body }
        };
        for (index, (id, status, _)) in cases.iter().enumerate() {
            let cause = (*status > CaseStatus::Skipped).then_some(Cause::Check);
            let message = format!("no `order {index}`");
            let finding = Finding { cause: Cause::Check, name: "contains".into(), message, ..Finding::default() };
            let findings = cause.map(|_| finding).into_iter().collect();
            let end = CaseEnd { index, runs: 1, status: *status, cause, findings, ..CaseEnd::default() };
            run.add(&event(Some(id), Body::CaseEnd(end.into())), None);
        }
        let steps_changed = cases.iter().filter_map(|(id, _, tool)| Some(change(id, call((*tool)?, "{}"), None)));
        let case_diffs = CaseChanges { steps_changed: steps_changed.collect(), ..CaseChanges::default() };
        let comparison = Comparison { case_diffs, ..Comparison::default() };
        let report = GateReport { baseline_path: Some("b.json".into()), comparison, ..GateReport::default() };
        run.add(&event(None, Body::Gates(Box::new(report))), None);
        run
    }

    fn sizes(run: &ReportedRun) -> Vec<(usize, String)> {
        of(run).into_iter().map(|group| (group.rows.len(), group.title)).collect()
    }

    #[test]
    fn cases_that_departed_at_the_same_step_are_a_group() {
        use CaseStatus::{Error, Fail, Pass};
        let ids = ["a", "b", "c", "d", "e", "f", "g"];
        let missing = "first differing step: `refund` is missing".to_owned();
        let reason = "`contains` failed: no `…`".to_owned();
        let cases = |statuses: [CaseStatus; 7], departed: &[usize]| {
            let tool = |at: usize| departed.contains(&at).then_some("refund");
            let cases: Vec<_> = ids.iter().enumerate().map(|(at, id)| (*id, statuses[at], tool(at))).collect();
            sizes(&run(&cases))
        };
        let statuses = [Fail, Fail, Fail, Fail, Fail, Pass, Pass];
        assert_eq!(cases(statuses, &[0, 1, 2]), [(3, missing.clone()), (2, reason.clone())]);
        assert_eq!(cases(statuses, &[0, 1]), [(5, reason.clone())], "two may be alike by chance");
        assert_eq!(cases(statuses, &[0, 1, 2, 5, 6]), [(3, missing.clone()), (2, reason.clone())]);
        let passing = [Fail, Fail, Fail, Pass, Pass, Pass, Pass];
        assert_eq!(cases(passing, &[0, 1, 2, 3, 4, 5, 6]), [(3, reason)], "cases that passed have it, too");
        let broken = [Fail, Fail, Fail, Error, Pass, Pass, Pass];
        assert_eq!(cases(broken, &[0, 1, 2, 3])[0], (3, missing), "an error is not explained by a missing step");
    }

    #[test]
    fn titles_name_the_tool_and_what_changed() {
        let title = |old, new| title(&change("a", old, new)).replace("first differing step: ", "");
        assert_eq!(title(call("a", "{}"), None), "`a` is missing");
        assert_eq!(title(None, call("a", "{}")), "`a` is new");
        assert_eq!(title(call("a", "{}"), call("b", "{}")), "`b` instead of `a`");
        let (old, new) = (call("a", r#"{"q":"x","n":1}"#), call("a", r#"{"q":"y","n":2}"#));
        assert_eq!(title(old.clone(), new), "`a` has different arguments (n, q)");
        let hashed = call("a", "other").map(|step| CallStep { args: None, ..step });
        assert_eq!(title(old, hashed), "`a` has different arguments");
        let answered = call("a", "{}").map(|step| CallStep { only_answered: true, ..step });
        assert_eq!(title(call("a", "{}"), answered), "`a` is answered without being called");
        let within = call("a", "{}").map(|step| CallStep { within: true, ..step });
        assert_eq!(title(within, None), "`a` is missing during a call");
    }
}
