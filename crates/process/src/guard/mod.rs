//! A process beside ours that ends what we started when we can not: after a `SIGKILL`, for one.
//!
//! It is our own program, started again once a run, and holds the read end of a pipe whose write end nobody but us has.
//! ```text
//! +4711        a group to end should we vanish; sent only where the system has no /proc
//! -4711        it ended
//! done         all is well: leave at once
//! ```
//! When the pipe ends without `done`, we are gone. It then ends the groups that are left and everything that carries our mark
//! in its environment, looks again until nothing is found, and leaves.

mod client;
mod orphans;
mod watch;

pub use client::{dismiss, post};
pub use watch::watch;

pub(crate) use client::{ended, ensure, mark, process, started};
