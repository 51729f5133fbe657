//! `agentci replay FILE`: runs a recorded command again, answered from its recording.
//!
//! ```text
//! $ agentci replay recordings/agent.jsonl
//! The order shipped on May 3.
//! 3 of 3 answered, 2 exact, 1 with holes (1 id); 3 recorded
//! ```

mod arguments;
mod command;
mod fork;
mod outcome;

pub(crate) use arguments::{ReplayArguments, advise};
pub(crate) use command::replay;
pub(super) use outcome::miss;
