//! What the command line has for the scenario format alone: its flags, and the folder of results.

mod flags;
pub(crate) mod results;

pub(crate) use flags::{ScenarioFlags, ScenarioRunFlags};
