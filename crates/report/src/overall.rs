//! The result of a run as a whole, in the same words for every report that has a title.

use agentci_source::Place;
use agentci_verdict::{Aggregates, GateReport, GateStatus, RunEnd};

use crate::{ReportedRun, count_of, gates};

/// The result of a run, in one word.
pub(crate) fn overall(run: &ReportedRun, numbers: &Aggregates) -> &'static str {
    if run.incomplete() {
        "incomplete"
    } else if run.end().interrupted {
        "interrupted"
    } else if run.lacks_something() || run.gates_failed() || run.lacks_agent() {
        "failed"
    } else if run.pending() {
        PENDING
    } else if run.held_to_cases() && numbers.cases_fail + numbers.cases_error > 0 {
        "failed"
    } else if !run.end().is_whole() {
        "incomplete"
    } else {
        PASSED
    }
}

/// The result of a run whose cases all passed, or whose gates decided so.
pub(crate) const PASSED: &str = "passed";

/// The result of a shard whose cases did not all pass, if the merge decides.
pub(crate) const PENDING: &str = "pending";

/// A configured gate: its name, its result, a sentence, and where the suite sets it, if that is known.
pub(crate) struct GateLine<'r> {
    pub(crate) name: &'static str,
    pub(crate) status: GateStatus,
    pub(crate) sentence: String,
    pub(crate) place: Option<&'r Place>,
}

impl GateLine<'_> {
    pub(crate) fn word(&self) -> &'static str {
        match self.status {
            GateStatus::Pass => "pass",
            GateStatus::Fail => "fail",
            GateStatus::Undecided => "undecided",
            GateStatus::Skipped => "skipped",
        }
    }
}

/// All configured gates, preceded by the problem of the baseline if it cannot be used.
pub(crate) fn gate_lines(report: &GateReport) -> Vec<GateLine<'_>> {
    let path = report.baseline_path.as_deref().unwrap_or_default();
    let line = |name, status, sentence| GateLine { name, status, sentence, place: report.place(name) };
    let problem = report.problem.as_ref();
    let problem = problem.map(|problem| line("baseline", GateStatus::Fail, gates::baseline_problem(path, problem)));
    let asked = gates::asked(&report.comparison.checks);
    let lines = asked.map(|check| line(check.id.name(), check.status, gates::gate(check)));
    problem.into_iter().chain(lines).collect()
}

/// The maximum number of changes of one kind since the baseline that are shown.
const CHANGES: usize = 20;

/// The changes since the baseline, one line each, if there is a usable baseline.
pub(crate) fn changed(report: &GateReport) -> Option<Vec<String>> {
    let compared = report.baseline_path.is_some() && report.problem.is_none();
    compared.then(|| gates::changes(&report.comparison.case_diffs, CHANGES))
}

/// A sentence about a run that did not finish.
pub(crate) fn left_undone(run: &ReportedRun) -> Option<String> {
    let missing = run.start.not_loaded.len();
    let missing = (missing > 0).then(|| format!("Not everything could be loaded: {}.", count_of(missing, "error")));
    let pending = run.pending().then(|| {
        let numbers = run.rows.tally().aggregates();
        let cases = count_of(numbers.cases_fail + numbers.cases_error, "case");
        format!("The verdict is pending: {cases} of this shard did not pass, and agentci merge decides.")
    });
    let unobserved = run.end().unobserved_cost;
    let unobserved = (unobserved > 0).then(|| {
        format!(
            "The ceiling for the cost does not cover {}, whose agents reported no usage.",
            count_of(unobserved, "run")
        )
    });
    let said: Vec<String> = [unfinished(run), missing, pending, unobserved].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(" "))
}

fn unfinished(run: &ReportedRun) -> Option<String> {
    let end = run.end();
    let not_run = left(&end);
    if run.incomplete() {
        Some(format!("This report is incomplete: the run was killed, or its record is cut off. {not_run}."))
    } else if end.interrupted {
        Some(format!("The run was interrupted. {not_run}."))
    } else if let Some(ceiling) = &end.ceiling {
        let (flag, limit) = (plain(&ceiling.flag), plain(&ceiling.limit));
        Some(format!("The run was stopped by {flag} {limit}. {not_run}."))
    } else if end.not_run > 0 || end.unfinished > 0 {
        Some(format!("The run was stopped early. {not_run}."))
    } else {
        None
    }
}

/// What a run left: `3 cases not run, 1 case not finished`.
pub(crate) fn left(end: &RunEnd) -> String {
    let not_run = format!("{} not run", count_of(end.not_run, "case"));
    match end.unfinished {
        0 => not_run,
        unfinished => format!("{not_run}, {} not finished", count_of(unfinished, "case")),
    }
}

/// The characters of a word that need no escaping in any report.
fn plain(word: &str) -> String {
    word.chars().filter(|letter| letter.is_ascii_alphanumeric() || " .-".contains(*letter)).take(40).collect()
}
