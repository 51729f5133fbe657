//! Reports of a run that was compared with a baseline.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod recorded;

use std::collections::BTreeMap;
use std::sync::Arc;

use agentci_report::{Console, ConsoleOptions, Github, Junit, Paint, Summary, comparison_table};
use agentci_source::Place;
use agentci_verdict::{
    Baseline, BaselineCase, Body, CallStep, CaseHistory, CaseStatus, GateReport, Measure, Policy, Rows, RunEvent,
    SCHEMA_VERSION, STEPS_RULE, Thresholds,
};
use recorded::{Written, play};
use serde_json::{Value, json};

const THRESHOLDS: Thresholds = Thresholds {
    max_avg_wall_ms_delta_pct: Some(0.1),
    max_p95_wall_ms_delta_pct: Some(0.5),
    min_wall_ms_delta: None,
    min_pass_rate: Some(0.9),
    decide: false,
    no_changed_prompts: false,
    no_changed_steps: false,
    no_missing_cases: true,
    no_new_failures: true,
    no_regression: None,
    no_slower: None,
    no_costlier: None,
    undecided: None,
};

fn steps(tools: &[&str]) -> Vec<CallStep> {
    tools
        .iter()
        .map(|tool| CallStep {
            tool: (*tool).to_owned(),
            args_hash: "0".repeat(16),
            args: Some("{\"q\":\"a\"}".into()),
            ..CallStep::default()
        })
        .collect()
}

fn baseline() -> Baseline {
    let case = |id: &str, status, steps| BaselineCase {
        id: id.to_owned(),
        status,
        wall_ms: 20.0,
        steps: Some(steps),
        came_to_its_end: true,
        similarity: (id == "t1").then(|| Measure { similarity: 0.95, embedder: "builtin:small@1".into() }),
        history: CaseHistory { runs: 4, passes: if id == "t7" { 3 } else { 4 } },
        ..BaselineCase::default()
    };
    Baseline {
        schema_version: SCHEMA_VERSION,
        steps_rule: STEPS_RULE,
        suite: "demo <&\">".to_owned(),
        pass_rate: 1.0,
        wall_ms_mean: Some(20.0),
        wall_ms_p95: Some(28_000.0),
        cases: vec![
            case("gone\u{1b}[2J <&\">", CaseStatus::Pass, Vec::new()),
            case("t1", CaseStatus::Pass, steps(&["search_docs"])),
            case("t2", CaseStatus::Pass, steps(&["search_docs", "create_issue"])),
            case("t3", CaseStatus::Fail, Vec::new()),
            case("t4", CaseStatus::Pass, Vec::new()),
            case("t5", CaseStatus::Pass, Vec::new()),
            case("t6", CaseStatus::Error, Vec::new()),
            case("t7", CaseStatus::Pass, steps(&["add"])),
        ],
        ..Baseline::default()
    }
}

/// The recorded run with tool calls, and with the result of `policy` before its end.
fn run(policy: &Policy) -> Vec<RunEvent> {
    let mut events = recorded::run();
    for event in &mut events {
        if let Body::CaseEnd(end) = &mut event.body {
            let end = Arc::make_mut(end);
            end.metrics.steps = match event.case_id.as_deref() {
                Some("t1") => vec![CallStep {
                    args_hash: "1".repeat(16),
                    args: Some("{\"q\":\"b\"}".into()),
                    ..steps(&["search_docs"]).remove(0)
                }],
                Some("t2") => steps(&["search_docs", "search_docs"]),
                Some("t7") => steps(&["add", "add"]),
                _ => Vec::new(),
            };
        }
    }
    let mut rows = Rows::default();
    for event in &events {
        rows.add(event);
    }
    let end = events.pop().unwrap();
    let report = policy.judge(&end.suite, "replay", &rows, true);
    events.push(RunEvent { body: Body::Gates(Box::new(report)), ..end.clone() });
    events.push(end);
    events
}

/// The keys of the suite, except for one.
fn places() -> BTreeMap<String, Place> {
    let place = |line| Place { path: "evals/<a>.yaml".into(), line, column: 3, width: 5, text: "min_..".to_owned() };
    let names = ["gates", "min_pass_rate", "max_avg_wall_ms_delta_pct", "no_missing_cases"];
    names.iter().zip(4..).map(|(name, line)| ((*name).to_owned(), place(line))).collect()
}

fn regressed() -> Vec<RunEvent> {
    run(&Policy {
        thresholds: THRESHOLDS,
        written: json!({ "min_success_rate": 0.9, "mine": { "b": 1, "a": 2 } }),
        baseline_path: Some("evals/baseline.json".to_owned()),
        baseline: Some(Ok(baseline())),
        places: places(),
    })
}

fn without_baseline() -> Vec<RunEvent> {
    run(&Policy {
        thresholds: Thresholds { min_pass_rate: Some(0.2), no_new_failures: true, ..Thresholds::default() },
        baseline_path: Some("gone.json".to_owned()),
        baseline: Some(Err("no such file".to_owned())),
        ..Policy::default()
    })
}

/// The console output after the failures.
fn console(events: &[RunEvent]) -> String {
    let written = Written::default();
    play(events, &mut Console::new(written.writer(), ConsoleOptions::default()));
    let text = written.text();
    text[text.find("GATE ").unwrap()..].to_owned()
}

/// The gates in the file, and the line with the counts.
fn junit(events: &[RunEvent]) -> String {
    let written = Written::default();
    play(events, &mut Junit::new(written.output()));
    let text = written.text();
    let counts = text.lines().nth(2).unwrap();
    let first = text.find("name=\"gate: ").unwrap();
    let start = text[..first].rfind('\n').unwrap();
    format!("{counts}{}", &text[start..])
}

fn summary(events: &[RunEvent]) -> Value {
    let written = Written::default();
    play(events, &mut Summary::new(written.output()));
    serde_json::from_str(&written.text()).unwrap()
}

fn report(events: &[RunEvent]) -> GateReport {
    let found = events.iter().find_map(|event| match &event.body {
        Body::Gates(report) => Some((**report).clone()),
        _ => None,
    });
    found.unwrap()
}

#[test]
fn console_with_gates() {
    insta::assert_snapshot!(console(&regressed()));
}

#[test]
fn console_without_the_baseline() {
    insta::assert_snapshot!(console(&without_baseline()));
}

#[test]
fn junit_with_gates() {
    insta::assert_snapshot!(junit(&regressed()));
}

#[test]
fn annotation_of_a_failed_gate_has_the_line_of_its_key() {
    let annotations = |events: &[RunEvent]| -> Vec<String> {
        let written = Written::default();
        play(events, &mut Github::new(written.writer(), "token"));
        let is_gate = |line: &&str| line.contains("::gate ");
        written.text().lines().filter(is_gate).map(|line| line.split("::gate ").next().unwrap().to_owned()).collect()
    };
    let place = |line| format!("::error file=evals/<a>.yaml,line={line},col=3,title=agentci%3A demo <&\">");
    // Time gates that pass have no annotation; a gate whose key is unknown points at the gates as a whole.
    assert_eq!(annotations(&regressed()), [place(5), place(6), place(4), place(7)]);
    let whole_file = annotations(&without_baseline());
    assert!(
        whole_file.iter().all(|line| line.starts_with("::error file=evals/demo/suite.yaml,title=")),
        "{whole_file:?}"
    );
}

#[test]
fn comparison_by_itself() {
    insta::assert_snapshot!(comparison_table(&report(&regressed()).comparison, Paint::new(false)));
}

#[test]
fn summary_with_gates() {
    let summary = summary(&regressed());
    let case = |id| summary["cases"].as_array().unwrap().iter().find(|case| case["id"] == id).unwrap();
    let part = json!({
        "policy_snapshot": summary["policy_snapshot"],
        "regression": summary["regression"],
        "t2": { "tool_steps": case("t2")["tool_steps"], "history": case("t2")["history"] },
        "t7": { "tool_steps": case("t7")["tool_steps"], "history": case("t7")["history"] },
    });
    insta::assert_snapshot!(format!("{part:#}"));
}

#[test]
fn failed_gate_fails_the_run() {
    let mut events = without_baseline();
    events.retain(|event| matches!(event.case_id.as_deref(), None | Some("t1")));
    assert_eq!(summary(&events)["run"]["exit_status"], "failed");
    assert_eq!(summary(&events)["regression"]["problem"], "no such file");
    assert!(junit(&events).contains("tests=\"2\" failures=\"1\""), "{}", junit(&events));
}

#[test]
fn stored_comparison_gives_the_same_reports() {
    let live = regressed();
    let stored: Vec<RunEvent> =
        live.iter().map(|event| RunEvent::from_line(&event.to_line().unwrap()).unwrap()).collect();
    assert_eq!(stored, live);
    assert_eq!(console(&stored), console(&live));
    assert_eq!(summary(&stored), summary(&live));
}

#[test]
fn promoted_summary_equals_its_own_baseline() {
    let document = summary(&regressed());
    let promoted = agentci_verdict::promote(&document, None, 50, true).unwrap();
    let (baseline, current) = (Baseline::parse(promoted.as_bytes()).unwrap(), Baseline::read(&document).unwrap());
    assert_eq!(Thresholds::of_summary(&document), THRESHOLDS);
    let comparison = agentci_verdict::compare(Some(&baseline), &current, &Thresholds::default(), true);
    assert_eq!(comparison.case_diffs, agentci_verdict::CaseChanges::default());
    assert_eq!(comparison.metrics.pass_rate.delta, Some(0.0));
}
