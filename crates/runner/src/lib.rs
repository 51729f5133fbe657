//! Runs the cases of a plan: order, concurrency, limits, hooks and the tool host.
//!
//! The runner is the only maker of run events, and run events are its only output.

mod ask;
mod attempt;
mod changed_arguments;
mod converse;
mod draws;
mod evidence;
mod findings;
mod hook;
mod host;
mod job;
mod learn;
mod meter;
mod model;
mod model_trouble;
mod not_run;
mod options;
mod prepare;
mod recognised;
mod recording;
mod redact;
mod resources;
mod retries;
mod schedule;
mod scope;
mod services;
mod silence;
mod step;
mod stop;
mod surroundings;
mod translate;
mod unmet;
mod unreported;
mod volume;
mod waiting;

pub use ask::{Unheard, ask_agent};
pub use evidence::{WORKER_MEMORY, WORKER_READY};
pub use options::Options;
pub use schedule::{Facts, Part, Run, run_suite};
pub use stop::{Stop, Stopper};
