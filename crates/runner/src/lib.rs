//! Runs the cases of a plan: order, concurrency, limits, hooks and the tool host.
//!
//! The runner is the only producer of run events, and run events are its only output. Its main modules, from the
//! outside in:
//!
//! - `schedule`: [`run_suite`] runs lanes, each of which takes one case after another from `pending`;
//! - `suite_run`: state shared by all cases of a run; `job`: state shared by all attempts at a case;
//! - `attempt`: prepares, performs and settles one `Attempt` at a case, and retries it if the agent was unreachable;
//! - `stage`: the `Stage` is everything that is opened for an attempt. `prepare` defines the order; what was opened
//!   last is closed first;
//! - `converse`: the loop over turns; `attempt_watch` sees everything the agent does and can stop it;
//! - `account`: the `Account` collects the trace, findings and metrics of an attempt; `judge` evaluates its checks;
//! - `recheck`: [`recheck_suite`] evaluates the checks on a stored run, through the same `Account`;
//! - `event_sink`: the only way out for events; `secrets`: the only source for redaction.

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
mod finished;
mod hook;
mod job;
mod judge;
mod mcp_servers;
mod meter;
mod mock_model;
mod model_trouble;
mod observation_line;
mod options;
mod own_frame;
mod pending;
mod prompts;
mod recheck;
mod recorded_world;
mod recording;
mod redact;
mod repeats;
mod resources;
mod retries;
mod run;
mod run_start;
mod schedule;
mod secret_sources;
mod secrets;
mod services;
mod settings;
mod setup_error;
mod shared_services;
mod silent_agent;
mod spending;
mod stage;
mod stop;
mod stored_trace;
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
pub use evidence::{WORKER_MEMORY, WORKER_READY, chosen_embedder};
pub use finished::{CaseKey, FinishedCase, FinishedCases, PlayFinished};
pub use options::{DefinitionOf, RunOptions};
pub use recheck::{StoredAttempt, StoredCase, StoredRun, recheck_suite};
pub use run::{RunFacts, RunPlan, RunShard};
pub use schedule::run_suite;
pub use settings::Settings;
pub use stop::{Stop, Stopper};
