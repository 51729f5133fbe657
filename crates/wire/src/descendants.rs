//! Finding what a process left behind.
//!
//! A process group holds everything a child started, unless it moved away (`setsid`, a daemon's double fork). On Linux we ask
//! to adopt orphans: whatever loses its parent becomes our child, and an environment variable that every descendant inherits
//! tells whose it is. Where there is no `/proc`, the group is all we have.

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};

/// The variable by which descendants are known; its value differs for every child.
pub(crate) const TAG: &str = "AGENTCI_PROCESS_TAG";

/// Asks the system to hand orphaned descendants to us. Called by every spawn; costs one call in all.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    {
        static ADOPTED: OnceLock<bool> = OnceLock::new();
        ADOPTED.get_or_init(|| rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok());
    }
}

/// Children we started ourselves and wait for elsewhere.
fn direct() -> &'static Mutex<BTreeSet<i32>> {
    static DIRECT: OnceLock<Mutex<BTreeSet<i32>>> = OnceLock::new();
    DIRECT.get_or_init(Mutex::default)
}

pub(crate) fn register(pid: Pid) {
    direct().lock().unwrap_or_else(PoisonError::into_inner).insert(pid.as_raw_nonzero().get());
}

pub(crate) fn forget(pid: Pid) {
    direct().lock().unwrap_or_else(PoisonError::into_inner).remove(&pid.as_raw_nonzero().get());
}

/// Ends everything that carries a tag and lost its parent. Ending one may orphan others, so it looks again until none is left.
pub(crate) async fn sweep(tag: &str) {
    let marker = format!("{TAG}={tag}");
    for round in 0..100 {
        let strays = strays(|environment| carries(environment, &marker));
        if strays.is_empty() {
            return;
        }
        end(&strays).await;
        if round > 10 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Ends every adopted orphan, whoever started it. For a program that owns its process, at its very end.
pub async fn sweep_all() {
    for _ in 0..100 {
        let strays = strays(|_| true);
        if strays.is_empty() {
            return;
        }
        end(&strays).await;
    }
}

/// Kills what carries a tag, without waiting: for when there is no time to.
pub(crate) fn kill_tagged(tag: &str) {
    let marker = format!("{TAG}={tag}");
    for pid in strays(|environment| carries(environment, &marker)) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

async fn end(strays: &[Pid]) {
    for pid in strays {
        let _ = kill_process_group(*pid, Signal::KILL);
        let _ = kill_process(*pid, Signal::KILL);
    }
    for pid in strays {
        // They are our children now, so nobody else takes their exit status. A killed process ends at once but for a
        // system call that can not be broken off; after a while we go on without it.
        for _ in 0..200 {
            match waitpid(Some(*pid), WaitOptions::NOHANG) {
                Ok(None) => tokio::time::sleep(Duration::from_millis(2)).await,
                _ => break,
            }
        }
    }
}

fn carries(environment: &[u8], marker: &str) -> bool {
    environment.split(|byte| *byte == 0).any(|variable| variable == marker.as_bytes())
}

/// Our children that we did not start ourselves and whose environment is wanted.
fn strays(wanted: impl Fn(&[u8]) -> bool) -> Vec<Pid> {
    let children = children();
    if children.is_empty() {
        return Vec::new();
    }
    let direct = direct().lock().unwrap_or_else(PoisonError::into_inner);
    children
        .into_iter()
        .filter(|pid| !direct.contains(pid))
        .filter(|pid| fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| wanted(&environment)))
        .filter_map(Pid::from_raw)
        .collect()
}

/// The process ids of our children. Orphans are handed to the first thread of a process, whose number is the process's own, so
/// its list is enough; it is read after every attempt.
fn children() -> Vec<i32> {
    let own = std::process::id();
    match fs::read_to_string(format!("/proc/self/task/{own}/children")) {
        Ok(list) => list.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()).collect(),
        Err(_) => children_by_parent(),
    }
}

/// The same on kernels that do not list children: every process is asked for its parent.
fn children_by_parent() -> Vec<i32> {
    let own = std::process::id().to_string();
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| {
            // After the name in brackets come the state and the parent.
            fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
                stat.rsplit_once(')').and_then(|(_, rest)| rest.split_ascii_whitespace().nth(1)) == Some(own.as_str())
            })
        })
        .collect()
}
