//! The runner itself, with scripted agents: the order of opening and closing, what stops a case, and what leaves it.
//!
//! Time is paused where it matters: waits end as soon as nothing else is left to do.

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
