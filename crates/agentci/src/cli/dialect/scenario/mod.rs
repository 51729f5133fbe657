//! The command line of the scenario format: its flags, and the results folder.

mod flags;
mod results;

pub(crate) use flags::PlayedSuites;
pub(super) use flags::ScenarioFlags;
pub(super) use results::open as open_results;
