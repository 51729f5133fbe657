//! A run in which every untrusted text has a meaning to the page, the terminal or the log that it may appear in.

use agentci_source::Place;
use agentci_trace::Usage;
use agentci_verdict::{
    AssertionCount, Body, CallLife, CaseEnd, CaseStatus, Cause, CheckEnd, CheckScore, CheckStatus, FinalOutput,
    Finding, LogLine, Metrics, ModelCallMade, Played, ReplaySource, RunEnd, RunEvent, RunStart, TaskError, TaskStart,
    TextSaid, ToolCallMade, ToolResultGiven, TurnStart,
};
use agentci_verdict::{AxisSetting, CaseCombination};
use agentci_verdict::{Contradiction, Detail, DifferingFact, DifferingFacts, Similarity};
use serde_json::{Value, json};

/// Markup, closing tags, links, mentions, commands, colors and marks that reorder text.
pub(crate) const TEXT: &str = "<script>alert(1)</script>]]>\u{1b}[31m|a|```` `b` \"c\" 'd' &amp; </details></pre></style><!-- \
    [x](javascript:1) ![i](http://e.example/i.png) @octocat #1 **bold** \u{202e}\r\n::error::forged\n````\n\n# title\n";

pub(crate) fn run() -> Vec<RunEvent> {
    let start = RunStart {
        agentci_version: TEXT.into(),
        run_id: TEXT.into(),
        dialect: TEXT.into(),
        mode: TEXT.into(),
        suite_path: TEXT.into(),
        agent_command: vec![TEXT.into()],
        cases_total: 3,
        cases_played: 3,
        require_agent: true,
        git_sha: Some(TEXT.into()),
        ..RunStart::default()
    };
    let mut events = vec![event(None, 0, Body::RunStart(Box::new(start)))];
    for (index, status) in [CaseStatus::Pass, CaseStatus::Fail, CaseStatus::Error].into_iter().enumerate() {
        events.extend(case(&format!("{index}{TEXT}"), index, status));
    }
    let skipped = CaseEnd { skip_reason: Some(TEXT.into()), ..end(3, CaseStatus::Skipped) };
    events.push(event(Some(TEXT), 9, Body::CaseEnd(skipped.into())));
    events.push(event(None, 10, Body::RunEnd(RunEnd { wall_ms: 10, ..RunEnd::default() })));
    events
}

fn case(id: &str, index: usize, status: CaseStatus) -> Vec<RunEvent> {
    let value = || json!({ TEXT: [TEXT, 1.50, null] });
    let text = || TEXT.to_owned();
    let result = |ok, result: Value, error: Option<String>| ToolResultGiven {
        turn: 0,
        call_id: text(),
        ok,
        result: result.into(),
        fault: error.clone(),
        observer: error.clone(),
        refused: error.clone(),
        recognised: error.clone(),
        error,
    };
    let check = |status| CheckEnd {
        name: text(),
        subject: Some(text()),
        status,
        message: Some(text()),
        score: Some(score()),
        evidence: Some(json!({ "note": text() }).into()),
        turn: None,
        definition: Some(text().into()),
        question: Some(text().into()),
    };
    let bodies = [
        Body::TaskStart(TaskStart { task_id: text().into(), input: value().into(), definition: None }),
        Body::Text(TextSaid { turn: 0, text: text() }),
        Body::ToolCall(ToolCallMade {
            turn: 0,
            name: text(),
            call_id: text(),
            args: value().into(),
            observer: Some(text()),
        }),
        Body::ToolResult(result(true, value(), None)),
        Body::ToolResult(result(false, Value::Null, Some(text()))),
        Body::TurnStart(TurnStart { turn: 1, input: value().into() }),
        Body::ModelCall(ModelCallMade { turn: 1, request: value().into(), response: json!("x".repeat(9000)).into() }),
        Body::Usage(Usage { tokens_in: Some(1), tokens_out: None, cost_usd: Some(0.25) }),
        Body::Log(LogLine { level: text(), message: text(), data: Some(value().into()) }),
        Body::TaskError(TaskError { message: text(), data: Some(value().into()) }),
        Body::FinalOutput(FinalOutput { output: value().into() }),
        Body::Check(check(CheckStatus::Passed)),
        Body::Check(check(CheckStatus::Failed)),
        Body::Check(check(CheckStatus::Error)),
        Body::Check(check(CheckStatus::NotEvaluated)),
        Body::CaseEnd(end(index, status).into()),
    ];
    bodies.into_iter().zip(0..).map(|(body, offset)| event(Some(id), offset, body)).collect()
}

fn end(index: usize, status: CaseStatus) -> CaseEnd {
    let wrong = matches!(status, CaseStatus::Fail | CaseStatus::Error);
    let cause = if status == CaseStatus::Error { Cause::Timeout } else { Cause::Check };
    let place = Place { path: TEXT.into(), line: 9, column: 3, width: 5, text: TEXT.into() };
    let finding = Finding {
        cause,
        name: TEXT.into(),
        message: TEXT.into(),
        place: Some(place.clone()),
        label: TEXT.into(),
        notes: vec![TEXT.into()],
        details: vec![Detail { path: TEXT.into(), expected: json!(TEXT), actual: json!(TEXT) }],
        help: Some(TEXT.into()),
        turn: Some(1),
    };
    CaseEnd {
        asked: None,
        prompts: Vec::new(),
        id: "".into(),
        index,
        runs: 1,
        most_runs: None,
        passed: status == CaseStatus::Pass,
        status,
        cause: wrong.then_some(cause),
        description: Some(TEXT.into()),
        wall_us: 0,
        turns: Vec::new(),
        tags: vec![TEXT.into()],
        combination: Some(Box::new(CaseCombination {
            of: TEXT.into(),
            axes: vec![AxisSetting { axis: TEXT.into(), value: format!("{TEXT}{index}") }],
        })),
        wall_ms: 5,
        metrics: Metrics {
            tool_calls: 1,
            tool_calls_by_name: [(TEXT.into(), 1)].into_iter().collect(),
            ..Metrics::default()
        },
        assertions: AssertionCount { total: 4, failed: 1 },
        findings: if wrong { vec![finding.clone(), finding] } else { Vec::new() },
        warnings: vec![TEXT.into()],
        calls: vec![CallLife {
            tool: TEXT.into(),
            turn: 0,
            seen: vec![TEXT.into()],
            observers: vec![TEXT.into()],
            counts: true,
            parts: vec![TEXT.into()],
        }],
        similarities: vec![similarity()],
        scores: vec![score()],
        replay: Some(Box::new(ReplaySource {
            cassette_path: TEXT.into(),
            cassette_sha256: TEXT.into(),
            unused_lines: vec![1],
            matched: None,
        })),
        played: Some(Box::new(Played { recording: TEXT.into(), place: place.clone(), meant: false })),
        deterministic: true,
        no_agent: true,
        stderr_tail: vec![TEXT.into()],
        output_hash: None,
        skip_reason: None,
        place: Some(place),
        input: Some(Box::new(json!(TEXT))),
        expected: Some(Box::new(json!({ TEXT: TEXT }))),
        metadata: Some(Box::new(json!({ TEXT: TEXT }))),
        recheck: None,
    }
}

fn score() -> CheckScore {
    CheckScore { check: TEXT.into(), score: 0.5, threshold: Some(0.4) }
}

fn similarity() -> Similarity {
    let fact = || DifferingFact { kind: TEXT.into(), text: TEXT.into() };
    let facts = DifferingFacts {
        missing: vec![fact()],
        extra: vec![fact()],
        unclear: vec![TEXT.into()],
        contradiction: Some(Contradiction {
            kind: TEXT.into(),
            certain: true,
            expected: TEXT.into(),
            said: TEXT.into(),
        }),
    };
    Similarity { similarity: 0.5, embedder: TEXT.into(), threshold: Some(0.4), negated: false, facts }
}

fn event(case: Option<&str>, offset: u64, body: Body) -> RunEvent {
    RunEvent {
        suite: TEXT.into(),
        case_id: case.map(Into::into),
        attempt: case.map(|_| 1),
        timestamp: 1_763_176_000_123 + offset,
        body,
    }
}
