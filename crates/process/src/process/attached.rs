//! A child with the terminal and standard streams of this process, which ends with all its descendants.

use std::ffi::OsStr;
use std::io::{self, IsTerminal as _};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;
use tokio::time::sleep;

use super::tracked::TrackedChild;
use super::{Exit, Grace, ProcessCommand, SpawnError};
use crate::{descendants, find_program};

/// How long the descendants of a command may outlive it; after that they are ended and reported.
const LEAVING: Duration = Duration::from_millis(300);

/// The interval of checks for descendants.
const LOOK: Duration = Duration::from_millis(10);

/// A signal that is passed on to a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalRequest {
    /// `SIGINT`
    Interrupt,
    /// `SIGTERM`
    Terminate,
    /// `SIGHUP`
    HangUp,
}

/// The standard streams of a child.
#[derive(Debug)]
pub struct StandardStreams {
    /// Standard input.
    pub input: Stdio,
    /// Standard output.
    pub output: Stdio,
    /// Standard error.
    pub errors: Stdio,
}

impl Default for StandardStreams {
    /// The streams of this process.
    fn default() -> Self {
        Self { input: Stdio::inherit(), output: Stdio::inherit(), errors: Stdio::inherit() }
    }
}

/// A running child that may share the standard streams of this process.
///
/// On a terminal it is in the process group of this process, so that it can read from the terminal and receives Ctrl-C.
/// Elsewhere it has a separate group.
#[derive(Debug)]
pub struct Attached(TrackedChild);

impl Attached {
    /// Starts a program.
    pub fn spawn(command: &ProcessCommand, streams: StandardStreams) -> Result<Self, SpawnError> {
        let terminal = io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let on_path = |program: &str| find_program(OsStr::new(program), &path).is_some();
        // Many machines have only `python3`.
        let program = if command.program == "python" && !on_path("python") && on_path("python3") {
            OsStr::new("python3")
        } else {
            &command.program
        };
        let start =
            |tag: &str| command.start_as(program, tag, streams, !terminal).map_err(|source| command.explain(source));
        TrackedChild::start(!terminal, start).map(Self)
    }

    /// Its process id, until it has been waited for.
    pub fn id(&self) -> Option<u32> {
        self.0.child.id()
    }

    /// Waits until the child itself has exited; its descendants may live on.
    pub async fn exited(&mut self) -> io::Result<Exit> {
        Ok(self.0.child.wait().await?.into())
    }

    /// Forwards a signal. An interrupt from the terminal has already reached the child.
    pub fn pass_on(&self, asked: SignalRequest) {
        let signal = match asked {
            SignalRequest::Interrupt if !self.0.own_group => return,
            SignalRequest::Interrupt => Signal::INT,
            SignalRequest::Terminate => Signal::TERM,
            SignalRequest::HangUp => Signal::HUP,
        };
        self.0.signal(signal);
    }

    /// Ends the child if it still runs, and all its descendants. Returns its exit, and the names of the programs that
    /// were still running shortly after it.
    pub async fn end(mut self, grace: Grace) -> (Option<Exit>, Vec<String>) {
        let exit = self.0.stop(grace).await;
        let left = self.left().await;
        self.0.sweep().await;
        (exit, left)
    }

    /// The names of the programs that still run after the grace period.
    async fn left(&self) -> Vec<String> {
        let mut names = Vec::new();
        for _ in 0..LEAVING.as_millis() / LOOK.as_millis() {
            if let Some(found) = descendants::names(&self.0.tag) {
                names = found;
                if names.is_empty() {
                    break;
                }
            }
            sleep(LOOK).await;
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(50) };

    fn started(script: &str, output: Stdio) -> Attached {
        let arguments = vec!["-c".into(), script.into()];
        let command = ProcessCommand { program: "sh".into(), arguments, ..ProcessCommand::default() };
        Attached::spawn(&command, StandardStreams { input: Stdio::null(), output, errors: Stdio::null() }).unwrap()
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
    async fn daemon_is_killed_and_reported_by_name() {
        let mut child = shell("setsid sleep 61 & exit 0");
        child.exited().await.unwrap();
        let tag = child.0.tag.clone();
        assert_eq!(child.end(AT_ONCE).await, (Some(Exit::Code(0)), vec!["sleep".to_owned()]));
        assert_eq!(descendants::names(&tag), Some(Vec::new()));
    }

    #[tokio::test]
    async fn child_ignoring_sigterm_is_killed() {
        let (mut ready, output) = io::pipe().unwrap();
        let child = started("trap '' TERM; echo; while :; do sleep 0.01; done", output.into());
        io::Read::read_exact(&mut ready, &mut [0]).unwrap();
        assert_eq!(child.end(AT_ONCE).await.0, Some(Exit::Signal(9)));
    }
}
