//! A result told as the run events that could have led to it, so that the same reports can be made of it.

use std::sync::Arc;

use agentci_report::{AgentTestResult, TestSuiteResult};
use agentci_trace::Usage;
use agentci_verdict::{
    AssertionCount, Body, CaseEnd, Cause, CheckEnd, CheckStatus, FinalOutput, Finding, RunEnd, RunEvent, RunStart,
    Status, TaskStart, settle,
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
    let end = RunEnd { wall_ms: whole(suite.duration_ms), interrupted: false, not_run: 0, stability: None };
    events.push(event(None, Body::RunEnd(end)));
    events
}

fn bodies(index: usize, result: &AgentTestResult) -> Vec<Body> {
    let task = TaskStart { task_id: result.test_case_name.as_str().into(), input: Arc::default() };
    let usage = Usage { tokens_out: Some(result.tokens_used), ..Usage::default() };
    let mut bodies = vec![
        Body::TaskStart(task),
        Body::Usage(usage),
        Body::FinalOutput(FinalOutput { output: Arc::new(result.actual_output.as_str().into()) }),
    ];
    let check = |label: &String, status| {
        Body::Check(CheckEnd { name: label.clone(), subject: None, status, message: None, evidence: None })
    };
    bodies.extend(result.assertions_passed.iter().map(|label| check(label, CheckStatus::Held)));
    bodies.extend(result.assertions_failed.iter().map(|label| check(label, CheckStatus::Failed)));
    bodies.push(Body::CaseEnd(Arc::new(case_end(index, result))));
    bodies
}

fn case_end(index: usize, result: &AgentTestResult) -> CaseEnd {
    let finding = |label: &String| Finding {
        cause: Cause::Check,
        name: label.split(": ").next().unwrap_or_default().to_owned(),
        message: label.clone(),
        ..Finding::default()
    };
    let mut findings: Vec<Finding> = result.assertions_failed.iter().map(finding).collect();
    if findings.is_empty() && !result.passed {
        findings.push(Finding { message: "no reason was recorded".into(), ..Finding::default() });
    }
    let (status, cause) = settle(&findings);
    let failed = result.assertions_failed.len();
    let mut end = CaseEnd {
        index,
        runs: 1,
        passed: status == Status::Pass,
        status,
        cause,
        wall_ms: whole(result.duration_ms),
        assertions: AssertionCount { total: result.assertions_passed.len() + failed, failed },
        findings: findings.into(),
        ..CaseEnd::default()
    };
    end.metrics.usage.tokens_out = Some(result.tokens_used);
    end
}

/// Milliseconds without their fraction.
fn whole(milliseconds: f64) -> u64 {
    let duration = std::time::Duration::try_from_secs_f64(milliseconds.max(0.0) / 1000.0);
    u64::try_from(duration.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}
