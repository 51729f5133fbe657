//! Ends the processes of a parent that has vanished.

use std::collections::BTreeSet;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::descendants::{Orphans, carries_mark, is_complete};

/// The pause between two searches.
const PAUSE: Duration = Duration::from_millis(5);
/// The maximum number of searches, about half a minute, in case processes are started faster than they are ended.
const LOOKS: u32 = 6_000;
/// The number of consecutive searches that must find nothing. One is not enough: it may miss processes that are started
/// meanwhile.
const QUIET: u32 = 3;
/// The number of searches that wait for a process without a readable environment: it is within `exec`, or never had
/// one.
const UNDECIDED: u32 = 40;

/// Ends the groups, and then all processes with the mark, until none is left.
pub(super) fn end(mark: &str, groups: &BTreeSet<i32>) {
    for group in groups.iter().filter_map(|group| group_of(*group)) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    until_calm(|| marked(mark), || sleep(PAUSE));
}

/// Searches and ends processes until none is found.
fn until_calm(mut look: impl FnMut() -> Orphans, pause: impl Fn()) {
    let mut quiet = 0;
    for number in 0..LOOKS {
        let found = look();
        for pid in &found.wanted {
            let _ = kill_process_group(*pid, Signal::KILL);
            let _ = kill_process(*pid, Signal::KILL);
        }
        let calm = found.wanted.is_empty() && (!found.undecided || number >= UNDECIDED);
        quiet = if calm { quiet + 1 } else { 0 };
        if quiet == QUIET {
            return;
        }
        pause();
    }
}

/// A process group by number, but never all processes or process 1.
fn group_of(number: i32) -> Option<Pid> {
    Pid::from_raw(number).filter(|_| number > 1)
}

fn marked(mark: &str) -> Orphans {
    let mut found = Orphans::default();
    let Ok(processes) = fs::read_dir("/proc") else { return found };
    let own = i32::try_from(std::process::id()).expect("the system counts processes in 31 bits");
    let numbers = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    for pid in numbers.filter(|pid| *pid != own).filter_map(group_of) {
        let folder = format!("/proc/{}", pid.as_raw_nonzero());
        // Processes of other users are not readable.
        let Ok(environment) = fs::read(format!("{folder}/environ")) else { continue };
        if carries_mark(&environment, mark) {
            found.wanted.push(pid);
        } else if !is_complete(&environment) {
            // A process that has exited and a kernel thread have no `exe`.
            found.undecided |= fs::read_link(format!("{folder}/exe")).is_ok();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of searches if each one finds the same.
    fn looks(wanted: &[Pid], undecided: bool) -> u32 {
        let mut looks = 0;
        let look = || {
            looks += 1;
            Orphans { wanted: wanted.to_vec(), undecided }
        };
        until_calm(look, || {});
        looks
    }

    #[test]
    fn search_for_orphans_is_bounded() {
        assert_eq!(looks(&[], false), QUIET);
        assert_eq!(looks(&[], true), UNDECIDED + QUIET);
        // No process has the highest possible id.
        assert_eq!(looks(&[Pid::from_raw(i32::MAX).unwrap()], false), LOOKS);
    }
}
