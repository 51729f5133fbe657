//! The `runledger` dialect: `suite.yaml`, a folder of case files, recordings of tool calls.
//!
//! ```text
//! suite.yaml        suite_name, agent_command, mode, cases_path, tool_registry, assertions, budgets, ...
//! cases/*.yaml      id, input, cassette, assertions, budgets
//! cassettes/*.jsonl not opened here
//! ```
//!
//! Keys are strict in both kinds of file. A wrong suite file refuses the suite; a wrong case file becomes a broken case. The
//! agent's input is read as Python's YAML 1.1 loader reads it, since the suites in use were written against that.

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
