//! Streams of events that a server may keep open.

use std::time::Duration;

use agentci_exchange::{Answer, Arrived, ExchangeError, Next};

/// The next event of a stream; `None` at its end. Once everything is said, only an event that comes within a grace is one, and
/// whatever goes wrong is the end.
pub(crate) async fn next_event(
    answer: &mut Answer,
    said_all: bool,
    grace: Duration,
) -> Result<Option<Arrived>, ExchangeError> {
    if !said_all {
        return answer.frame().await;
    }
    match answer.frame_within(grace).await {
        Ok(Next::Frame(arrived)) => Ok(Some(arrived)),
        Ok(Next::Closed | Next::Quiet) | Err(_) => Ok(None),
    }
}
