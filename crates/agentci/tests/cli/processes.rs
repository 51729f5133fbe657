//! Helpers for processes: whether they are running, and signals to them.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The timeout for something that must happen, long enough for a slow machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A shell function that reports a process id to the test: `tell FILE PID`. The file is complete as soon as it exists.
pub(crate) const TELL: &str = "tell() { echo \"$2\" > \"$1.new\"; mv \"$1.new\" \"$1\"; }\n";

/// Waits for a file written by `tell`; returns the process id.
pub(crate) fn told(path: &Path) -> u32 {
    wait_for(|| fs::read_to_string(path).ok()?.trim().parse().ok())
        .unwrap_or_else(|| panic!("{} did not come", path.display()))
}

/// Whether a process has ended, or ends within three seconds: a killed process may need a moment.
pub(crate) fn is_gone(pid: u32) -> bool {
    let deadline = Instant::now() + Duration::from_secs(3);
    while is_alive(pid) {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

/// Whether a process is running; a zombie is not.
fn is_alive(pid: u32) -> bool {
    if !signal(pid, "0") {
        return false;
    }
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')),
        Err(_) => !Path::new("/proc/self").exists(),
    }
}

/// Sends a signal; returns whether the process exists.
pub(crate) fn signal(pid: u32, name: &str) -> bool {
    let kill = format!("kill -{name} {pid}");
    Command::new("sh").args(["-c", &kill]).output().unwrap().status.success()
}

/// Polls until there is an answer or the timeout ends.
pub(crate) fn wait_for<T>(mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        if Instant::now() > deadline {
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
