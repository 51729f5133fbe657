//! `agentci run --watch`: runs once, and re-runs affected cases when a file changes.
//!
//! ```text
//! changed: cases/a.yaml, running 1 of 12 cases
//! ..
//! watching 31 files for changes, press Ctrl-C to stop
//! ```
//!
//! Files are polled every 300 ms, by time, size and inode. Notifications from the system would need ten more crates and
//! separate code for each system, do not work in containers and network folders, and have their own limits. Polling ten
//! thousand files, the most that are watched, takes about ten milliseconds.

mod rounds;
mod snapshot;
mod touch;
mod watch_set;

pub(super) use rounds::watch;
