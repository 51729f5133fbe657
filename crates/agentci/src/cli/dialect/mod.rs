//! Format-specific parts of the command line: flags, result files, and help texts.
//!
//! A format has one file or folder here, and a line in [`DialectFlags`] or [`DialectRunFlags`] if it has flags. Nothing
//! else in the command line names a format: the defaults of a suite's format are in
//! [`Suite::conventions`](agentci::plan::Suite::conventions).

mod ananke;
mod aumai;
mod flags;
mod format_flag;
mod help;
mod own_results;
mod run_flags;
mod scenario;
mod yao;

pub(crate) use aumai::OF_ANSWERS;
pub(crate) use flags::DialectFlags;
pub(crate) use help::{FORMAT_HEADINGS, JSON, RESULTS_FOLDER, TIMEOUT, out_help};
pub(crate) use own_results::OwnResults;
pub(crate) use run_flags::DialectRunFlags;
pub(crate) use scenario::PlayedSuites;

/// The format that all others can be converted to.
pub(crate) const NATIVE: agentci::plan::Dialect = agentci::plan::Dialect::Native;
