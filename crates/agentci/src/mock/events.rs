//! Converts a result to the run events that could have led to it, so that the same reports can be written for it.

use std::sync::Arc;

use agentci_report::{AgentTestResult, TestSuiteResult};
use agentci_trace::Usage;
use agentci_verdict::{
    AssertionCount, Body, CaseEnd, CaseStatus, Cause, CheckEnd, CheckStatus, FinalOutput, Finding, RunEnd, RunEvent,
    RunStart, TaskStart, settle,
};

/// The events of a suite's run.
pub(super) fn events(suite: &TestSuiteResult) -> Vec<RunEvent> {
    let suite_name: Arc<str> = suite.suite_name.as_str().into();
    let event = |case: Option<&AgentTestResult>, body| RunEvent {
        suite: Arc::clone(&suite_name),
        case_id: case.map(|case| case.test_case_name.as_str().into()),
        attempt: case.map(|_| 1),
        timestamp: 0,
        body,
    };
    let start = RunStart {
        agentci_version: env!("CARGO_PKG_VERSION").into(),
        dialect: "aumai".into(),
        cases_total: suite.results.len(),
        ..RunStart::default()
    };
    let mut events = vec![event(None, Body::RunStart(Box::new(start)))];
    for (index, result) in suite.results.iter().enumerate() {
        events.extend(bodies(index, result).into_iter().map(|body| event(Some(result), body)));
    }
    let (millis, micros) = whole(suite.duration_ms);
    events.push(event(None, Body::RunEnd(RunEnd { wall_ms: millis, wall_us: micros, ..RunEnd::default() })));
    events
}

fn bodies(index: usize, result: &AgentTestResult) -> Vec<Body> {
    let task = TaskStart { task_id: result.test_case_name.as_str().into(), input: Arc::default(), definition: None };
    let usage = Usage { tokens_out: Some(result.tokens_used), ..Usage::default() };
    let mut bodies = vec![
        Body::TaskStart(task),
        Body::Usage(usage),
        Body::FinalOutput(FinalOutput { output: Arc::new(result.actual_output.as_str().into()) }),
    ];
    let check = |label: &String, status| {
        // Only the name is the check: a label also says in words what was not found.
        let (name, message) = match label.split_once(": ") {
            Some((name, _)) => (name.to_owned(), Some(label.clone())),
            None => (label.clone(), None),
        };
        Body::Check(CheckEnd { name, status, message, ..CheckEnd::default() })
    };
    bodies.extend(result.assertions_passed.iter().map(|label| check(label, CheckStatus::Passed)));
    bodies.extend(result.assertions_failed.iter().map(|label| check(label, CheckStatus::Failed)));
    bodies.push(Body::CaseEnd(Arc::new(case_end(index, result))));
    bodies
}

fn case_end(index: usize, result: &AgentTestResult) -> CaseEnd {
    let finding = |label: &String| Finding {
        cause: Cause::Check,
        name: label.split(": ").next().expect("a split has a first part").to_owned(),
        message: label.clone(),
        ..Finding::default()
    };
    let mut findings: Vec<Finding> = result.assertions_failed.iter().map(finding).collect();
    if findings.is_empty() && !result.passed {
        findings.push(Finding { message: "no reason was recorded".into(), ..Finding::default() });
    }
    let (status, cause) = settle(&findings);
    let failed = result.assertions_failed.len();
    let (millis, micros) = whole(result.duration_ms);
    let mut end = CaseEnd {
        index,
        runs: 1,
        passed: status == CaseStatus::Pass,
        status,
        cause,
        wall_ms: millis,
        wall_us: micros,
        assertions: AssertionCount { total: result.assertions_passed.len() + failed, failed },
        findings,
        ..CaseEnd::default()
    };
    end.metrics.usage.tokens_out = Some(result.tokens_used);
    end
}

/// A time in whole milliseconds and in whole microseconds.
fn whole(milliseconds: f64) -> (u64, u64) {
    let duration = std::time::Duration::try_from_secs_f64(milliseconds.max(0.0) / 1000.0).unwrap_or_default();
    let number = |count: u128| u64::try_from(count).unwrap_or(u64::MAX);
    // Decimal fractions are not exact in binary.
    let micros = (duration + std::time::Duration::from_nanos(500)).as_micros();
    (number(duration.as_millis()), number(micros))
}
