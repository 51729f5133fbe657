//! Runs the cases of a plan: order, concurrency, limits, hooks and the tool host.
//!
//! The runner is the only maker of run events, and run events are its only output. Its spine, from the outside in:
//!
//! - `schedule`: [`run_suite`] runs lanes, each of which takes one case after the other from `pending`;
//! - `suite_run` is what all cases of a run share, and `job` what all attempts at a case share;
//! - `attempt`: one `Attempt` at a case is prepared, performed and settled, and tried again where its agent was not there;
//! - `stage`: the `Stage` is all that is opened for it. `prepare` says in which order; what was opened last is closed first;
//! - `converse`: the loop over turns; `watch` sees all that the agent does and stops it;
//! - `account`: the `Account` is what is known of it: trace, findings and metrics, judged by `judge`;
//! - `event_sink`: the one way out, and `secrets` the one place that all redaction draws from.

mod account;
mod ask_agent;
mod attempt;
mod attempt_watch;
mod budget;
mod changed_arguments;
mod conclude;
mod converse;
mod deadline;
mod draws;
mod drive_findings;
mod event_sink;
mod evidence;
mod failure_words;
mod filled_case;
mod findings;
mod fingerprint;
mod hook;
mod job;
mod judge;
mod mcp_servers;
mod meter;
mod mock_model;
mod model_trouble;
mod observation_line;
mod open_error;
mod options;
mod pending;
mod prompts;
mod recorded_world;
mod recording;
mod redact;
mod resources;
mod retries;
mod run;
mod run_start;
mod schedule;
mod secret_sources;
mod secrets;
mod services;
mod settings;
mod shared_services;
mod silent_agent;
mod stage;
mod stop;
mod suite_run;
mod tool_host;
mod tools;
mod trace_limits;
mod translate;
mod turn;
mod unexecuted_tools;
mod unreported;
mod unused_faults;
mod variables;

pub use ask_agent::{AskError, ask_agent};
pub use budget::{Budget, Spent};
pub use evidence::{WORKER_MEMORY, WORKER_READY};
pub use options::RunOptions;
pub use run::{RunFacts, RunPlan, RunShard};
pub use schedule::run_suite;
pub use settings::Settings;
pub use stop::{Stop, Stopper};
