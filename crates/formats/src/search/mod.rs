//! Searches folders for suites.
//!
//! The search skips names that no suite has (`.git`, `node_modules`), files that git ignores, and files that match
//! `exclude`. Any other file that cannot be read is reported, since it may hide a suite.

mod bounds;
mod glob;
mod look;
mod search_state;
mod tracked;

pub(crate) use bounds::{EXCLUDE, read_exclude};
pub(crate) use glob::Glob;
pub(crate) use look::{DEPTH_LIMIT, FOLDER_LIMIT, look};
pub(crate) use search_state::{NAMED_IN_MESSAGE, SuiteSearch};
