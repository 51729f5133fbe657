//! Tools over a real socket, with a client that knows nothing but HTTP.

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
