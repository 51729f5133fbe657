//! The failures of a run with many cases: what they have in common, some of them in full, the others by id.
//!
//! ```text
//! 41 cases: `contains` failed: the answer does not contain `good`
//!
//! FAIL demo/t2: `contains` failed: the answer does not contain `good`
//!   --> evals/demo/cases/t2.yaml:9:13
//!
//! the others: t5, t9, t11 and 37 more
//! ```

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

use agentci_verdict::{CaseRow, CaseStatus};

use crate::failures::{self, FailureGroup};
use crate::{Paint, ReportedRun, Tone, count_of, cut, findings, first_of, one_line};

/// The number of groups that are shown with examples.
const GROUPS_IN_FULL: usize = 4;
/// The number of cases of a group that are shown in full.
const EXAMPLES: usize = 3;
/// The number of lines that the examples of all groups may have together.
const EXAMPLE_LINES: usize = 72;
/// The number of lines of an agent's standard error in an example.
const STDERR_LINES: usize = 3;
/// The number of further groups that are named.
const GROUPS_NAMED: usize = 12;
/// The number of further cases of a group that are named.
const NAMED: usize = 15;
/// The number of cases that are shown before the end of the run.
const FIRST_FAILURES: usize = 8;
/// The number of different warnings that are shown.
const WARNINGS: usize = 5;
/// The maximum length of a title or an id.
const TEXT_LIMIT: usize = 200;
/// The maximum length of a warning.
const WARNING_LIMIT: usize = 400;

/// All groups of failures.
pub(super) fn section(run: &ReportedRun, paint: Paint) -> String {
    let groups = failures::of(run);
    let mut text = String::new();
    let in_full = groups.len().min(GROUPS_IN_FULL);
    for group in &groups[..in_full] {
        let _ = writeln!(text, "\n{}", title(group, paint));
        text += &examples(run, group, EXAMPLE_LINES / in_full, paint);
    }
    let named = &groups[in_full..];
    if !named.is_empty() {
        text.push('\n');
    }
    for group in named.iter().take(GROUPS_NAMED) {
        let _ = writeln!(text, "{}: {}", title(group, paint), ids(&group.rows));
    }
    if let Some(more) = named.get(GROUPS_NAMED..).filter(|more| !more.is_empty()) {
        let cases: usize = more.iter().map(|group| group.rows.len()).sum();
        let _ = writeln!(text, "{} with {} not shown", count_of(more.len(), "group"), count_of(cases, "case"));
    }
    text
}

/// `41 cases: the reason`
fn title(group: &FailureGroup<'_>, paint: Paint) -> String {
    let count = paint.apply(Tone::Fail, &count_of(group.rows.len(), "case"));
    format!("{count}: {}", one_line(&cut::name(&group.title, TEXT_LIMIT)))
}

/// The first cases of a group in full, as far as they fit into `room` lines, and the ids of the others.
fn examples(run: &ReportedRun, group: &FailureGroup<'_>, room: usize, paint: Paint) -> String {
    let mut text = String::new();
    let mut left = room;
    let mut shown = 0;
    for row in group.rows.iter().take(EXAMPLES) {
        let told = findings::render(&run.suite, row, STDERR_LINES, paint);
        let lines = told.lines().count() + 1;
        if lines > left && shown > 0 {
            break;
        }
        text.push('\n');
        for line in told.lines().take(left) {
            text += line;
            text.push('\n');
        }
        if lines > left {
            text += "  ... (`--verbose` shows everything)\n";
        }
        left = left.saturating_sub(lines);
        shown += 1;
    }
    let others = &group.rows[shown..];
    if !others.is_empty() {
        let _ = writeln!(text, "\nthe same: {}", ids(others));
    }
    text
}

/// `t5, t9, t11 and 37 more`
fn ids(rows: &[&CaseRow]) -> String {
    let ids: Vec<String> = rows.iter().map(|row| cut::name(row.id(), TEXT_LIMIT)).collect();
    one_line(&first_of(&ids, NAMED)).into_owned()
}

/// The warnings of all cases, those of most cases first.
pub(super) fn warnings(run: &ReportedRun, paint: Paint) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in run.rows.kept() {
        let warnings: BTreeSet<&str> =
            row.attempts.iter().flat_map(|attempt| &attempt.warnings).map(String::as_str).collect();
        for warning in warnings {
            *counts.entry(warning).or_default() += 1;
        }
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, cases)| Reverse(*cases));
    let mut text = String::from(if counts.is_empty() { "" } else { "\n" });
    for (warning, cases) in counts.iter().take(WARNINGS) {
        let word = paint.apply(Tone::Skip, "warning");
        let _ =
            writeln!(text, "{word} ({}): {}", count_of(*cases, "case"), one_line(&cut::name(warning, WARNING_LIMIT)));
    }
    let left_out = counts.len().saturating_sub(WARNINGS);
    if left_out > 0 {
        let _ = writeln!(text, "{} not shown (`--verbose` shows all)", count_of(left_out, "further warning"));
    }
    text
}

/// Shows the first case of each kind of failure while the run goes on.
#[derive(Debug, Default)]
pub(super) struct FirstFailures(HashSet<String>);

impl FirstFailures {
    /// Whether to show a case now: it did not pass, for a reason that no case had before.
    pub(super) fn shows(&mut self, row: &CaseRow) -> bool {
        let failed = matches!(row.status(), CaseStatus::Fail | CaseStatus::Error);
        failed && self.0.len() < FIRST_FAILURES && self.0.insert(failures::kind_of(row))
    }
}
