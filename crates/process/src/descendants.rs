//! Finds and ends the descendants that a process left behind.
//!
//! A process group contains everything that a child started, except for processes that left it (`setsid`, a daemon's
//! double fork). On Linux, orphans are adopted: a process that loses its parent becomes our child, and an environment
//! variable that every descendant inherits identifies its origin. Without `/proc`, only the group is known.

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};

use crate::guard;

/// The environment variable that identifies descendants; its value differs for every child.
pub(crate) const TAG: &str = "AGENTCI_PROCESS_TAG";

/// Makes this process the parent of orphaned descendants. Every spawn calls it; only the first call has a cost.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    {
        static ADOPTED: OnceLock<bool> = OnceLock::new();
        ADOPTED.get_or_init(|| rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok());
    }
}

/// The children that were started here and are waited for elsewhere.
fn direct() -> MutexGuard<'static, BTreeSet<i32>> {
    static DIRECT: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
    DIRECT.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn register(pid: Pid) {
    direct().insert(pid.as_raw_nonzero().get());
}

pub(crate) fn forget(pid: Pid) {
    direct().remove(&pid.as_raw_nonzero().get());
}

/// Whether any of these children runs, as far as known.
pub(crate) fn any() -> bool {
    let guard = guard::process();
    direct().iter().any(|pid| Some(*pid) != guard)
}

/// Ends all orphans with a tag. Ending one may orphan others, so the search is repeated until none is left.
pub(crate) async fn sweep(tag: &str) {
    until_none(|| orphans(Some(tag))).await;
}

/// Ends all adopted orphans. For programs that own their process, at the very end.
pub async fn sweep_all() {
    until_none(|| orphans(None)).await;
}

/// The program names of the orphans with a tag; `None` if there are none so far, but one may be within `exec`.
pub(crate) fn names(tag: &str) -> Option<Vec<String>> {
    let name = |pid: &Pid| fs::read_to_string(format!("/proc/{}/comm", pid.as_raw_nonzero())).ok();
    let found = orphans(Some(tag));
    let mut names: Vec<String> = found.wanted.iter().filter_map(name).map(|name| name.trim_end().to_owned()).collect();
    names.sort();
    (!names.is_empty() || !found.undecided).then_some(names)
}

/// Kills the orphans with a tag without waiting, for use in `drop`.
pub(crate) fn kill_tagged(tag: &str) {
    for pid in orphans(Some(tag)).wanted {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// The maximum number of searches: in all, and for a process whose environment cannot be read.
const ROUNDS: u32 = 100;
const UNDECIDED_ROUNDS: u32 = 40;
/// The maximum number of polls for the end of a killed process, two milliseconds apart.
const REAPED: u32 = 200;

/// Searches and ends orphans until none is found.
async fn until_none(mut look: impl FnMut() -> Orphans) {
    for round in 0..ROUNDS {
        let orphans = look();
        let undecided = orphans.undecided && round < UNDECIDED_ROUNDS;
        if orphans.wanted.is_empty() && !undecided {
            return;
        }
        end(&orphans.wanted).await;
        if undecided || round > 10 {
            tokio::time::sleep(Duration::from_millis(if round > 10 { 5 } else { 1 })).await;
        }
    }
}

async fn end(strays: &[Pid]) {
    for pid in strays {
        let _ = kill_process_group(*pid, Signal::KILL);
        let _ = kill_process(*pid, Signal::KILL);
    }
    for pid in strays {
        reap(*pid).await;
    }
}

/// Reaps a killed process, which is our child now. It ends immediately except within an uninterruptible system call, so
/// the wait is limited.
async fn reap(pid: Pid) {
    for _ in 0..REAPED {
        match waitpid(Some(pid), WaitOptions::NOHANG) {
            Ok(None) => tokio::time::sleep(Duration::from_millis(2)).await,
            _ => return,
        }
    }
}

/// Whether an environment block was read to its end. A process that calls `exec` loses its block, even while it is read.
pub(crate) fn is_complete(environment: &[u8]) -> bool {
    environment.ends_with(&[0])
}

/// The tags in an environment block.
fn tags(environment: &[u8]) -> impl Iterator<Item = &[u8]> {
    let variables = environment.split(|byte| *byte == 0);
    variables.filter_map(|variable| variable.strip_prefix(TAG.as_bytes())?.strip_prefix(b"="))
}

/// Whether an environment block has a tag that starts with a mark.
pub(crate) fn carries_mark(environment: &[u8], mark: &str) -> bool {
    tags(environment).any(|tag| tag.strip_prefix(mark.as_bytes()).is_some_and(|rest| rest.starts_with(b"-")))
}

/// Children that were not started here.
#[derive(Default)]
pub(crate) struct Orphans {
    /// The children with the tag; all of them if no tag was given.
    pub(crate) wanted: Vec<Pid>,
    /// Whether the environment of any child could not be read. Usually it is within `exec`, and the environment is
    /// readable again shortly.
    pub(crate) undecided: bool,
}

fn orphans(tag: Option<&str>) -> Orphans {
    let mut found = Orphans::default();
    let children = children();
    if children.is_empty() {
        return found;
    }
    let direct = direct();
    for child in children {
        let Some(pid) = Pid::from_raw(child).filter(|_| !direct.contains(&child)) else { continue };
        let Some(tag) = tag else {
            found.wanted.push(pid);
            continue;
        };
        match fs::read(format!("/proc/{child}/environ")) {
            Ok(environment) if tags(&environment).any(|known| known == tag.as_bytes()) => found.wanted.push(pid),
            Ok(environment) if is_complete(&environment) => {}
            // It exited and waits to be reaped, or it is within `exec`.
            _ => found.undecided |= matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None)),
        }
    }
    found
}

/// The process ids of the children. Orphans become children of the main thread, so its list is enough; it is read after
/// every attempt. While children exit, the list may miss another one, so it is read until two readings agree.
fn children() -> Vec<i32> {
    let read = || fs::read(format!("/proc/self/task/{}/children", std::process::id())).ok();
    let Some(mut list) = read() else { return children_by_parent() };
    while !list.is_empty() && !only(&list, guard::process()) {
        match read() {
            Some(again) if again != list => list = again,
            _ => break,
        }
    }
    String::from_utf8_lossy(&list).split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()).collect()
}

/// Whether a list contains only the guard. This is the usual case and needs no second reading: an entry is only missed
/// after a child that exits, not after one that runs.
fn only(list: &[u8], guard: Option<i32>) -> bool {
    guard.is_some_and(|guard| list.trim_ascii() == guard.to_string().as_bytes())
}

/// The process ids of the children on kernels that do not list them: checks the parent of every process.
fn children_by_parent() -> Vec<i32> {
    let own = std::process::id().to_string();
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| {
            // The state and the parent follow the name in parentheses.
            fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
                stat.rsplit_once(')').and_then(|(_, rest)| rest.split_ascii_whitespace().nth(1)) == Some(own.as_str())
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of searches if each one finds the same.
    async fn looks(wanted: &[Pid], undecided: bool) -> u32 {
        let mut looks = 0;
        let look = || {
            looks += 1;
            Orphans { wanted: wanted.to_vec(), undecided }
        };
        until_none(look).await;
        looks
    }

    #[tokio::test(start_paused = true)]
    async fn search_for_descendants_is_bounded() {
        assert_eq!(looks(&[], false).await, 1);
        assert_eq!(looks(&[], true).await, UNDECIDED_ROUNDS + 1);
        // No process has the highest possible id.
        assert_eq!(looks(&[Pid::from_raw(i32::MAX).unwrap()], false).await, ROUNDS);
    }

    /// A child that keeps running stands for one that cannot be reaped.
    #[tokio::test(start_paused = true)]
    async fn gives_up_on_process_that_does_not_end() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        let begun = tokio::time::Instant::now();
        reap(pid).await;
        assert_eq!(begun.elapsed(), Duration::from_millis(2) * REAPED);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn environment_cut_within_a_variable_is_incomplete() {
        assert!(is_complete(b"A=1\0B=2\0"));
        for cut in [&b""[..], b"A=1\0B=", b"AGENTCI_PROCESS_TAG=27169-18e93d"] {
            assert!(!is_complete(cut));
        }
    }

    #[test]
    fn detects_when_guard_is_the_only_child() {
        assert!(only(b"4711 ", Some(4711)));
        for (list, guard) in [(&b"4711 4712 "[..], Some(4711)), (b"47110 ", Some(4711)), (b"4711 ", None)] {
            assert!(!only(list, guard));
        }
    }
}
