//! A recorded run with every status, and helpers that play it into a report.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use agentci_report::{ReportOutput, Reporter};
use agentci_source::Place;
use agentci_trace::Usage;
use agentci_verdict::{
    AssertionCount, Body, CaseEnd, CaseStatus, Cause, CheckEnd, CheckStatus, Finding, Metrics, ReplaySource, RunEnd,
    RunEvent, RunStart, TaskStart, ToolCallMade,
};
use agentci_verdict::{Contradiction, Detail, DifferingFact, DifferingFacts, Similarity};
use serde_json::{Value, json};

/// The start of the run, in Unix milliseconds.
const BEGIN: u64 = 1_763_176_000_123;

/// A name with XML special characters.
const SUITE: &str = "demo <&\">";

pub(crate) fn run() -> Vec<RunEvent> {
    let mut events = vec![event(None, 0, Body::RunStart(Box::new(start())))];
    events.extend(passes());
    events.extend(fails_a_check());
    events.extend(misses_the_recording());
    events.extend(says_nothing());
    events.push(end("t5", 1, skipped()));
    events.push(end("t6", 1, broken()));
    events.extend(passes_sometimes());
    events.push(end("odd <&\">\u{1b}[2J\nid", 1, CaseEnd { index: 7, wall_ms: 3, ..passed() }));
    events.push(event(None, 31_200, Body::RunEnd(RunEnd { wall_ms: 31_200, ..RunEnd::default() })));
    events
}

/// Plays events into a report.
pub(crate) fn play(events: &[RunEvent], reporter: &mut dyn Reporter) {
    for event in events {
        reporter.on_event(event).unwrap();
    }
    reporter.finish().unwrap();
}

/// The bytes that a report wrote.
#[derive(Clone, Default)]
pub(crate) struct Written(Rc<RefCell<Vec<u8>>>);

impl Written {
    /// An output for a complete report.
    pub(crate) fn output(&self) -> ReportOutput {
        let mut into = self.clone();
        Box::new(move |bytes| into.write_all(bytes))
    }

    /// A writer for a streamed report.
    pub(crate) fn writer(&self) -> Box<dyn Write> {
        Box::new(self.clone())
    }

    /// The written text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).unwrap()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn event(case: Option<(&str, u32)>, offset: u64, body: Body) -> RunEvent {
    RunEvent {
        suite: SUITE.into(),
        case_id: case.map(|(id, _)| id.into()),
        attempt: case.map(|(_, attempt)| attempt),
        timestamp: BEGIN + offset,
        body,
    }
}

fn begin(id: &str, attempt: u32) -> RunEvent {
    event(
        Some((id, attempt)),
        1,
        Body::TaskStart(TaskStart { task_id: id.into(), input: json!({}).into(), definition: None }),
    )
}

fn call(id: &str, attempt: u32, name: &str, args: Value) -> RunEvent {
    let call = ToolCallMade {
        turn: 0,
        name: name.to_owned(),
        call_id: "c1".to_owned(),
        args: args.into(),
        ..ToolCallMade::default()
    };
    event(Some((id, attempt)), 2, Body::ToolCall(call))
}

fn check(id: &str, attempt: u32, name: &str, status: CheckStatus) -> RunEvent {
    let message = (status != CheckStatus::Passed).then(|| "it was not so".to_owned());
    event(
        Some((id, attempt)),
        3,
        Body::Check(CheckEnd { name: name.to_owned(), status, message, ..CheckEnd::default() }),
    )
}

fn end(id: &str, attempt: u32, end: CaseEnd) -> RunEvent {
    event(Some((id, attempt)), 4, Body::CaseEnd(std::sync::Arc::new(CaseEnd { id: id.into(), ..end })))
}

fn start() -> RunStart {
    RunStart {
        agentci_version: "0.1.0".to_owned(),
        run_id: "20251115-030640".to_owned(),
        dialect: "runledger".to_owned(),
        mode: "replay".to_owned(),
        suite_path: "evals/demo/suite.yaml".to_owned(),
        agent_command: vec!["python3".to_owned(), "agent.py".to_owned()],
        cases_total: 8,
        git_sha: Some("0123abcd".to_owned()),
        ..RunStart::default()
    }
}

fn place(path: &str, line: u32, column: u32, width: u32, text: &str) -> Place {
    Place { path: format!("evals/demo/cases/{path}").into(), line, column, width, text: text.to_owned() }
}

fn passed() -> CaseEnd {
    CaseEnd { runs: 1, passed: true, status: CaseStatus::Pass, ..CaseEnd::default() }
}

fn not_passed(finding: Finding) -> CaseEnd {
    CaseEnd {
        passed: false,
        status: finding.cause.status(),
        cause: Some(finding.cause),
        findings: vec![finding],
        ..passed()
    }
}

fn tool_calls(name: &str, calls: u64, errors: u64) -> Metrics {
    Metrics {
        tool_calls: calls,
        tool_errors: errors,
        model_calls: None,
        tool_calls_by_name: [(name.to_owned(), calls)].into_iter().collect(),
        tool_errors_by_name: (errors > 0).then(|| (name.to_owned(), errors)).into_iter().collect(),
        usage: Usage::default(),
        steps: Vec::new(),
    }
}

fn similarity() -> Similarity {
    let number = |text: &str| DifferingFact { kind: "number".into(), text: text.into() };
    Similarity {
        similarity: 0.871_24,
        embedder: "builtin:small@1".into(),
        threshold: Some(0.55),
        negated: false,
        facts: DifferingFacts {
            missing: vec![number("1,200")],
            extra: vec![number("<1|5>")],
            contradiction: Some(Contradiction {
                kind: "negation".into(),
                certain: false,
                expected: "paid".into(),
                said: "not paid".into(),
            }),
            unclear: Vec::new(),
        },
    }
}

fn passes() -> Vec<RunEvent> {
    let usage = Usage { tokens_in: Some(120), tokens_out: Some(30), cost_usd: Some(0.0025) };
    let ended = CaseEnd {
        index: 0,
        description: Some("finds the réset page".into()),
        tags: vec!["docs".to_owned()],
        wall_ms: 56,
        metrics: Metrics { usage, model_calls: Some(2), ..tool_calls("search_docs", 1, 0) },
        assertions: AssertionCount { total: 3, failed: 0 },
        similarities: vec![similarity()],
        replay: Some(Box::new(ReplaySource {
            cassette_path: "cassettes/t1.jsonl".to_owned(),
            cassette_sha256: "ab".repeat(32),
            unused_lines: vec![3],
            matched: None,
        })),
        ..passed()
    };
    vec![
        begin("t1", 1),
        call("t1", 1, "search_docs", json!({ "q": "réset\u{1b}[31m\u{202e}", "limit": 10 })),
        check("t1", 1, "json_schema", CheckStatus::Passed),
        check("t1", 1, "must_call", CheckStatus::Passed),
        event(
            Some(("t1", 1)),
            3,
            Body::Check(CheckEnd {
                name: "semantic".to_owned(),
                evidence: Some(serde_json::to_value(similarity()).unwrap().into()),
                ..CheckEnd::default()
            }),
        ),
        end("t1", 1, ended),
    ]
}

fn fails_a_check() -> Vec<RunEvent> {
    let first = Finding {
        cause: Cause::Check,
        name: "must_call".to_owned(),
        message: "`create_issue` was never called".to_owned(),
        place: Some(place("t2.yaml", 9, 13, 12, "    tools: [create_issue]")),
        label: "never called".to_owned(),
        notes: vec!["the agent called search_docs, search_docs".to_owned()],
        details: vec![Detail {
            path: "/tools/0".to_owned(),
            expected: json!("create_issue"),
            actual: json!({ "b": 1, "a": 2 }),
        }],
        help: Some("a call that may be left out belongs in `may_call`".to_owned()),
        turn: None,
    };
    let second = Finding {
        name: "contains".to_owned(),
        message: "the output does not contain `refunded`".to_owned(),
        place: Some(place("t2.yaml", 10, 15, 8, "    contains: refunded")),
        label: "the output does not contain `refunded`".to_owned(),
        ..Finding::default()
    };
    let mut ended = CaseEnd {
        index: 1,
        wall_ms: 12,
        metrics: tool_calls("search_docs", 2, 1),
        assertions: AssertionCount { total: 3, failed: 2 },
        place: Some(place("t2.yaml", 1, 1, 2, "id: t2")),
        ..not_passed(first)
    };
    ended.findings.push(second);
    vec![
        begin("t2", 1),
        call("t2", 1, "search_docs", json!({ "q": "x".repeat(200) })),
        call("t2", 1, "search_docs", json!({})),
        check("t2", 1, "must_call", CheckStatus::Failed),
        check("t2", 1, "contains", CheckStatus::Failed),
        end("t2", 1, ended),
    ]
}

fn misses_the_recording() -> Vec<RunEvent> {
    let finding = Finding {
        cause: Cause::ReplayMiss,
        name: "replay_miss".to_owned(),
        message:
            "the recording has no call search_docs {\"q\":\"rest\"}\nclosest: line 2, search_docs {\"q\":\"reset\"}\n\
                  first difference at /q: `reset` was recorded, `rest` was sent"
                .to_owned(),
        help: Some("record again with `agentci record`".to_owned()),
        ..Finding::default()
    };
    let ended = CaseEnd {
        index: 2,
        wall_ms: 20,
        metrics: tool_calls("search_docs", 1, 0),
        place: Some(place("t3.yaml", 1, 5, 2, "id: t3")),
        ..not_passed(finding)
    };
    vec![begin("t3", 1), call("t3", 1, "search_docs", json!({ "q": "rest" })), end("t3", 1, ended)]
}

fn says_nothing() -> Vec<RunEvent> {
    let finding = Finding {
        cause: Cause::Timeout,
        name: "timeout".to_owned(),
        message: "the answer is empty for 30 s".to_owned(),
        ..Finding::default()
    };
    let mut stderr_tail: Vec<String> = (1..=9).map(|number| format!("attempt {number} failed")).collect();
    stderr_tail.extend(
        ["\u{1b}[31mred\u{1b}[0m", "]]> <![CDATA[ & done", "bell\u{7}null\0\u{fffe}\u{9b}2J\r"].map(str::to_owned),
    );
    let ended = CaseEnd { index: 3, wall_ms: 30_000, stderr_tail, ..not_passed(finding) };
    vec![begin("t4", 1), end("t4", 1, ended)]
}

fn skipped() -> CaseEnd {
    CaseEnd {
        index: 4,
        passed: false,
        status: CaseStatus::Skipped,
        skip_reason: Some("not ready \"yet\"".into()),
        ..passed()
    }
}

fn broken() -> CaseEnd {
    let finding = Finding {
        cause: Cause::Config,
        name: "config".to_owned(),
        message: "the file is empty".to_owned(),
        place: Some(place("t6.yaml", 0, 0, 0, "")),
        help: Some("write a case or remove the file".to_owned()),
        ..Finding::default()
    };
    CaseEnd { index: 5, ..not_passed(finding) }
}

fn passes_sometimes() -> Vec<RunEvent> {
    let finding = Finding {
        name: "equals".to_owned(),
        message: "expected 20".to_owned(),
        place: Some(place("t7.yaml", 120, 12, 2, "  equals: [20]")),
        label: "the agent said 200".to_owned(),
        ..Finding::default()
    };
    let assertions = AssertionCount { total: 1, failed: 0 };
    let good = CaseEnd { index: 6, runs: 3, wall_ms: 10, assertions, ..passed() };
    let bad = CaseEnd {
        index: 6,
        runs: 3,
        wall_ms: 11,
        metrics: tool_calls("add", 1, 0),
        assertions: AssertionCount { total: 1, failed: 1 },
        ..not_passed(finding)
    };
    vec![
        begin("t7", 1),
        check("t7", 1, "equals", CheckStatus::Passed),
        end("t7", 1, good.clone()),
        begin("t7", 2),
        call("t7", 2, "add", json!([10, 190])),
        check("t7", 2, "equals", CheckStatus::Failed),
        end("t7", 2, bad),
        begin("t7", 3),
        check("t7", 3, "equals", CheckStatus::Passed),
        end("t7", 3, good),
    ]
}
