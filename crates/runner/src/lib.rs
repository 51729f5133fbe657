//! Runs the cases of a plan: order, concurrency, limits, hooks and the tool host.
//!
//! The runner is the only maker of run events, and run events are its only output.

mod ask_agent;
mod attempt;
mod changed_arguments;
mod converse;
mod draws;
mod evidence;
mod findings;
mod fingerprint;
mod hook;
mod job;
mod meter;
mod mock_model;
mod model_trouble;
mod not_run;
mod options;
mod pending;
mod prepare;
mod recognised;
mod recording;
mod redact;
mod resources;
mod retries;
mod schedule;
mod secrets;
mod services;
mod silence;
mod stop;
mod surroundings;
mod tool_host;
mod trace_limits;
mod translate;
mod unreported;
mod unused_faults;
mod variables;

pub use ask_agent::{Unheard, ask_agent};
pub use evidence::{WORKER_MEMORY, WORKER_READY};
pub use options::Options;
pub use schedule::{Facts, Part, Run, run_suite};
pub use stop::{Stop, Stopper};
