//! Compares what agents did in two runs: turns, model requests, tool calls, answers.
//!
//! ```text
//! run events ─▶ RunTrajectories ─┐
//!                                ├─▶ compare_runs ─▶ RunDiff: cases ─▶ rows ─▶ changes
//! baseline ───▶ RunTrajectories ─┘
//! ```
//!
//! A [`Trajectory`] is what one attempt at a case did, as a list of steps. The steps of two attempts are aligned
//! (`align`), equal steps are found although ids and times differ (`varying`), and the first step that differs is
//! marked, with the later differences that follow from it (`consequences`). Nothing here reads a file or the clock.

mod align;
mod baseline;
mod batches;
mod case_diff;
mod changes;
mod consequences;
mod gather;
mod groups;
mod model_steps;
mod run_diff;
mod shapes;
mod steps;
mod trajectory;
mod varying;
mod words;

pub use baseline::{as_baseline, of_baseline};
pub use case_diff::{CaseDiff, CaseResult, DiffRow, RowRole, compare_cases};
pub use changes::{PartChange, ValueChange, value_changes};
pub use gather::RunReader;
pub use groups::RepeatedChange;
pub use run_diff::{RunDiff, compare_runs};
pub use shapes::{ShapeCount, shape};
pub use trajectory::{
    CaseTrajectories, PartKind, PartValue, RunKind, RunTrajectories, StepKind, StepPart, Trajectory, TrajectoryStep,
};
pub use words::{WordPiece, word_pieces};
