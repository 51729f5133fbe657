//! Compares the attempts at a case in two runs.

use std::collections::BTreeSet;

use agentci_trace::Usage;
use serde_json::Value;

use crate::align::{StepPair, align};
use crate::consequences::Explanations;
use crate::shapes::{ShapeCount, count_shapes, shape};
use crate::steps::ONLY_ANSWERED;
use crate::varying::Varying;
use crate::{
    CaseTrajectories, PartChange, PartKind, PartValue, StepKind, StepPart, Trajectory, TrajectoryStep, ValueChange,
    value_changes,
};

/// The maximum number of attempts of a case that are compared step by step.
const ATTEMPTS: usize = 50;

/// A case in both runs, or in one.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseDiff<'t> {
    /// The id of the case.
    pub id: &'t str,
    /// The results in the old run, if it has the case.
    pub old: Option<CaseResult>,
    /// The results in the new run, if it has the case.
    pub new: Option<CaseResult>,
    /// The steps of the two attempts that are shown, aligned.
    pub rows: Vec<DiffRow<'t>>,
    /// The position of the first row that differs.
    pub first: Option<usize>,
    /// The number of attempts of the new run that were compared, and of those that differ.
    pub compared: usize,
    /// The number of attempts that differ from the old run.
    pub differing: usize,
    /// How often each sequence of calls occurs in both runs.
    pub shapes: Vec<ShapeCount>,
    /// The number of attempts of the new run that were not compared, because there are too many.
    pub left_out: usize,
    /// The number of ids and times that differ from run to run and count as equal.
    pub ignored: usize,
    /// Whether the calls of one of the runs are unknown.
    pub unknown_steps: bool,
}

/// The results of a case in one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CaseResult {
    /// The number of attempts.
    pub runs: u64,
    /// The number of attempts that passed.
    pub passes: u64,
    /// The number of the attempt that is shown.
    pub attempt: Option<u32>,
    /// Its status; `None` if it did not end.
    pub status: Option<&'static str>,
    /// Its cause, unless it passed.
    pub cause: Option<&'static str>,
    /// Its wall time in milliseconds.
    pub wall_ms: Option<f64>,
    /// Its tokens and cost.
    pub usage: Usage,
}

/// What a row means for the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowRole {
    /// Both attempts did the same.
    Same,
    /// The first difference.
    First,
    /// A later difference that repeats what changed in an earlier row.
    Follows(usize),
    /// A later difference that may have a cause of its own.
    After,
}

/// A step of each attempt, or a step that only one has.
#[derive(Debug, Clone, PartialEq)]
pub struct DiffRow<'t> {
    /// The step of the old attempt.
    pub old: Option<&'t TrajectoryStep>,
    /// The step of the new attempt.
    pub new: Option<&'t TrajectoryStep>,
    /// The number of the step in the old attempt, from 1.
    pub old_number: Option<usize>,
    /// The number of the step in the new attempt, from 1.
    pub new_number: Option<usize>,
    /// What it means.
    pub role: RowRole,
    /// What changed, if both have the step.
    pub changes: Vec<PartChange>,
}

impl DiffRow<'_> {
    /// Whether the attempts differ here.
    pub fn differs(&self) -> bool {
        self.old.is_none() || self.new.is_none() || !self.changes.is_empty()
    }

    /// The step to name.
    pub fn step(&self) -> Option<&TrajectoryStep> {
        self.new.or(self.old)
    }
}

impl CaseDiff<'_> {
    /// Whether anything differs: a case in one run only, a status, a step of any attempt, or a sequence of calls that no
    /// attempt makes any more. Times and tokens are no differences.
    pub fn differs(&self) -> bool {
        let (Some(old), Some(new)) = (&self.old, &self.new) else { return true };
        let several = self.shapes.iter().map(|shape| shape.old).sum::<usize>() > 1;
        let vanished = several && self.shapes.iter().any(|shape| shape.new == 0);
        let causes = old.cause.zip(new.cause).is_some_and(|(old, new)| old != new);
        let results = old.status != new.status || causes || passes_differ(old, new);
        results || self.differing > 0 || (!self.unknown_steps && vanished)
    }
}

/// Whether a case that always passed no longer does, or the reverse in as many runs.
fn passes_differ(old: &CaseResult, new: &CaseResult) -> bool {
    let always = |result: &CaseResult| result.passes == result.runs;
    (always(old) && !always(new)) || (!always(old) && always(new) && old.runs == new.runs)
}

/// Compares a case. `times` are the spans of both runs; with `exact`, ids and times count as well.
pub fn compare_cases<'t>(
    old: &'t CaseTrajectories,
    new: &'t CaseTrajectories,
    times: [(u64, u64); 2],
    exact: bool,
) -> CaseDiff<'t> {
    let shapes = count_shapes(old, new);
    let mut shown: Option<(u8, ShownAttempt<'t>)> = None;
    let (mut compared, mut differing) = (0, 0);
    for attempt in new.attempts.iter().take(ATTEMPTS) {
        let Some(against) = counterpart(&old.attempts, attempt) else { continue };
        let pair = ShownAttempt::of(against, attempt, times, exact);
        compared += 1;
        differing += usize::from(pair.first.is_some());
        let weight = pair.weight();
        if shown.as_ref().is_none_or(|(most, _)| weight > *most) {
            shown = Some((weight, pair));
        }
    }
    let shown = shown.map(|(_, shown)| shown);
    let attempts = shown.as_ref().map(|shown| (shown.old, shown.new));
    CaseDiff {
        id: &new.id,
        old: Some(result(old, attempts.map(|(old, _)| old).or(old.attempts.first()))),
        new: Some(result(new, attempts.map(|(_, new)| new).or(new.attempts.first()))),
        first: shown.as_ref().and_then(|shown| shown.first),
        ignored: shown.as_ref().map_or(0, |shown| shown.ignored),
        rows: shown.map(|shown| shown.rows).unwrap_or_default(),
        compared,
        differing,
        left_out: new.attempts.len().saturating_sub(ATTEMPTS),
        shapes,
        unknown_steps: compared == 0,
    }
}

/// A case that only one run has.
pub(crate) fn only_in(case: &CaseTrajectories, is_new: bool) -> CaseDiff<'_> {
    let own = Some(result(case, case.attempts.first()));
    let (old, new) = if is_new { (None, own) } else { (own, None) };
    let none = CaseTrajectories::default();
    let shapes = if is_new { count_shapes(&none, case) } else { count_shapes(case, &none) };
    CaseDiff {
        id: &case.id,
        old,
        new,
        rows: Vec::new(),
        first: None,
        compared: 0,
        differing: 0,
        left_out: 0,
        shapes,
        ignored: 0,
        unknown_steps: case.attempts.is_empty(),
    }
}

fn result(case: &CaseTrajectories, attempt: Option<&Trajectory>) -> CaseResult {
    CaseResult {
        runs: case.runs,
        passes: case.passes,
        attempt: attempt.map(|attempt| attempt.number),
        status: attempt.and_then(|attempt| attempt.status).map(agentci_verdict::CaseStatus::name),
        cause: attempt.and_then(|attempt| attempt.cause),
        wall_ms: attempt.and_then(|attempt| attempt.wall_ms),
        usage: attempt.map(|attempt| attempt.usage).unwrap_or_default(),
    }
}

/// The old attempt to compare with: an identical one, else the first with the same sequence of calls, else the first
/// with the most common sequence.
fn counterpart<'t>(old: &'t [Trajectory], new: &Trajectory) -> Option<&'t Trajectory> {
    if old.len() < 2 {
        return old.first();
    }
    let is_identical = |old: &&Trajectory| {
        old.steps.len() == new.steps.len() && old.steps.iter().zip(&new.steps).all(|(a, b)| a.is_identical(b))
    };
    let own = shape(new);
    let shapes: Vec<String> = old.iter().map(shape).collect();
    let often = |of: &String| shapes.iter().filter(|shape| *shape == of).count();
    let most = shapes.iter().map(often).max().expect("there are at least two attempts");
    let of_shape = |is: &dyn Fn(&String) -> bool| shapes.iter().position(is).and_then(|at| old.get(at));
    old.iter()
        .find(is_identical)
        .or_else(|| of_shape(&|shape| *shape == own))
        .or_else(|| of_shape(&|it| often(it) == most))
}

/// Two attempts, aligned.
struct ShownAttempt<'t> {
    old: &'t Trajectory,
    new: &'t Trajectory,
    rows: Vec<DiffRow<'t>>,
    first: Option<usize>,
    ignored: usize,
}

impl<'t> ShownAttempt<'t> {
    fn of(old: &'t Trajectory, new: &'t Trajectory, times: [(u64, u64); 2], exact: bool) -> Self {
        let mut varying = Varying::new(old, new, times, exact);
        let rows = align(&old.steps, &new.steps).into_iter().map(|pair| {
            let (one, other) = match pair {
                StepPair::Both(one, other) => (Some(one), Some(other)),
                StepPair::Old(one) => (Some(one), None),
                StepPair::New(other) => (None, Some(other)),
            };
            let (before, now) = (one.map(|at| &old.steps[at]), other.map(|at| &new.steps[at]));
            let changes = before.zip(now).map(|(before, now)| step_changes(before, now, &mut varying));
            DiffRow {
                old: before,
                new: now,
                old_number: one.map(|at| at + 1),
                new_number: other.map(|at| at + 1),
                role: RowRole::Same,
                changes: changes.unwrap_or_default(),
            }
        });
        let mut rows: Vec<DiffRow<'t>> = rows.collect();
        let first = rows.iter().position(DiffRow::differs);
        let mut known = Explanations::default();
        for at in first.unwrap_or(rows.len())..rows.len() {
            if !rows[at].differs() {
                continue;
            }
            let explained = || known.row(&rows[at]).map_or(RowRole::After, RowRole::Follows);
            rows[at].role = if Some(at) == first { RowRole::First } else { explained() };
            known.add(&rows[at], at);
        }
        Self { old, new, rows, first, ignored: varying.ignored }
    }

    /// How much a reader needs to see this pair rather than another attempt: calls first, then anything else.
    fn weight(&self) -> u8 {
        let of_calls = |row: &DiffRow<'_>| row.differs() && row.step().is_some_and(|step| step.kind == StepKind::Call);
        match self.rows.iter().any(of_calls) {
            true => 3,
            false if self.first.is_some() => 2,
            false => u8::from(self.old.status != self.new.status),
        }
    }
}

/// What changed in a step that both attempts have.
fn step_changes(old: &TrajectoryStep, new: &TrajectoryStep, varying: &mut Varying) -> Vec<PartChange> {
    let kinds: BTreeSet<PartKind> = old.parts.iter().chain(&new.parts).map(|part| part.kind).collect();
    kinds.into_iter().flat_map(|kind| part_changes(kind, old.part(kind), new.part(kind), varying)).collect()
}

fn part_changes(
    kind: PartKind,
    old: Option<&StepPart>,
    new: Option<&StepPart>,
    varying: &mut Varying,
) -> Vec<PartChange> {
    let known = |part: Option<&StepPart>| match part.map(|part| &part.value) {
        Some(PartValue::Known(value)) => Some(value.clone()),
        _ => None,
    };
    let whole = |only_fingerprint| {
        let (old_path, new_path) = (old.map(|_| String::new()), new.map(|_| String::new()));
        let change = ValueChange { old_path, new_path, old: known(old), new: known(new) };
        vec![PartChange { part: kind, change, only_fingerprint }]
    };
    match (old.map(|part| &part.value), new.map(|part| &part.value)) {
        (Some(PartValue::Known(old)), Some(PartValue::Known(new))) => {
            let changes = value_changes(old, new, &mut |old, new| varying.is_same(old, new));
            changes.into_iter().map(|change| PartChange { part: kind, change, only_fingerprint: false }).collect()
        }
        (Some(PartValue::Fingerprint(old)), Some(PartValue::Fingerprint(new))) if old == new => Vec::new(),
        // That a tool is seen to run only now does not mean that the agent changed.
        (Some(PartValue::Known(Value::String(state))), None) if state == ONLY_ANSWERED => Vec::new(),
        (Some(PartValue::Fingerprint(_)), _) | (_, Some(PartValue::Fingerprint(_))) => whole(true),
        (None, None) => Vec::new(),
        _ => whole(false),
    }
}
