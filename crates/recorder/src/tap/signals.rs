//! The signals that a tap passes on to its program.

use std::io;

use rustix::process::Signal;
use tokio::signal::unix::{Signal as Listener, SignalKind, signal};

/// The signals that end programs. From the moment that they are listened for, they do not end us by themselves.
pub(super) struct Signals([Listener; 4]);

impl Signals {
    /// Listens for them; within a runtime.
    pub(super) fn listen() -> io::Result<Self> {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let [interrupt, terminate, hang_up, quit] = kinds.map(signal);
        Ok(Self([interrupt?, terminate?, hang_up?, quit?]))
    }

    /// The next one.
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
