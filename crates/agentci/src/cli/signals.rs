//! The signals that end a run.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

use agentci::runner::{Stop, Stopper};
use agentci_process::SignalRequest;
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// `SIGXFSZ`, which has the same number on Linux and macOS.
const FILE_TOO_LARGE: i32 = 25;

/// The signals that stop us, and how they are passed on to a command that we run.
const ENDING: [(SignalKind, SignalRequest); 4] = [
    (SignalKind::interrupt(), SignalRequest::Interrupt),
    (SignalKind::terminate(), SignalRequest::Terminate),
    (SignalKind::hangup(), SignalRequest::HangUp),
    // By default, `SIGQUIT` would dump core and lose the recording.
    (SignalKind::quit(), SignalRequest::Terminate),
];

/// Signals that we handle, and that do not end the process by themselves.
#[derive(Debug)]
pub(super) struct Signals(Vec<(Signal, SignalRequest)>);

impl Signals {
    /// Listens for the signals that stop us; requires a runtime.
    pub(super) fn listen() -> io::Result<Self> {
        Self::to(&ENDING[..3])
    }

    /// Also listens for `SIGQUIT`, which would dump core.
    pub(super) fn listen_for_command() -> io::Result<Self> {
        Self::to(&ENDING)
    }

    fn to(kinds: &[(SignalKind, SignalRequest)]) -> io::Result<Self> {
        kinds.iter().map(|(kind, asked)| Ok((signal(*kind)?, *asked))).collect::<io::Result<_>>().map(Self)
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) -> SignalRequest {
        poll_fn(|context| {
            let received =
                self.0.iter_mut().find_map(|(signal, asked)| signal.poll_recv(context).is_ready().then_some(*asked));
            received.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// A handle that stops a run when a signal arrives.
pub(super) fn stopped_by_signals(runtime: &Runtime) -> Stop {
    let _within = runtime.enter();
    let (stopper, stop) = Stopper::new();
    // A file that exceeds its size limit becomes a write error; by default the system would end the process.
    let _ = signal(SignalKind::from_raw(FILE_TOO_LARGE));
    // Registered before anything is started. If that fails, signals end the process as usual.
    if let Ok(mut signals) = Signals::listen() {
        tokio::spawn(async move {
            signals.next().await;
            stopper.stop();
            // The sender must outlive the run, since waiters poll it until the end.
            std::future::pending::<()>().await;
        });
    }
    stop
}
