//! Reads the `runledger` dialect: a `suite.yaml`, a folder of case files, and recordings of tool calls.
//!
//! ```text
//! suite.yaml        suite_name, agent_command, mode, cases_path, tool_registry, assertions, budgets, ...
//! cases/*.yaml      id, input, cassette, assertions, budgets
//! cassettes/*.jsonl not opened here
//! ```
//!
//! Unknown keys are errors in both kinds of file. An invalid suite file rejects the suite; an invalid case file becomes
//! a broken case. The agent's input is read as Python's YAML 1.1 loader reads it, because existing suites were written
//! for it.

mod assertion;
mod budgets;
mod case_files;
mod finder;
mod legacy;
mod lower;
mod read;
mod regression;

pub(crate) use finder::{FRONT_END, has_marks};
pub(crate) use lower::lower;
pub(crate) use read::{CASE, SUITE};
