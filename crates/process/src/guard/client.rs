//! Our side: starting the guard, telling it of groups, and sending it away.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::process::Pid;

use crate::descendants;

/// How the guard is started.
static PROGRAM: OnceLock<(PathBuf, String)> = OnceLock::new();

/// The guard, once it is there; `None` before and after, and where it could not be started.
static GUARD: Mutex<Option<Guard>> = Mutex::new(None);

/// Whether there was one, so that there is no second.
static BEGUN: OnceLock<()> = OnceLock::new();

/// How often, and how long each time, it is waited for a guard that was sent away.
const LEAVING: (u32, Duration) = (2_000, Duration::from_micros(500));

struct Guard {
    child: Child,
    input: ChildStdin,
    /// What it could not take yet.
    unsent: Vec<u8>,
}

/// From now on a guard stands by as soon as the first process is started: `program` with `command` and our mark as its
/// arguments, which must call [`watch`](super::watch). For a program that can be started again; a library can not know how.
pub fn post(program: PathBuf, command: &str) {
    let _ = PROGRAM.set((program, command.to_owned()));
}

/// Sends the guard away, and waits until it has left. For the very end, when nothing that we started is left.
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

/// By this the processes of ours are known: our process id, and when we began, since ids are used again.
pub(crate) fn mark() -> &'static str {
    static MARK: OnceLock<String> = OnceLock::new();
    MARK.get_or_init(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{}-{:x}", std::process::id(), now.as_nanos())
    })
}

/// Starts the guard unless it is there. It must be, before anything is started that it has to end.
pub(crate) fn ensure() {
    let Some((program, command)) = PROGRAM.get() else { return };
    BEGUN.get_or_init(|| *lock() = Guard::start(program, command));
}

/// Its process id, while it is there.
pub(crate) fn process() -> Option<i32> {
    lock().as_ref().and_then(|guard| i32::try_from(guard.child.id()).ok())
}

/// Tells of a group that was started.
pub(crate) fn started(group: Pid) {
    tell('+', group);
}

/// Tells that it is gone.
pub(crate) fn ended(group: Pid) {
    tell('-', group);
}

fn tell(sign: char, group: Pid) {
    static BY_MARK: OnceLock<bool> = OnceLock::new();
    // Where processes are found by their mark, nobody has to be woken for every one of them.
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
    /// In a group of its own, so that what is sent to ours (Ctrl-C, or a kill of all of it) does not reach it. Its pipe is
    /// closed in everything else that we start.
    fn start(program: &Path, command: &str) -> Option<Self> {
        let mut child = Command::new(program)
            .args([command, mark()])
            // Within a run of another agentci it must outlive us, too.
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
        // A guard that was stopped must not stop us.
        rustix::io::ioctl_fionbio(&input, true).ok()?;
        Some(Self { child, input, unsent: Vec::new() })
    }

    /// Writes as much as it takes now; the rest goes before what is said next.
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
