//! `matrix`: runs each case with every combination of the values of some axes, for example models and prompts.
//!
//! ```yaml
//! matrix:
//!   model: [small, large]
//!   prompt: [prompts/short.md, prompts/long.md]
//!   exclude: [{ model: large, prompt: prompts/long.md }]
//! target: { process: { command: [python3, agent.py, "${matrix.model}", "${matrix.prompt}"] } }
//! cases:
//!   - id: refund     # becomes refund[model=small,prompt=short], refund[model=small,prompt=long], ...
//! ```
//!
//! An entry of `cases` is expanded before it is read: a copy of its node for each combination, in which `${matrix.NAME}`
//! is replaced by the value. So a value may be used wherever a suite has a string, a path included, and every message
//! still points at the line of the suite. The shared keys of the suite are read once for each combination.

mod axes;
mod combination;
mod entry;
mod files;
mod label;
mod reference;
mod selection;
mod shape;
mod suite;
#[cfg(test)]
mod tests;
mod usage;

pub(super) use combination::{COMBINATION, combination, print_combination};
pub(super) use entry::CaseEntry;
pub(super) use reference::AxisValues;
pub(super) use shape::MATRIX;
pub(super) use suite::SuiteMatrix;
