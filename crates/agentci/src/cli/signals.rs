//! The signals that end a run.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

use agentci::runner::{Stop, Stopper};
use agentci_process::SignalRequest;
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// `SIGXFSZ`, which has one number on Linux and macOS.
const FILE_TOO_LARGE: i32 = 25;

/// The signals that ask us to end, and what they ask of a command that we run.
const ENDING: [(SignalKind, SignalRequest); 4] = [
    (SignalKind::interrupt(), SignalRequest::Interrupt),
    (SignalKind::terminate(), SignalRequest::Terminate),
    (SignalKind::hangup(), SignalRequest::HangUp),
    // To write a core file of our own, and lose the recording, is not what anybody wants.
    (SignalKind::quit(), SignalRequest::Terminate),
];

/// Signals that are listened to, and do not end us by themselves.
#[derive(Debug)]
pub(super) struct Signals(Vec<(Signal, SignalRequest)>);

impl Signals {
    /// Those that ask us to end; to be called within a runtime.
    pub(super) fn listen() -> io::Result<Self> {
        Self::to(&ENDING[..3])
    }

    /// The same and the one that would write a core file.
    pub(super) fn listen_for_command() -> io::Result<Self> {
        Self::to(&ENDING)
    }

    fn to(kinds: &[(SignalKind, SignalRequest)]) -> io::Result<Self> {
        kinds.iter().map(|(kind, asked)| Ok((signal(*kind)?, *asked))).collect::<io::Result<_>>().map(Self)
    }

    /// Waits for one of them.
    pub(super) async fn next(&mut self) -> SignalRequest {
        poll_fn(|context| {
            let received =
                self.0.iter_mut().find_map(|(signal, asked)| signal.poll_recv(context).is_ready().then_some(*asked));
            received.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// What stops a run when we are asked to end.
pub(super) fn stopped_by_signals(runtime: &Runtime) -> Stop {
    let _within = runtime.enter();
    let (stopper, stop) = Stopper::new();
    // A file that may not grow any more is an error to be told, where the system would end us.
    let _ = signal(SignalKind::from_raw(FILE_TOO_LARGE));
    // Taken before anything is started. Where they cannot be, the system ends us, as it would any program.
    if let Ok(mut signals) = Signals::listen() {
        tokio::spawn(async move {
            signals.next().await;
            stopper.stop();
            // The sender must outlive the run: those who wait for it ask it until the end.
            std::future::pending::<()>().await;
        });
    }
    stop
}
