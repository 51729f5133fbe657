//! The signals that end a run.

use std::io;

use agentci::runner::{Stop, Stopper};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// `SIGXFSZ`, which has one number on Linux and macOS.
const FILE_TOO_LARGE: i32 = 25;

/// What stops a run when we are asked to end; to be called within a runtime.
pub(super) fn stopped_by_signals() -> Stop {
    let (stopper, stop) = Stopper::new();
    stop_on_signals(stopper);
    stop
}

/// Stops a run when we are asked to end.
fn stop_on_signals(stopper: Stopper) {
    // A file that may not grow any more is an error to be told, where the system would end us.
    let _ = signal(SignalKind::from_raw(FILE_TOO_LARGE));
    // Taken before anything is started. Where they cannot be, the system ends us, as it would any program.
    if let Ok(signals) = signals() {
        tokio::spawn(stop_on_signal(signals, stopper));
    }
}

/// The signals that ask us to end. From here on they do not end us by themselves.
fn signals() -> io::Result<[Signal; 3]> {
    Ok([signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, signal(SignalKind::hangup())?])
}

/// Waits for one of them, and stops the run.
async fn stop_on_signal([mut interrupt, mut terminate, mut hang_up]: [Signal; 3], stopper: Stopper) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
    }
    stopper.stop();
    // The sender must outlive the run: those who wait for it ask it until the end.
    std::future::pending::<()>().await;
}
