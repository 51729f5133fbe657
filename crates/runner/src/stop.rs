//! How a run is told to stop.

use tokio::sync::watch;

/// The end that tells.
#[derive(Debug)]
pub struct Stopper(watch::Sender<bool>);

/// The end that is told.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<bool>);

impl Stopper {
    /// Both ends.
    pub fn new() -> (Self, Stop) {
        let (sender, receiver) = watch::channel(false);
        (Self(sender), Stop(receiver))
    }

    /// Tells everyone to stop.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Stop {
    /// Whether the run is to stop.
    pub fn stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is; forever if nobody can tell any more.
    pub async fn wait(&self) {
        let mut receiver = self.0.clone();
        if receiver.wait_for(|stopped| *stopped).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
