//! Results of the yao dialect: lines as they are written, one document, Markdown.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

#[expect(dead_code, reason = "it is shared by tests that each need a part of it")]
mod recorded;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use agentci_report::{ReportKind, Reporter, YaoLines};
use agentci_verdict::{Body, CaseEnd, CaseStatus, Cause, FinalOutput, Finding, RunEnd, RunEvent, RunStart, TaskStart};
use recorded::{Written, play};
use serde_json::{Value, json};

fn event(case: Option<(&str, u32)>, at: u64, body: Body) -> RunEvent {
    RunEvent {
        suite: "inputs".into(),
        case_id: case.map(|(id, _)| id.into()),
        attempt: case.map(|(_, attempt)| attempt),
        timestamp: 1_763_176_000_123 + at,
        body,
    }
}

fn start(total: usize, options: &[(&str, Value)]) -> RunEvent {
    let environment = [("user_id", "ci-user"), ("team_id", "test-team"), ("locale", "en-us")];
    let start = RunStart {
        agentci_version: "0.1.0".into(),
        dialect: "yao".into(),
        suite_path: "assistants/keyword/tests/inputs.jsonl".into(),
        cases_total: total,
        agent: Some("keyword".into()),
        agent_path: Some("assistants/keyword".into()),
        connector: Some("openai.gpt4".into()),
        environment: environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        options: options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect::<BTreeMap<_, _>>(),
        ..RunStart::default()
    };
    event(None, 0, Body::RunStart(Box::new(start)))
}

fn finding(cause: Cause, message: &str) -> Finding {
    Finding { cause, name: cause.name().into(), message: message.into(), ..Finding::default() }
}

fn ended(index: usize, runs: u32, wall_ms: u64, findings: Vec<Finding>) -> CaseEnd {
    let (status, cause) = agentci_verdict::settle(&findings);
    CaseEnd { index, runs, passed: status == CaseStatus::Pass, status, cause, wall_ms, findings, ..CaseEnd::default() }
}

/// An attempt: the input, the output and the end.
fn attempt(id: &str, number: u32, output: Option<Value>, mut end: CaseEnd) -> Vec<RunEvent> {
    end.output_hash = output.as_ref().filter(|_| end.runs > 1).map(|output| output.to_string().into());
    let case = Some((id, number));
    let at = end.wall_ms;
    let input = json!({ "messages": [{ "role": "user", "content": "hi" }] });
    let mut events =
        vec![event(case, 0, Body::TaskStart(TaskStart { task_id: id.into(), input: input.into(), definition: None }))];
    events.extend(output.map(|output| event(case, at, Body::FinalOutput(FinalOutput { output: output.into() }))));
    events.push(event(case, at, Body::CaseEnd(Arc::new(end))));
    events
}

fn end(wall_ms: u64, not_run: usize) -> RunEvent {
    event(None, wall_ms, Body::RunEnd(RunEnd { wall_ms, not_run, ..RunEnd::default() }))
}

/// One run with every status.
fn single() -> Vec<RunEvent> {
    let passed = CaseEnd {
        input: Some(Box::new(json!("Simple text"))),
        expected: Some(Box::new(json!({ "ok": true }))),
        metadata: Some(Box::new(json!({ "area": "<b>search</b>" }))),
        ..ended(0, 1, 56, Vec::new())
    };
    let failed = vec![finding(Cause::Check, "expected `a`"), finding(Cause::Check, "found no `b`")];
    let skipped = CaseEnd { status: CaseStatus::Skipped, passed: false, ..ended(4, 1, 0, Vec::new()) };
    let mut events = vec![start(5, &[("out", json!("report.json")), ("timeout", json!("2m"))])];
    events.extend(attempt("T001", 1, Some(json!({ "ok": true })), passed));
    events.extend(attempt("T002", 1, Some(json!("said | `so`\n# it")), ended(1, 1, 12, failed)));
    events.extend(attempt("T003", 1, None, ended(2, 1, 9, vec![finding(Cause::AgentError, "HTTP 500")])));
    events.extend(attempt("T004", 1, None, ended(3, 1, 2000, vec![finding(Cause::Timeout, "not done within 2 s")])));
    events.push(event(Some(("T005", 1)), 0, Body::CaseEnd(Arc::new(skipped))));
    events.push(end(2100, 0));
    events
}

/// Three cases with three runs each, one of them skipped, and one that `--fail-fast` did not start.
fn repeated() -> Vec<RunEvent> {
    let wrong = || vec![finding(Cause::Check, "expected `yes`")];
    let mut events = vec![start(4, &[("runs", json!(3))])];
    for (number, wall_ms) in [(1, 10), (2, 20), (3, 30)] {
        events.extend(attempt("T001", number, Some(json!("yes")), ended(0, 3, wall_ms, Vec::new())));
    }
    for (number, wall_ms) in [(1, 10), (2, 10), (3, 40)] {
        let (output, findings) = if number == 2 { ("no", wrong()) } else { ("yes", Vec::new()) };
        events.extend(attempt("T002", number, Some(json!(output)), ended(1, 3, wall_ms, findings)));
    }
    let skipped = CaseEnd { status: CaseStatus::Skipped, passed: false, ..ended(2, 1, 0, Vec::new()) };
    events.push(event(Some(("T003", 1)), 0, Body::CaseEnd(Arc::new(skipped))));
    events.push(end(130, 1));
    events
}

fn made(name: &str, events: &[RunEvent]) -> String {
    let written = Written::default();
    let kind = ReportKind::by_name(name).unwrap().spelt_for("yao");
    play(events, &mut *kind.make(written.output()));
    written.text()
}

fn lines(events: &[RunEvent]) -> Vec<Value> {
    made("jsonl", events).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn document(events: &[RunEvent]) -> Value {
    serde_json::from_str(&made("json", events)).unwrap()
}

#[test]
fn lines_of_single_runs() {
    insta::assert_snapshot!(made("jsonl", &single()));
}

#[test]
fn lines_of_several_runs() {
    insta::assert_snapshot!(made("jsonl", &repeated()));
}

#[test]
fn document_of_single_runs() {
    insta::assert_snapshot!(made("json", &single()));
}

#[test]
fn document_of_several_runs() {
    insta::assert_snapshot!(made("json", &repeated()));
}

#[test]
fn markdown_of_single_runs() {
    insta::assert_snapshot!(made("markdown", &single()));
}

#[test]
fn markdown_of_several_runs() {
    insta::assert_snapshot!(made("markdown", &repeated()));
}

#[test]
fn stored_run_gives_the_same_results() {
    for live in [single(), repeated()] {
        let stored: Vec<RunEvent> =
            live.iter().map(|event| RunEvent::from_line(&event.to_line().unwrap()).unwrap()).collect();
        for name in ["json", "jsonl", "markdown"] {
            assert_eq!(made(name, &stored), made(name, &live), "{name}");
        }
    }
}

/// `jq 'select(.type == "summary")'` over the lines, and `jq -e '.results | all(.pass_rate >= 80)'` over the document.
#[test]
fn has_one_summary_and_a_pass_rate_per_result() {
    let summaries = |events: &[RunEvent]| lines(events).into_iter().filter(|line| line["type"] == "summary").count();
    assert_eq!((summaries(&single()), summaries(&repeated())), (1, 1));
    let rates = |events: &[RunEvent]| -> Vec<f64> {
        let document = document(events);
        document["results"].as_array().unwrap().iter().map(|result| result["pass_rate"].as_f64().unwrap()).collect()
    };
    assert_eq!(rates(&single()), [100.0, 0.0, 0.0, 0.0, 100.0]);
    assert_eq!(rates(&repeated()).iter().map(|rate| rate.floor()).collect::<Vec<_>>(), [100.0, 66.0, 100.0]);
}

#[test]
fn writes_each_line_immediately() {
    let pieces: Rc<RefCell<Vec<String>>> = Rc::default();
    let into = Rc::clone(&pieces);
    let mut lines = YaoLines::new(Box::new(move |bytes| {
        into.borrow_mut().push(String::from_utf8(bytes.to_vec()).unwrap());
        Ok(())
    }));
    let mut seen = Vec::new();
    for event in &single() {
        lines.on_event(event).unwrap();
        if matches!(event.body, Body::RunStart(_) | Body::CaseEnd(_) | Body::RunEnd(_)) {
            seen.push(pieces.borrow().len());
        }
    }
    lines.finish().unwrap();
    assert_eq!(seen, [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(pieces.borrow().len(), 7);
    assert!(pieces.borrow().iter().all(|piece| piece.ends_with("}\n") && piece.lines().count() == 1));
}

#[test]
fn results_are_in_file_order_regardless_of_completion() {
    let events = single();
    let is_end = |event: &&RunEvent| matches!(event.body, Body::CaseEnd(_));
    let mut reversed: Vec<RunEvent> = events.iter().filter(|event| !is_end(event)).cloned().collect();
    let run_end = reversed.pop().unwrap();
    reversed.extend(events.iter().filter(is_end).rev().cloned());
    reversed.push(run_end);
    for name in ["json", "jsonl", "markdown"] {
        assert_eq!(made(name, &reversed), made(name, &events), "{name}");
    }
}

#[test]
fn killed_run_has_a_summary() {
    let mut events = repeated();
    events.truncate(7);
    let told = lines(&events);
    let types: Vec<&str> = told.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["start", "stability", "summary"]);
    assert_eq!((&told[1]["runs"], &told[2]["total"]), (&json!(2), &json!(4)));
}

#[test]
fn other_reports_have_no_yao_variant() {
    for name in ["summary", "junit", "html", "csv", "console", "github"] {
        let kind = ReportKind::by_name(name).unwrap();
        assert!(std::ptr::eq(kind, kind.spelt_for("yao")), "{name}");
    }
    assert_eq!(ReportKind::json_of("yao").unwrap().name, "json");
}
