//! `agentci record -- CMD`: runs a command unchanged, and records its calls to models and tools.
//!
//! ```text
//! $ agentci record -- python3 agent.py
//! The order shipped on May 3.
//! recorded api.openai.com  2 calls, 1 streamed, 3.1 s, 1,240 tokens, $0.0031
//!          127.0.0.1:8080  1 call, 0.1 s
//! wrote recordings/agent.jsonl (14 KiB)
//! next: agentci replay recordings/agent.jsonl
//! ```

mod arguments;
mod budget;
mod command;
mod destination;
mod file_name;
mod form;
mod outcome;
mod peers;
mod rehearsal;
mod suite;
mod summary;

/// The default folder of recordings.
pub(super) const FOLDER: &str = "recordings";

pub(crate) use arguments::RecordArguments;
pub(super) use arguments::pointer;
pub(super) use budget::RecordBudget;
pub(crate) use command::record;
pub(super) use destination::Claim;
pub(super) use file_name::program_name;
pub(super) use form::{RecordForm, WITH_COMMAND, choose, is_for_suites, print_help};
pub(super) use summary::{counted, grouped, host, say_left, say_warnings, warn, who};
