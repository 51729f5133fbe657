//! Ending what somebody who is gone has started.

use std::collections::BTreeSet;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::descendants::{Orphans, carries_mark};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(5);
/// How often it looks at most: half a minute, against what starts others faster than they are ended.
const LOOKS: u32 = 6_000;
/// How many looks in a row must find nothing. One is not enough: what was started while it looked may have been passed by.
const QUIET: u32 = 3;
/// How long a process that shows no environment may keep it waiting: it is between two programs, or never had one.
const UNDECIDED: u32 = 40;

/// Ends the groups, and then everything that carries the mark, until nothing does.
pub(super) fn end(mark: &str, groups: &BTreeSet<i32>) {
    for group in groups.iter().filter_map(|group| group_of(*group)) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    until_calm(|| marked(mark), || sleep(PAUSE));
}

/// Looks, and ends what is found, until nothing is.
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

/// Neither everybody nor process 1, whatever a number says.
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
        // What belongs to others is not shown to us.
        let Ok(environment) = fs::read(format!("{folder}/environ")) else { continue };
        if environment.is_empty() {
            // A process that has left has no program any more, and a thread of the kernel never had one.
            found.undecided |= fs::read_link(format!("{folder}/exe")).is_ok();
        } else if carries_mark(&environment, mark) {
            found.wanted.push(pid);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often it looks when it always finds the same.
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
    fn the_hunt_has_an_end() {
        assert_eq!(looks(&[], false), QUIET);
        assert_eq!(looks(&[], true), UNDECIDED + QUIET);
        // Nobody has the highest number there is.
        assert_eq!(looks(&[Pid::from_raw(i32::MAX).unwrap()], false), LOOKS);
    }
}
