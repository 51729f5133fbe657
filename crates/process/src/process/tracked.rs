//! A child with a tag, which ends with all its descendants.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::Child;
use tokio::time::timeout;

use super::{Exit, Grace, SpawnError};
use crate::{descendants, guard};

/// How long to wait for the end of a killed child. Only an uninterruptible system call takes any time.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// A running child.
#[derive(Debug)]
pub(super) struct TrackedChild {
    pub(super) child: Child,
    pid: Option<Pid>,
    pub(super) own_group: bool,
    pub(super) tag: String,
    ended: bool,
}

impl TrackedChild {
    /// Starts a child with a new tag.
    pub(super) fn start(
        own_group: bool,
        start: impl FnOnce(&str) -> Result<Child, SpawnError>,
    ) -> Result<Self, SpawnError> {
        descendants::adopt_orphans();
        guard::ensure();
        let tag = next_tag();
        let child = start(&tag)?;
        let pid = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        if let Some(pid) = pid {
            descendants::register(pid);
            if own_group {
                guard::started(pid);
            }
        }
        Ok(Self { child, pid, own_group, tag, ended: false })
    }

    pub(super) fn signal(&self, signal: Signal) {
        match self.pid {
            Some(pid) if self.own_group => drop(kill_process_group(pid, signal)),
            // A child that has been waited for no longer has a process id.
            Some(pid) if self.child.id().is_some() => drop(kill_process(pid, signal)),
            _ => {}
        }
    }

    /// Ends the child itself: waits for its exit, then sends `SIGTERM`, and finally `SIGKILL`.
    pub(super) async fn stop(&mut self, grace: Grace) -> Option<Exit> {
        let mut status = timeout(grace.before_asking, self.child.wait()).await.ok();
        if status.is_none() {
            self.signal(Signal::TERM);
            status = timeout(grace.before_killing, self.child.wait()).await.ok();
        }
        if status.is_none() {
            self.signal(Signal::KILL);
            let _ = self.child.start_kill();
            status = timeout(AFTER_KILL, self.child.wait()).await.ok();
        }
        status.and_then(Result::ok).map(Exit::from)
    }

    /// Ends what the child left behind: its group, and all descendants that left the group.
    pub(super) async fn sweep(&mut self) {
        // The leader has exited, but the group may still exist. Its number is not reused while a member lives.
        self.signal(Signal::KILL);
        self.forget();
        descendants::sweep(&self.tag).await;
        self.ended = true;
    }

    fn forget(&self) {
        if let Some(pid) = self.pid {
            descendants::forget(pid);
            guard::ended(pid);
        }
    }
}

impl Drop for TrackedChild {
    fn drop(&mut self) {
        if !self.ended {
            self.signal(Signal::KILL);
            self.forget();
            descendants::kill_tagged(&self.tag);
        }
    }
}

/// The tag of the next child.
fn next_tag() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", guard::mark(), COUNTER.fetch_add(1, Ordering::Relaxed))
}
