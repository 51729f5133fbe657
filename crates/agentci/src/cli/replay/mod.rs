//! `agentci replay FILE`: runs a recorded command again, answered from its recording.
//!
//! ```text
//! $ agentci replay recordings/agent.jsonl
//! The order shipped on May 3.
//! replayed 3 of 3 calls: 2 exact, 1 with differences that do not count (1 id)
//! ```

mod arguments;
mod command;
mod outcome;

pub(crate) use arguments::ReplayArguments;
pub(crate) use command::replay;
pub(super) use outcome::miss;
