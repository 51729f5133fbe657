//! `agentci init`: creates a first suite, whose tests pass and show what can be checked.
//!
//! On a terminal it prompts for the kind of agent; flags replace the prompts, and are required without a terminal.
//! Nothing is written until everything is known.

mod agent;
mod kind;
mod new_suite;
mod questions;
mod words;

pub(super) use agent::{command as command_in_suite, relative as from_suite};
pub(super) use new_suite::{InitArguments, init, suite_name};
pub(super) use questions::answer;
