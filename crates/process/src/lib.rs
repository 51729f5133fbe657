//! Starts and watches child processes and ends them with all their descendants; includes pipes and lines with a length
//! limit.

#[cfg(not(unix))]
compile_error!("agentci runs on Linux and macOS; it does not run on Windows yet");

mod descendants;
mod find_program;
pub mod guard;
mod lines;
mod pipe;
mod process;
mod resource_limits;
mod tail;

pub use descendants::{adopt_orphans, sweep_all};
pub use find_program::{agent_program, find_program};
pub use lines::{LineError, LineReader};
pub use pipe::Outbox;
pub use process::{
    Attached, Ending, Exit, Grace, Pipes, PrintError, Process, ProcessCommand, SignalRequest, SpawnError,
    StandardStreams,
};
pub use resource_limits::{bound_memory, open_files_limit};
