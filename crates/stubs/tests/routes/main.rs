//! The stub tool server over a real socket, with a plain HTTP client.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

#[path = "../raw/mod.rs"]
mod raw;
mod served;

mod answers;
mod closing;
mod faults;
mod hostile;
mod late;
mod matching;
mod misses;
mod observed;
mod recording;
mod scopes;
