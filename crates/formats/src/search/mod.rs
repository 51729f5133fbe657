//! The search for suites in folders: which of their files are looked at, and what is left out.
//!
//! Left out are the names that no suite has (`.git`, `node_modules`), what git ignores and what `exclude` names. Everything else
//! that cannot be looked at is reported, since it may hide a suite.

mod bounds;
mod glob;
mod look;
mod search_state;
mod tracked;

pub(crate) use bounds::{EXCLUDE, read_exclude};
pub(crate) use look::{DEPTH_LIMIT, FOLDER_LIMIT, look};
pub(crate) use search_state::{NAMED_IN_MESSAGE, SuiteSearch};
