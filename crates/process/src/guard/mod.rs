//! A guard process that ends the started processes if agentci cannot, for example after a `SIGKILL`.
//!
//! It is our own program, started once per run, and holds the read end of a pipe whose write end only this process has.
//! ```text
//! +4711        a process group to end if agentci vanishes; sent only without /proc
//! -4711        the group ended
//! done         agentci is done: exit
//! ```
//! If the pipe ends without `done`, agentci has vanished. The guard then ends the remaining groups and all processes
//! with our mark in their environment, searches again until none is found, and exits.

mod client;
mod orphans;
mod watch;

pub use client::{dismiss, post};
pub use watch::watch;

pub(crate) use client::{ended, ensure, mark, process, started};
