//! A child that has our own terminal, input and output, and ends with everything it started.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, IsTerminal as _};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::Child;
use tokio::time::{sleep, timeout};

use super::{AFTER_KILL, Command, Exit, Grace, SpawnError, next_tag};
use crate::{descendants, guard};

/// How long what a command started may take to end after it; what is then left is ended, and reported.
const LEAVING: Duration = Duration::from_millis(300);

/// How often it is looked whether anything is left.
const LOOK: Duration = Duration::from_millis(10);

/// A signal that is passed on to a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// `SIGINT`
    Interrupt,
    /// `SIGTERM`
    Terminate,
    /// `SIGHUP`
    HangUp,
}

/// The standard streams of a child.
#[derive(Debug)]
pub struct Streams {
    /// What it reads.
    pub input: Stdio,
    /// What it writes.
    pub output: Stdio,
    /// What it complains on.
    pub errors: Stdio,
}

impl Default for Streams {
    /// Ours.
    fn default() -> Self {
        Self { input: Stdio::inherit(), output: Stdio::inherit(), errors: Stdio::inherit() }
    }
}

/// A running child that may have our standard streams.
///
/// On a terminal it is in our process group, so that it may read from the terminal and gets Ctrl-C from it as if it had been
/// started without us. Elsewhere it has a group of its own.
#[derive(Debug)]
pub struct Attached {
    child: Child,
    pid: Option<Pid>,
    own_group: bool,
    tag: String,
    ended: bool,
}

impl Attached {
    /// Starts a program.
    pub fn spawn(command: &Command, streams: Streams) -> Result<Self, SpawnError> {
        let terminal = io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal();
        descendants::adopt_orphans();
        guard::ensure();
        let tag = next_tag();
        let child = command.start_attached(&tag, streams, !terminal)?;
        let pid = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        if let Some(pid) = pid {
            descendants::register(pid);
            if !terminal {
                guard::started(pid);
            }
        }
        Ok(Self { child, pid, own_group: !terminal, tag, ended: false })
    }

    /// Its process id, until it has been waited for.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until the child itself has left; what it started may live on.
    pub async fn exited(&mut self) -> io::Result<Exit> {
        Ok(self.child.wait().await?.into())
    }

    /// Passes a signal on that we got. An interrupt from the terminal has reached the child already.
    pub fn pass_on(&self, asked: Asked) {
        let signal = match asked {
            Asked::Interrupt if !self.own_group => return,
            Asked::Interrupt => Signal::INT,
            Asked::Terminate => Signal::TERM,
            Asked::HangUp => Signal::HUP,
        };
        self.signal(signal);
    }

    /// Ends the child if it still runs, and everything that it started. Gives its exit, and the names of the programs that
    /// were still running a moment after it had left.
    pub async fn end(mut self, grace: Grace) -> (Option<Exit>, Vec<String>) {
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
        let left = self.left().await;
        self.kill_group();
        self.forget();
        descendants::sweep(&self.tag).await;
        self.ended = true;
        (status.and_then(Result::ok).map(Exit::from), left)
    }

    /// The programs that still run although they had a moment to end.
    async fn left(&self) -> Vec<String> {
        let mut names = Vec::new();
        for _ in 0..LEAVING.as_millis() / LOOK.as_millis() {
            names = descendants::names(&self.tag);
            if names.is_empty() {
                break;
            }
            sleep(LOOK).await;
        }
        names
    }

    fn signal(&self, signal: Signal) {
        match self.pid {
            Some(pid) if self.own_group => drop(kill_process_group(pid, signal)),
            // A child that has been waited for has no process id any more.
            Some(pid) if self.child.id().is_some() => drop(kill_process(pid, signal)),
            _ => {}
        }
    }

    fn kill_group(&self) {
        if let Some(pid) = self.pid.filter(|_| self.own_group) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    fn forget(&self) {
        if let Some(pid) = self.pid {
            descendants::forget(pid);
            guard::ended(pid);
        }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        self.signal(Signal::KILL);
        self.forget();
        descendants::kill_tagged(&self.tag);
    }
}

impl Command {
    fn start_attached(&self, tag: &str, streams: Streams, own_group: bool) -> Result<Child, SpawnError> {
        let program: &OsStr = if self.program == "python" && !on_path("python") && on_path("python3") {
            // Many machines have only `python3`.
            OsStr::new("python3")
        } else {
            &self.program
        };
        let mut prepared = tokio::process::Command::new(program);
        prepared
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env(descendants::TAG, tag)
            .stdin(streams.input)
            .stdout(streams.output)
            .stderr(streams.errors)
            .kill_on_drop(true);
        if own_group {
            prepared.process_group(0);
        }
        if let Some(folder) = &self.folder {
            prepared.current_dir(folder);
        }
        prepared.spawn().map_err(|source| self.explain(source))
    }
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| fs::metadata(folder.join(program)).is_ok_and(|found| found.is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(50) };

    fn started(script: &str, output: Stdio) -> Attached {
        let arguments = vec!["-c".into(), script.into()];
        let command = Command { program: "sh".into(), arguments, ..Command::default() };
        Attached::spawn(&command, Streams { input: Stdio::null(), output, errors: Stdio::null() }).unwrap()
    }

    fn shell(script: &str) -> Attached {
        started(script, Stdio::null())
    }

    #[tokio::test]
    async fn a_clean_exit_leaves_nothing_to_report() {
        let mut child = shell("sleep 0.05 & exit 7");
        assert_eq!(child.exited().await.unwrap(), Exit::Code(7));
        assert_eq!(child.end(AT_ONCE).await, (Some(Exit::Code(7)), Vec::new()));
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_daemon_is_ended_and_named() {
        let mut child = shell("setsid sleep 61 & exit 0");
        child.exited().await.unwrap();
        let tag = child.tag.clone();
        assert_eq!(child.end(AT_ONCE).await, (Some(Exit::Code(0)), vec!["sleep".to_owned()]));
        assert!(descendants::names(&tag).is_empty());
    }

    #[tokio::test]
    async fn a_child_that_ignores_a_request_to_end_is_killed() {
        let (mut ready, output) = io::pipe().unwrap();
        let child = started("trap '' TERM; echo; while :; do sleep 0.01; done", output.into());
        io::Read::read_exact(&mut ready, &mut [0]).unwrap();
        assert_eq!(child.end(AT_ONCE).await.0, Some(Exit::Signal(9)));
    }
}
