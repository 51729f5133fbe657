//! What the command line has for the scenario format alone: its flags, and the folder of results.

mod flags;
mod results;
mod run_flags;
mod source;

pub(super) use flags::ScenarioFlags;
pub(super) use run_flags::{ScenarioRunFlags, selected};
pub(crate) use source::PlayedSuites;
