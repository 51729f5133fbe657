//! Groups cases that did not pass.
//!
//! Cases that departed from the baseline at the same step come first (`first_steps`). Of the others, cases with the same
//! reason are a group if there are enough of them. Reasons that differ from case to case, as when each
//! case expects a text of its own, are one group for each kind of reason. Cases that are still alone are grouped by their
//! check.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use agentci_verdict::{CaseRow, Cause, Finding};

use super::blanks::blanked;
use super::first_steps;
use crate::ReportedRun;
use crate::findings::{decisive, headline};

/// The number of cases with equal reasons from which these are a group of their own.
const ALIKE: usize = 3;
/// The same as a part of all cases whose reasons are of the same kind: texts that are expected in only a few of many cases
/// are equal by chance.
const RARE: usize = 20;

/// Cases that did not pass for the same reason.
#[derive(Debug)]
pub(crate) struct FailureGroup<'r> {
    /// The reason; what differs between the cases is replaced with dots.
    pub(crate) title: String,
    /// The cases, in the order of the suite; at least one.
    pub(crate) rows: Vec<&'r CaseRow>,
}

/// The kind of a failure: its cause, and the name of its check.
type ReasonKind<'r> = (Option<Cause>, &'r str);

/// All cases that failed or had an error, the largest group first; among equals, the one with the earliest case.
pub(crate) fn of(run: &ReportedRun) -> Vec<FailureGroup<'_>> {
    let mut kinds: BTreeMap<ReasonKind<'_>, BTreeMap<String, Vec<&CaseRow>>> = BTreeMap::new();
    let (mut groups, departed) = first_steps::groups(run);
    for row in run.rows.failed().filter(|row| !departed.contains(&row.index())) {
        let check = decisive(row.decisive()).map(|finding| finding.name.as_str()).unwrap_or_default();
        kinds.entry((row.cause(), check)).or_default().entry(kind_of(row)).or_default().push(row);
    }
    groups.extend(kinds.into_values().flat_map(of_kind));
    groups.sort_by_key(|group| (Reverse(group.rows.len()), group.rows[0].decisive().index));
    groups
}

/// The reason of a case without what varies from case to case.
pub(crate) fn kind_of(row: &CaseRow) -> String {
    decisive(row.decisive()).map(blank_title).unwrap_or_default()
}

/// The groups of one kind of failure, given by their blanked reasons.
fn of_kind(reasons: BTreeMap<String, Vec<&CaseRow>>) -> Vec<FailureGroup<'_>> {
    let mut groups = Vec::new();
    let mut alone = Vec::new();
    for (blank, rows) in reasons {
        let mut equal: BTreeMap<String, Vec<&CaseRow>> = BTreeMap::new();
        for row in &rows {
            equal.entry(reason(row)).or_default().push(row);
        }
        let common = |alike: usize| alike == rows.len() || alike >= ALIKE.max(rows.len() / RARE);
        let (often, seldom): (Vec<_>, Vec<_>) = equal.into_iter().partition(|(_, alike)| common(alike.len()));
        let single = |alike: &[&CaseRow]| alike.len() == 1;
        for (title, alike) in often {
            if single(&alike) {
                alone.extend(alike);
            } else {
                groups.push(FailureGroup { title, rows: alike });
            }
        }
        let rest = in_order(seldom.into_iter().flat_map(|(_, alike)| alike).collect());
        if single(&rest) {
            alone.extend(rest);
        } else if !rest.is_empty() {
            groups.push(FailureGroup { title: blank, rows: rest });
        }
    }
    groups.extend(others(alone));
    groups
}

/// The group of cases of one kind whose reasons have nothing in common.
fn others(rows: Vec<&CaseRow>) -> Option<FailureGroup<'_>> {
    let rows = in_order(rows);
    let first = rows.first()?;
    let title = match (rows.len(), decisive(first.decisive())) {
        (1, _) | (_, None) => reason(first),
        (_, Some(Finding { cause: Cause::Check, name, .. })) => format!("`{name}` failed"),
        (_, Some(finding)) => finding.cause.name().to_owned(),
    };
    Some(FailureGroup { title, rows })
}

fn in_order(mut rows: Vec<&CaseRow>) -> Vec<&CaseRow> {
    rows.sort_by_key(|row| row.decisive().index);
    rows
}

/// The reason of a case in one line.
fn reason(row: &CaseRow) -> String {
    decisive(row.decisive()).map_or_else(|| "no reason was recorded".to_owned(), headline)
}

fn blank_title(finding: &Finding) -> String {
    headline(&Finding { message: blanked(&finding.message), ..finding.clone() })
}

#[cfg(test)]
mod tests {
    use agentci_verdict::{Body, CaseEnd, CaseStatus, RunEvent};

    use super::*;

    /// The titles and sizes of the groups of cases with these checks and messages.
    fn groups(failures: &[(&str, String)]) -> Vec<(usize, String)> {
        let mut run = ReportedRun::default();
        for (index, (name, message)) in failures.iter().enumerate() {
            let finding =
                Finding { cause: Cause::Check, name: (*name).into(), message: message.clone(), ..Finding::default() };
            let end = CaseEnd {
                index,
                runs: 1,
                status: CaseStatus::Fail,
                cause: Some(Cause::Check),
                findings: vec![finding],
                ..CaseEnd::default()
            };
            let body = Body::CaseEnd(end.into());
            let id = Some(format!("c{index}").into());
            run.add(&RunEvent { suite: "s".into(), case_id: id, attempt: Some(1), timestamp: 1, body }, None);
        }
        of(&run).into_iter().map(|group| (group.rows.len(), group.title)).collect()
    }

    fn lacks(text: &str) -> (&'static str, String) {
        ("contains", format!("the answer does not contain `{text}`"))
    }

    #[test]
    fn equal_reasons_are_groups_of_their_own() {
        let mut failures = vec![lacks("good"); 4];
        failures.extend(vec![lacks("paid"); 3]);
        let expected = [
            (4, "`contains` failed: the answer does not contain `good`".to_owned()),
            (3, "`contains` failed: the answer does not contain `paid`".to_owned()),
        ];
        assert_eq!(groups(&failures), expected);
    }

    #[test]
    fn reasons_that_differ_from_case_to_case_are_one_group() {
        let mut failures: Vec<_> = (0..20).map(|number| lacks(&format!("order {number}"))).collect();
        failures.push(lacks("order 7"));
        assert_eq!(groups(&failures), [(21, "`contains` failed: the answer does not contain `…`".to_owned())]);
    }

    #[test]
    fn common_reason_is_found_among_those_that_differ() {
        let mut failures: Vec<_> = (0..20).map(|number| lacks(&format!("order {number}"))).collect();
        failures.extend(vec![lacks("good"); 5]);
        failures.push(lacks("order 7"));
        let expected = [
            (21, "`contains` failed: the answer does not contain `…`".to_owned()),
            (5, "`contains` failed: the answer does not contain `good`".to_owned()),
        ];
        assert_eq!(groups(&failures), expected);
    }

    #[test]
    fn every_failure_is_in_one_group() {
        let texts = ["a", "b 1", "b 2", "`x` 3", "`y` 4", "c"];
        for count in 0..200 {
            let failure =
                |case: usize| (["contains", "equals"][case % 2], texts[case * case % (count + 1) % 6].to_owned());
            let failures: Vec<_> = (0..count).map(failure).collect();
            assert_eq!(groups(&failures).iter().map(|(size, _)| size).sum::<usize>(), count);
        }
    }

    #[test]
    fn different_checks_are_different_groups() {
        let failures = [lacks("good"), ("must_call", "`refund` was never called".to_owned()), lacks("good")];
        let expected = [
            (2, "`contains` failed: the answer does not contain `good`".to_owned()),
            (1, "`must_call` failed: `refund` was never called".to_owned()),
        ];
        assert_eq!(groups(&failures), expected);
    }

    #[test]
    fn reasons_with_nothing_in_common_are_grouped_by_their_check() {
        let failures = [("script", "too rude".to_owned()), ("script", "too long".to_owned())];
        assert_eq!(groups(&failures), [(2, "`script` failed".to_owned())]);
        assert_eq!(groups(&failures[..1]), [(1, "`script` failed: too rude".to_owned())]);
    }
}
