//! The program of a server: starts it, forwards signals to it, and reports its exit code.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tokio::net::unix::pipe::Sender;
use tokio::process::{Child, Command};
use tokio::signal::unix::{Signal as Listener, SignalKind, signal};

use super::process::{TAPPED, pipe};

/// Starts a program with pipes as input and output; returns the write end of its input.
pub(super) fn start(program: &OsStr, arguments: &[OsString]) -> io::Result<(Child, Sender)> {
    let (theirs, ours) = io::pipe()?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::from(theirs.try_clone()?)).stdout(Stdio::piped());
    if let Some(number) = pipe(theirs.as_fd()) {
        command.env(TAPPED, number.to_string());
    }
    let child = command.spawn()?;
    Ok((child, Sender::from_owned_fd(ours.into())?))
}

/// Forwards a signal to a program.
pub(super) fn pass_on(child: &Child, signal: Signal) {
    let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
    if let Some(pid) = pid {
        let _ = kill_process(pid, signal);
    }
}

/// The exit code of a tap whose program exited with this status.
pub(super) fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.map_or(1, |code| u8::try_from(code & 0xff).expect("8 bits are left"))
}

/// The signals that terminate programs. While they are handled, they do not terminate this process.
pub(super) struct EndingSignals([Listener; 4]);

impl EndingSignals {
    /// Installs the handlers; must be called within a runtime.
    pub(super) fn listen() -> io::Result<Self> {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let [interrupt, terminate, hang_up, quit] = kinds.map(signal);
        Ok(Self([interrupt?, terminate?, hang_up?, quit?]))
    }

    pub(super) async fn next(&mut self) -> Signal {
        let [interrupt, terminate, hang_up, quit] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => Signal::INT,
            _ = terminate.recv() => Signal::TERM,
            _ = hang_up.recv() => Signal::HUP,
            _ = quit.recv() => Signal::QUIT,
        }
    }
}
