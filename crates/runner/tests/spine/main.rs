//! The runner itself, with agents that do what a test says: what is opened and closed when, what stops a case, and what leaves it.
//!
//! Time is paused where it matters: what is waited for has passed as soon as nothing else is to be done.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod faults;
mod interruption;
mod lanes;
mod limits;
mod order;
mod recording;
mod repeats;
mod run;
mod secrets;
mod stop_rules;
