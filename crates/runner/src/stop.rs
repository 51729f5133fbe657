//! The signal that stops a run.

use tokio::sync::watch;

/// Sends the stop signal.
#[derive(Debug)]
pub struct Stopper(watch::Sender<bool>);

/// Receives the stop signal.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<bool>);

impl Stopper {
    /// Creates both ends.
    pub fn new() -> (Self, Stop) {
        let (sender, receiver) = watch::channel(false);
        (Self(sender), Stop(receiver))
    }

    /// Stops the run.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Stop {
    /// Whether the run should stop.
    pub fn stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the run should stop; waits forever if the sender was dropped without stopping.
    pub async fn wait(&self) {
        let mut receiver = self.0.clone();
        if receiver.wait_for(|stopped| *stopped).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
