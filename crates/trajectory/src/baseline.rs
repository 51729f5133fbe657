//! Trajectories as far as a baseline keeps them: the tools that were called, with short arguments.

use agentci_trace::Usage;
use agentci_verdict::{Baseline, CallStep, CaseEnd, CaseRow, CaseStatus, Rows, unix_seconds};

use crate::batches::in_canonical_order;
use crate::steps::{ONLY_ANSWERED, PART_OF_CALL};
use crate::{CaseTrajectories, PartKind, PartValue, RunKind, RunTrajectories, StepKind, Trajectory, TrajectoryStep};

/// The trajectories in a baseline: one for each case.
pub fn of_baseline(baseline: &Baseline) -> RunTrajectories {
    let cases = baseline.cases.iter().map(|case| {
        let trajectory = Trajectory {
            number: 1,
            status: Some(case.status),
            cause: None,
            wall_ms: (case.wall_ms > 0.0).then_some(case.wall_ms),
            usage: Usage::default(),
            steps: steps(case.steps.as_deref().unwrap_or_default(), &[]),
        };
        let attempts = case.steps.iter().map(|_| trajectory.clone()).collect();
        CaseTrajectories {
            id: case.id.clone(),
            attempts,
            runs: case.history.runs,
            passes: case.history.passes,
            seen_by_others: case.seen_by_others,
        }
    });
    RunTrajectories {
        kind: RunKind::Baseline,
        suite: baseline.suite.clone(),
        time: newest_run(baseline),
        cases: cases.collect(),
        ended: true,
        steps_rule: baseline.steps_rule,
    }
}

/// The end of the newest run, in Unix milliseconds; 0 if it is not known.
fn newest_run(baseline: &Baseline) -> (u64, u64) {
    let newest = baseline.history.newest().and_then(|run| unix_seconds(&run.at));
    let ms = newest.and_then(|seconds| u64::try_from(seconds).ok()).unwrap_or_default() * 1000;
    (ms, ms)
}

/// A run, reduced to what a baseline keeps. Which calls ran in parallel is taken from its events.
pub fn as_baseline(run: &RunTrajectories, rows: &Rows) -> RunTrajectories {
    let cases = rows.iter().zip(&run.cases).map(|(row, full)| reduced(row, full)).collect();
    RunTrajectories { kind: RunKind::Baseline, cases, ..run.clone() }
}

fn reduced(row: &CaseRow, full: &CaseTrajectories) -> CaseTrajectories {
    let attempts = full.attempts.iter().zip(&row.attempts);
    let attempts = attempts.map(|(attempt, end): (&Trajectory, &std::sync::Arc<CaseEnd>)| Trajectory {
        steps: steps(&end.metrics.steps, &attempt.steps),
        cause: None,
        ..attempt.clone()
    });
    let attempts = attempts.collect();
    let passed = row.attempts.iter().filter(|end| end.status == CaseStatus::Pass).count();
    CaseTrajectories {
        id: full.id.clone(),
        attempts,
        runs: row.attempts.len() as u64,
        passes: passed as u64,
        seen_by_others: row.attempts.iter().any(|end| !end.calls.is_empty()),
    }
}

/// The steps, with the batches of the full steps if those are known.
fn steps(kept: &[CallStep], full: &[TrajectoryStep]) -> Vec<TrajectoryStep> {
    let mut full: Vec<&TrajectoryStep> = full.iter().filter(|step| step.kind == StepKind::Call).collect();
    let mut batch = |call: &CallStep| {
        let at = full.iter().position(|step| step.name == call.tool && !call.within)?;
        full.remove(at).batch
    };
    let steps = kept.iter().map(|call| {
        let mut step = TrajectoryStep::new(StepKind::Call, &call.tool);
        let arguments = call.args.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let fingerprint = || PartValue::Fingerprint(call.args_hash.clone());
        step.set(PartKind::Arguments, arguments.map_or_else(fingerprint, PartValue::Known));
        // The exchanges during calls are a set.
        step.batch = if call.within { Some(u32::MAX) } else { batch(call) };
        if let Some(state) = state(call) {
            step.set(PartKind::State, PartValue::Known(state.into()));
        }
        step
    });
    in_canonical_order(steps.collect())
}

fn state(call: &CallStep) -> Option<&'static str> {
    if call.within { Some(PART_OF_CALL) } else { call.only_answered.then_some(ONLY_ANSWERED) }
}
