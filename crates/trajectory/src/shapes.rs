//! The sequence of tool calls of an attempt, and how often each occurs.

use serde::Serialize;
use serde_json::Value;

use crate::steps::ONLY_ANSWERED;
use crate::{CaseTrajectories, PartKind, StepKind, Trajectory, TrajectoryStep};

/// How often a sequence of calls occurs in each run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShapeCount {
    /// The sequence: `find -> (check + price) -> refund`.
    pub shape: String,
    /// The number of attempts of the old run.
    pub old: usize,
    /// The number of attempts of the new run.
    pub new: usize,
}

/// The sequence of calls that an attempt made: `find x3 -> (check + price) -> refund`. Turns are separated by `/`.
pub fn shape(trajectory: &Trajectory) -> String {
    let turns = trajectory.steps.split(|step| step.kind == StepKind::Turn).map(of_turn);
    let turns: Vec<String> = turns.filter(|turn| !turn.is_empty()).collect();
    if turns.is_empty() { "no tool calls".to_owned() } else { turns.join(" / ") }
}

fn of_turn(steps: &[TrajectoryStep]) -> String {
    let calls: Vec<&TrajectoryStep> = steps.iter().filter(|step| is_made(step)).collect();
    let batches = calls.chunk_by(|one, other| one.batch.is_some() && one.batch == other.batch);
    let batches: Vec<String> = batches
        .map(|batch| match batch {
            [one] => one.name.clone(),
            several => {
                let names: Vec<&str> = several.iter().map(|call| call.name.as_str()).collect();
                format!("({})", counted(&names).join(" + "))
            }
        })
        .collect();
    counted(&batches.iter().map(String::as_str).collect::<Vec<_>>()).join(" -> ")
}

/// Names with the number of their repetitions: `find x3`.
fn counted(names: &[&str]) -> Vec<String> {
    let counted = |run: &[&str]| if run.len() > 1 { format!("{} x{}", run[0], run.len()) } else { run[0].to_owned() };
    names.chunk_by(|one, other| one == other).map(counted).collect()
}

/// Whether a step is a call that the agent made.
fn is_made(step: &TrajectoryStep) -> bool {
    let state = step.known(PartKind::State).and_then(Value::as_str);
    step.kind == StepKind::Call && state.is_none_or(|state| state == ONLY_ANSWERED)
}

/// The sequences of both runs, the most frequent of the old run first.
pub(crate) fn count_shapes(old: &CaseTrajectories, new: &CaseTrajectories) -> Vec<ShapeCount> {
    let mut counts: Vec<ShapeCount> = Vec::new();
    let all = old.attempts.iter().map(|attempt| (attempt, true)).chain(new.attempts.iter().map(|it| (it, false)));
    for (attempt, is_old) in all {
        let shape = shape(attempt);
        let at = counts.iter().position(|count| count.shape == shape).unwrap_or_else(|| {
            counts.push(ShapeCount { shape, old: 0, new: 0 });
            counts.len() - 1
        });
        *if is_old { &mut counts[at].old } else { &mut counts[at].new } += 1;
    }
    counts.sort_by_key(|count| std::cmp::Reverse((count.old, count.new)));
    counts
}
