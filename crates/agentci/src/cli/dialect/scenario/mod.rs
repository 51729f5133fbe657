//! What the command line has for the scenario format alone: its flags, and the folder of results.

mod flags;
mod results;

pub(crate) use flags::PlayedSuites;
pub(super) use flags::ScenarioFlags;
pub(super) use results::open as open_results;
