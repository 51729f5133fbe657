//! The single lines of the console report.

use std::collections::HashSet;
use std::fmt::Write as _;

use agentci_verdict::{Agentless, Aggregates, CaseEnd, CaseRow, CaseStatus, Measure, RunEnd, Stability};

use crate::overall::left;
use crate::{
    Paint, ReportedRun, Tone, agents, count_of, cut, decisive_attempt, duration, duration_of, findings, one_line,
    stability,
};

/// `suite demo (runledger, replay, 3 cases)`, with a note if no agent is run.
pub(super) fn heading(run: &ReportedRun) -> String {
    let cases = count_of(run.start.cases_total, "case");
    let seed = run.start.seed.map(|seed| format!("seed {seed}")).unwrap_or_default();
    let facts = [run.start.dialect.as_str(), run.start.mode.as_str(), cases.as_str(), seed.as_str()];
    let facts: Vec<&str> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    let agents = agents::sentence(Agentless::planned(&run.start)).map(|said| format!(": {said}")).unwrap_or_default();
    let tools = run.start.tools_at.as_ref().map(|address| {
        let address = one_line(address);
        format!(
            "the stub tool server is {address}; the running agent must call its tools there (`--stub-port` sets the \
             port)\n"
        )
    });
    let suite = one_line(&run.suite);
    format!("suite {suite} ({}){agents}\n{}", one_line(&facts.join(", ")), tools.unwrap_or_default())
}

/// `2 of 2 cases played from recordings: no agent was run`, below the totals.
pub(super) fn agents(run: &ReportedRun) -> String {
    agents::sentence(run.rows.tally().agentless).map(|said| said + "\n").unwrap_or_default()
}

/// The maximum length of the reason why a case did not pass.
const REASON_LIMIT: usize = 160;

/// The maximum number of unstable cases that are named.
const UNSTABLE: usize = 20;

/// `PASS t1 (56 ms, 1 tool call)`, `SKIP t3: not ready yet`, ``FAIL t2 (12 ms, 2 tool calls): `must_call` failed: ..``,
/// ``FAIL t7 (2 of 3 runs passed; run 2: 12 ms, 1 tool call): `equals` failed: ..``
pub(super) fn case(row: &CaseRow, paint: Paint, into: &mut String) {
    let end = row.decisive();
    let word = match end.status {
        CaseStatus::Pass => paint.apply(Tone::Pass, "PASS"),
        CaseStatus::Fail => paint.apply(Tone::Fail, "FAIL"),
        CaseStatus::Error => paint.apply(Tone::Broken, "ERROR"),
        CaseStatus::Skipped => paint.apply(Tone::Skip, "SKIP"),
    };
    let _ = write!(into, "{word} {}", one_line(row.id()));
    if end.status == CaseStatus::Skipped {
        let reason = end.skip_reason.as_deref().map(|reason| format!(": {}", one_line(reason))).unwrap_or_default();
        let _ = writeln!(into, "{reason}");
        return;
    }
    into.push_str(" (");
    if row.repeated() {
        let _ = write!(into, "{}; run {}: ", runs(row), decisive_attempt(row));
    }
    into.push_str(&duration(end.wall_ms));
    if end.metrics.tool_calls > 0 {
        let _ = write!(into, ", {}", count_of(end.metrics.tool_calls, "tool call"));
    }
    if let Some(calls) = end.metrics.model_calls.filter(|calls| *calls > 0) {
        let _ = write!(into, ", {}", count_of(calls, "model call"));
    }
    if let Some(measure) = Measure::of(end) {
        let _ = write!(into, ", similarity {}", measure.shown());
    }
    into.push(')');
    into.push_str(&reason(end));
    into.push('\n');
    let mut told = HashSet::new();
    for warning in row.attempts.iter().flat_map(|attempt| &*attempt.warnings).filter(|warning| told.insert(*warning)) {
        let _ = writeln!(into, "  {} {}", paint.apply(Tone::Skip, "warning:"), one_line(warning));
    }
}

/// Why it did not pass, in short; the details follow at the end of the run.
fn reason(end: &CaseEnd) -> String {
    let headline = findings::decisive(end).map(findings::headline).filter(|_| !end.passed);
    headline.map(|words| format!(": {}", one_line(&cut::name(&words, REASON_LIMIT)))).unwrap_or_default()
}

/// `2 of 5 runs passed`, with the runs that were not run.
fn runs(row: &CaseRow) -> String {
    let passed = row.attempts.iter().filter(|attempt| attempt.status == CaseStatus::Pass).count();
    let runs = row.runs();
    let not_run = u64::from(runs).saturating_sub(row.attempts.len() as u64);
    let left_out = if not_run > 0 { format!(", {not_run} not run") } else { String::new() };
    format!("{passed} of {runs} runs passed{left_out}")
}

/// The stability of cases that do not always pass, or of all cases, and a summary line:
///
/// ```text
/// stability of t7: unstable: 2 of 3 runs passed (66.7 %), mean 10 ms, min 10 ms, max 11 ms, deviation 0.5 ms
/// stability: 2 cases in 6 runs: 1 stable, 1 not; 83.3 % passed on average
/// ```
pub(super) fn stability(run: &ReportedRun, all: bool) -> String {
    let Some(summary) = run.rows.stability() else { return String::new() };
    let mut text = String::from("\n");
    let several = run.rows.kept().filter_map(|row| Some((row, Stability::of_several(row)?)));
    let shown: Vec<_> = several.filter(|(_, stability)| all || !stability.stable).collect();
    let limit = if all { usize::MAX } else { UNSTABLE };
    for (row, stability) in shown.iter().take(limit) {
        let _ = writeln!(text, "stability of {}: {}", one_line(row.id()), stability::words(stability));
    }
    let left_out = shown.len().saturating_sub(limit);
    if left_out > 0 {
        let _ = writeln!(text, "stability of {} not shown (`--verbose` shows all)", count_of(left_out, "further case"));
    }
    text + &format!("stability: {}\n", stability::summary_words(&summary))
}

/// `3 cases: 1 passed, 1 failed, 1 error, 0 skipped in 1.2 s (mean 20 ms, ...)`
pub(super) fn totals(run: &ReportedRun) -> String {
    let numbers = run.rows.tally().aggregates();
    let end = run.end();
    format!(
        "{}: {} passed, {} failed, {}, {} skipped in {}{}{}\n",
        count_of(numbers.cases_total, "case"),
        numbers.cases_pass,
        numbers.cases_fail,
        count_of(numbers.cases_error, "error"),
        numbers.cases_skipped,
        duration(end.wall_ms),
        used(&numbers),
        stopped(&end),
    )
}

/// ` (mean 20 ms, p50 12 ms, p95 56 ms; 3 tool calls, 0 tool errors, 4 model calls)`, if any case ran. Model calls are
/// omitted if no model was observed.
fn used(numbers: &Aggregates) -> String {
    let Some(wall) = numbers.wall_ms else { return String::new() };
    let models = numbers.model_calls.map(|calls| format!(", {}", count_of(calls, "model call"))).unwrap_or_default();
    format!(
        " (mean {}, p50 {}, p95 {}; {}, {}{models})",
        duration_of(wall.mean),
        duration_of(wall.p50),
        duration_of(wall.p95),
        count_of(numbers.tool_calls, "tool call"),
        count_of(numbers.tool_errors, "tool error"),
    )
}

/// `; stopped: 12 cases not run`, if the run did not finish.
fn stopped(end: &RunEnd) -> String {
    let left = left(end);
    let ceiling = end.ceiling.as_ref().map(|ceiling| one_line(&ceiling.reason).into_owned());
    match (end.interrupted, end.not_run + end.unfinished, ceiling) {
        (false, 0, None) => String::new(),
        (false, _, None) => format!("; stopped: {left}"),
        (false, _, Some(reason)) => format!("; stopped: {reason}; {left}"),
        (true, 0, _) => "; stopped: interrupted".to_owned(),
        (true, _, _) => format!("; stopped: interrupted, {left}"),
    }
}

#[cfg(test)]
mod tests {
    use agentci_verdict::RunCeiling;

    use super::*;

    #[test]
    fn reports_stopped_run() {
        let end = |interrupted, not_run| RunEnd { interrupted, not_run, ..RunEnd::default() };
        assert_eq!(stopped(&end(false, 0)), "");
        assert_eq!(stopped(&end(false, 12)), "; stopped: 12 cases not run");
        let ceiling = RunCeiling { reason: "`--max-wall` of 1s reached".into(), ..RunCeiling::default() };
        let cut = RunEnd { unfinished: 1, ceiling: Some(ceiling), ..end(false, 2) };
        assert_eq!(stopped(&cut), "; stopped: `--max-wall` of 1s reached; 2 cases not run, 1 case not finished");
        assert_eq!(stopped(&end(true, 1)), "; stopped: interrupted, 1 case not run");
        assert_eq!(stopped(&end(true, 0)), "; stopped: interrupted");
    }
}
