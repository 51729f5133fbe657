//! Measures the comparison: `cargo run --release -p agentci-trajectory --example diff_speed`.
//!
//! Two runs of 1,000 cases with 50 steps each, in which every second call has another argument, are compared. The bar is
//! one second of CPU.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use agentci_trajectory::{
    CaseTrajectories, PartKind, RunTrajectories, StepKind, Trajectory, TrajectoryStep, compare_runs,
};
use serde_json::json;

fn step(case: usize, at: usize, limit: Option<usize>) -> TrajectoryStep {
    let name = ["search_docs", "find_order", "refund_order"][at % 3];
    let mut args =
        json!({"q": format!("question {case} {at}"), "order": {"id": format!("A-{at}"), "lines": [at, case]}});
    if let Some(limit) = limit {
        args["limit"] = limit.into();
    }
    let result =
        json!({"hits": [{"title": format!("page {at}"), "text": "The quick brown fox. ".repeat(20)}], "total": at});
    TrajectoryStep::new(StepKind::Call, name).with(PartKind::Arguments, args).with(PartKind::Result, result)
}

fn run(changed: bool) -> RunTrajectories {
    let steps = |case: usize| (0..50).map(move |at| step(case, at, (changed && at % 2 == 0).then_some(5)));
    let attempt = |case| Trajectory { number: 1, steps: steps(case).collect(), ..Trajectory::default() };
    let case = |case| CaseTrajectories {
        id: format!("case-{case}"),
        attempts: vec![attempt(case)],
        runs: 1,
        ..CaseTrajectories::default()
    };
    RunTrajectories {
        suite: "speed".into(),
        cases: (0..1000).map(case).collect(),
        ended: true,
        ..RunTrajectories::default()
    }
}

fn main() {
    let (old, new) = (run(false), run(true));
    #[expect(clippy::disallowed_methods, reason = "this program measures time")]
    let start = std::time::Instant::now();
    let diff = compare_runs(&old, &new, false);
    let took = start.elapsed();
    let changed: usize = diff.cases.iter().map(|case| case.rows.iter().filter(|row| row.differs()).count()).sum();
    println!("{} cases, {changed} changed steps, {} ms", diff.cases.len(), took.as_millis());
    assert_eq!(changed, 25_000);
}
