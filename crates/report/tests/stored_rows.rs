//! Reports of a run whose rows are read again, as in a run of many cases, equal those of a run that is kept in memory.

#[expect(dead_code, clippy::unwrap_used, reason = "the other tests of this folder use the rest of it")]
mod recorded;

use std::io;
use std::rc::Rc;

use agentci_report::{Console, ConsoleOptions, FanOut, JournalReader, REPORTS};
use agentci_trace::Usage;
use agentci_verdict::{
    Body, CaseEnd, CaseStatus, Cause, Finding, LinePlace, Metrics, RunEnd, RunEvent, RunStart, Similarity, TaskStart,
};
use recorded::Written;

/// More cases than stay in memory.
const CASES: usize = 10_400;

fn event(case: Option<usize>, body: Body) -> RunEvent {
    let (case_id, attempt) = (case.map(|case| format!("c{case}").into()), case.map(|_| 1));
    RunEvent { suite: "many".into(), case_id, attempt, timestamp: 1_763_176_000_000, body }
}

#[expect(clippy::cast_precision_loss, reason = "some thousands")]
fn end(index: usize) -> CaseEnd {
    let status = match index % 500 {
        3 => CaseStatus::Fail,
        4 => CaseStatus::Error,
        5..20 => CaseStatus::Skipped,
        _ => CaseStatus::Pass,
    };
    let cause = match status {
        CaseStatus::Fail => Some(Cause::Check),
        CaseStatus::Error => Some(Cause::Timeout),
        CaseStatus::Pass | CaseStatus::Skipped => None,
    };
    let finding =
        |cause| Finding { cause, name: "contains".into(), message: format!("no `{index}`"), ..Finding::default() };
    let similar = Similarity { similarity: 1.0 / (index + 1) as f64, embedder: "e".into(), ..Similarity::default() };
    let usage = Usage { tokens_out: Some(index as u64 % 90), cost_usd: Some(0.1 * index as f64), ..Usage::default() };
    CaseEnd {
        index,
        runs: 1,
        passed: status == CaseStatus::Pass,
        status,
        cause,
        wall_ms: (index * 7919 % 1000) as u64,
        metrics: Metrics { tool_calls: index as u64 % 5, usage, ..Metrics::default() },
        findings: cause.map(finding).into_iter().collect(),
        warnings: (index % 700 == 8).then(|| "odd".to_owned()).into_iter().collect(),
        similarities: index.is_multiple_of(3).then_some(similar).into_iter().collect(),
        ..CaseEnd::default()
    }
}

/// Many cases, which end in another order than that of the suite. The last one never ends.
fn run() -> Vec<RunEvent> {
    let start = RunStart { cases_total: CASES, dialect: "native".into(), ..RunStart::default() };
    let mut events = vec![event(None, Body::RunStart(Box::new(start)))];
    for place in 0..CASES {
        let case = place ^ 5;
        events.push(event(Some(case), Body::TaskStart(TaskStart::default())));
        if case != CASES - 1 {
            events.push(event(Some(case), Body::CaseEnd(end(case).into())));
        }
    }
    events.push(event(None, Body::RunEnd(RunEnd { wall_ms: 9, ..RunEnd::default() })));
    events
}

/// What each report writes: by name, all of the registry and the verbose console.
fn written(events: &Rc<Vec<RunEvent>>, mut reports: FanOut) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for kind in &REPORTS {
        let output = Written::default();
        reports.add(kind.name, kind.make(output.output()));
        all.push((kind.name.to_owned(), output));
    }
    let output = Written::default();
    let options = ConsoleOptions { verbose: true, ..ConsoleOptions::default() };
    reports.add("verbose", Box::new(Console::new(output.writer(), options)));
    all.push(("verbose".to_owned(), output));
    for (at, event) in (0_u64..).zip(events.iter()) {
        reports.on_stored_event(event, Some(LinePlace { at, length: 0 }));
    }
    let errors = reports.finish();
    assert!(errors.is_empty(), "{errors:?}");
    all.into_iter().map(|(name, output)| (name, output.text())).collect()
}

/// Reads events again from memory, and counts how often.
fn reader(events: &Rc<Vec<RunEvent>>) -> JournalReader {
    let events = Rc::clone(events);
    JournalReader::new(move |place| Ok(events[usize::try_from(place.at).unwrap_or_default()].clone()))
}

#[test]
fn rows_that_are_read_again_give_the_same_reports() {
    let events = Rc::new(run());
    let kept = written(&events, FanOut::default());
    let stored = written(&events, FanOut::stored(reader(&events)));
    for ((name, kept), (_, stored)) in kept.iter().zip(&stored) {
        assert!(kept == stored, "{name} differs");
    }
    let (_, summary) = &stored[0];
    assert_eq!(summary.matches("\"failure_reason\"").count(), CASES - 1, "every case is in the summary");
}

#[test]
fn page_says_how_many_cases_it_leaves_out() {
    let events = Rc::new(run());
    let all = written(&events, FanOut::stored(reader(&events)));
    let page = all.iter().find(|(name, _)| name == "html").map(|(_, text)| text.as_str()).unwrap_or_default();
    // Of the 399 cases that ended after the first 10,000, the one at 10,003 failed and the one at 10,004 had an error.
    assert!(page.contains("The table has the first 10000 cases and all that did not pass. 397 cases left out;"));
    assert!(page.contains(">c10003<") && !page.contains(">c10002<"));
}

#[test]
fn row_that_cannot_be_read_again_fails_the_reports_that_need_it() {
    let events = Rc::new(run());
    let mut reports = FanOut::stored(JournalReader::new(|_| Err(io::Error::other("the disk is gone"))));
    let page = Written::default();
    for kind in &REPORTS {
        let output = if kind.name == "html" { page.clone() } else { Written::default() };
        reports.add(kind.name, kind.make(output.output()));
    }
    for (at, event) in (0_u64..).zip(events.iter()) {
        reports.on_stored_event(event, Some(LinePlace { at, length: 0 }));
    }
    let failed: Vec<(String, String)> =
        reports.finish().into_iter().map(|(name, error)| (name, error.to_string())).collect();
    let names: Vec<&str> = failed.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["summary", "json", "junit", "markdown", "csv"]);
    assert!(failed.iter().all(|(_, error)| error.ends_with("the disk is gone")), "{failed:?}");
    assert!(page.text().ends_with("</script>\n"));
}

#[test]
fn progress_line_of_many_short_cases_is_drawn_some_times_a_second() {
    let terminal = Written::default();
    let options = ConsoleOptions { live: Some(terminal.writer()), ..ConsoleOptions::default() };
    let mut reports = FanOut::default();
    reports.add("console", Box::new(Console::new(Written::default().writer(), options)));
    for (at, event) in (0_u64..).zip(run()) {
        // Two events a case, one millisecond each: 20 seconds, in which the line could be drawn 400 times.
        reports.on_event(&RunEvent { timestamp: event.timestamp + at, ..event });
    }
    let drawn = terminal.text().matches("running: ").count();
    assert!((300..=450).contains(&drawn), "{drawn}");
}
