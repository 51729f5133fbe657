//! The client of the guard: starts it, reports process groups, and stops it.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::process::Pid;

use crate::descendants;

/// The program and the command of the guard.
static PROGRAM: OnceLock<(PathBuf, String)> = OnceLock::new();

/// The running guard; `None` before and after, and if it could not be started.
static GUARD: Mutex<Option<Guard>> = Mutex::new(None);

/// Set once the guard was started, so that there is only one.
static BEGUN: OnceLock<()> = OnceLock::new();

/// The number of polls for the exit of the guard, and the pause between them.
const LEAVING: (u32, Duration) = (2_000, Duration::from_micros(500));

struct Guard {
    child: Child,
    input: ChildStdin,
    /// What could not be written yet.
    unsent: Vec<u8>,
}

/// Enables the guard; it is started with the first process. It is `program` with `command` and the mark as arguments,
/// which must call [`watch`](super::watch). For programs that can start themselves again; a library cannot know how.
pub fn post(program: PathBuf, command: &str) {
    let _ = PROGRAM.set((program, command.to_owned()));
}

/// Stops the guard and waits for its exit. For the very end, when no started process is left.
pub fn dismiss() {
    let Some(mut guard) = lock().take() else { return };
    guard.say(b"done\n");
    let Guard { mut child, input, .. } = guard;
    drop(input);
    for _ in 0..LEAVING.0 {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(LEAVING.1);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The mark of all processes that are started here: the process id and the start time, because process ids are reused.
pub(crate) fn mark() -> &'static str {
    static MARK: OnceLock<String> = OnceLock::new();
    MARK.get_or_init(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{}-{:x}", std::process::id(), now.as_nanos())
    })
}

/// Starts the guard, if it is enabled and not running. It must run before any process that it has to end.
pub(crate) fn ensure() {
    let Some((program, command)) = PROGRAM.get() else { return };
    BEGUN.get_or_init(|| *lock() = Guard::start(program, command));
}

/// The process id of the guard, while it runs.
pub(crate) fn process() -> Option<i32> {
    lock().as_ref().and_then(|guard| i32::try_from(guard.child.id()).ok())
}

/// Reports a started process group.
pub(crate) fn started(group: Pid) {
    tell('+', group);
}

/// Reports an ended process group.
pub(crate) fn ended(group: Pid) {
    tell('-', group);
}

fn tell(sign: char, group: Pid) {
    static BY_MARK: OnceLock<bool> = OnceLock::new();
    // With `/proc`, the guard finds processes by their mark and needs no reports.
    if PROGRAM.get().is_none() || *BY_MARK.get_or_init(|| Path::new("/proc/self/environ").exists()) {
        return;
    }
    if let Some(guard) = lock().as_mut() {
        guard.say(format!("{sign}{}\n", group.as_raw_nonzero()).as_bytes());
    }
}

fn lock() -> std::sync::MutexGuard<'static, Option<Guard>> {
    GUARD.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Guard {
    /// Starts the guard in a separate process group, so that signals to ours (Ctrl-C, or a kill of the group) do not
    /// reach it. Its pipe is closed in all other child processes.
    fn start(program: &Path, command: &str) -> Option<Self> {
        let mut child = Command::new(program)
            .args([command, mark()])
            // Within a run of another agentci it must also outlive this process.
            .env_remove(descendants::TAG)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .ok()?;
        let input = child.stdin.take()?;
        if let Some(pid) = Pid::from_raw(i32::try_from(child.id()).ok()?) {
            descendants::register(pid);
        }
        // A suspended guard must not block this process.
        rustix::io::ioctl_fionbio(&input, true).ok()?;
        Some(Self { child, input, unsent: Vec::new() })
    }

    /// Writes as much as the pipe accepts; the rest is sent before the next line.
    fn say(&mut self, words: &[u8]) {
        self.unsent.extend_from_slice(words);
        while !self.unsent.is_empty() {
            match self.input.write(&self.unsent) {
                Ok(taken) if taken > 0 => drop(self.unsent.drain(..taken)),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                _ => return,
            }
        }
    }
}
