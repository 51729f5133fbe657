//! Reads event streams that a server may keep open.

use std::time::Duration;

use agentci_exchange::{ArrivedEvent, ExchangeError, NextPiece, StreamedAnswer};

/// The next event of a stream; `None` at its end. Once the answer is complete (`said_all`), the stream also ends after
/// the `grace` period without an event, and with any error.
pub(crate) async fn next_event(
    answer: &mut StreamedAnswer,
    said_all: bool,
    grace: Duration,
) -> Result<Option<ArrivedEvent>, ExchangeError> {
    if !said_all {
        return answer.frame().await;
    }
    match answer.frame_within(grace).await {
        Ok(NextPiece::Frame(arrived)) => Ok(Some(arrived)),
        Ok(NextPiece::Closed | NextPiece::Quiet) | Err(_) => Ok(None),
    }
}
