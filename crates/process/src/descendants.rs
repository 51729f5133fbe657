//! Finding what a process left behind.
//!
//! A process group holds everything a child started, unless it moved away (`setsid`, a daemon's double fork). On Linux we ask
//! to adopt orphans: whatever loses its parent becomes our child, and an environment variable that every descendant inherits
//! tells whose it is. Where there is no `/proc`, the group is all we have.

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};

use crate::guard;

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

/// Whether one of them runs, as far as we know.
pub(crate) fn any() -> bool {
    let guard = guard::process();
    direct().iter().any(|pid| Some(*pid) != guard)
}

/// Ends everything that carries a tag and lost its parent. Ending one may orphan others, so it looks again until none is left.
pub(crate) async fn sweep(tag: &str) {
    until_none(|| orphans(Some(tag))).await;
}

/// Ends every adopted orphan, whoever started it. For a program that owns its process, at its very end.
pub async fn sweep_all() {
    until_none(|| orphans(None)).await;
}

/// The programs that carry a tag and lost their parent.
pub(crate) fn names(tag: &str) -> Vec<String> {
    let name = |pid: &Pid| fs::read_to_string(format!("/proc/{}/comm", pid.as_raw_nonzero())).ok();
    let found = orphans(Some(tag)).wanted;
    let mut names: Vec<String> = found.iter().filter_map(name).map(|name| name.trim_end().to_owned()).collect();
    names.sort();
    names
}

/// Kills what carries a tag, without waiting: for when there is no time to.
pub(crate) fn kill_tagged(tag: &str) {
    for pid in orphans(Some(tag)).wanted {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// How often it is looked again, in all and for a process that does not show its environment.
const ROUNDS: u32 = 100;
const UNDECIDED_ROUNDS: u32 = 40;
/// How often, two milliseconds apart, it is asked whether a process that was killed is gone.
const REAPED: u32 = 200;

/// Looks, and ends what is found, until nothing is.
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

/// Takes the exit status of a process that was killed; it is our child now, so nobody else does. It ends at once but for a
/// system call that can not be broken off; after a while we go on without it.
async fn reap(pid: Pid) {
    for _ in 0..REAPED {
        match waitpid(Some(pid), WaitOptions::NOHANG) {
            Ok(None) => tokio::time::sleep(Duration::from_millis(2)).await,
            _ => return,
        }
    }
}

/// The tags in an environment.
fn tags(environment: &[u8]) -> impl Iterator<Item = &[u8]> {
    let variables = environment.split(|byte| *byte == 0);
    variables.filter_map(|variable| variable.strip_prefix(TAG.as_bytes())?.strip_prefix(b"="))
}

/// Whether an environment carries a tag that begins with a mark.
pub(crate) fn carries_mark(environment: &[u8], mark: &str) -> bool {
    tags(environment).any(|tag| tag.strip_prefix(mark.as_bytes()).is_some_and(|rest| rest.starts_with(b"-")))
}

/// Our children that we did not start ourselves.
#[derive(Default)]
pub(crate) struct Orphans {
    /// Those that carry the tag, or all of them when none is asked for.
    pub(crate) wanted: Vec<Pid>,
    /// Whether one is there whose environment could not be read: most often it is between two programs and has
    /// one again in a moment.
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
            Ok(environment) if !environment.is_empty() => {
                if tags(&environment).any(|known| known == tag.as_bytes()) {
                    found.wanted.push(pid);
                }
            }
            // It left by itself and only waits for somebody to take note; or it is loading a program.
            _ => found.undecided |= matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None)),
        }
    }
    found
}

/// The process ids of our children. Orphans are handed to the first thread of a process, whose number is the process's own, so
/// its list is enough; it is read after every attempt. While children leave, the list may miss one of the others: it is
/// read until two readings agree.
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

/// Whether a list names the guard alone. That is most often all there is, and it is certain at once: what follows a child that
/// lives is not missed, only what follows one that leaves.
fn only(list: &[u8], guard: Option<i32>) -> bool {
    guard.is_some_and(|guard| list.trim_ascii() == guard.to_string().as_bytes())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// How often it looks when it always finds the same.
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
    async fn it_is_not_looked_for_ever() {
        assert_eq!(looks(&[], false).await, 1);
        assert_eq!(looks(&[], true).await, UNDECIDED_ROUNDS + 1);
        // Nobody has the highest number there is.
        assert_eq!(looks(&[Pid::from_raw(i32::MAX).unwrap()], false).await, ROUNDS);
    }

    /// One that lives on is a child like one whose end can not be seen.
    #[tokio::test(start_paused = true)]
    async fn a_process_that_can_not_be_ended_is_gone_on_without() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        let begun = tokio::time::Instant::now();
        reap(pid).await;
        assert_eq!(begun.elapsed(), Duration::from_millis(2) * REAPED);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn the_guard_alone_is_told_from_the_guard_and_another() {
        assert!(only(b"4711 ", Some(4711)));
        for (list, guard) in [(&b"4711 4712 "[..], Some(4711)), (b"47110 ", Some(4711)), (b"4711 ", None)] {
            assert!(!only(list, guard));
        }
    }
}
