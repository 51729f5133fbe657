//! Reads the items of a stream.

use std::time::Duration;

use agentci_protocols::a2a::{A2aConversation, A2aError, A2aRefusal, cut};
use agentci_trace::EventKind;
use serde_json::Value;

use super::client::{A2aClient, late, result};
use super::driver::A2aTurn;
use super::refusal::refused;
use crate::stream::next_event;
use crate::{DriveError, DriveResult};
use agentci_exchange::{ExchangeError, NOT_UTF8, StreamedAnswer};

/// How long to wait for the end of a stream after its last item.
const AFTER_END: Duration = Duration::from_millis(250);

/// Reads a stream to its end, or until the turn is over. Returns the error that broke the connection; `None` if the
/// agent closed it.
pub(super) async fn read_stream(
    answer: &mut StreamedAnswer,
    turn: &mut A2aTurn<'_, '_>,
    conversation: &mut A2aConversation,
    client: &A2aClient,
) -> DriveResult<Option<DriveError>> {
    loop {
        let said_all = turn.reader.is_over(conversation);
        let arrived = match next_event(answer, said_all, AFTER_END).await {
            Ok(Some(arrived)) => arrived,
            Ok(None) if said_all => return Ok(None),
            ended => {
                turn.over = answer.latest();
                return match ended {
                    Err(error @ ExchangeError::Broken(_)) => Ok(Some(error.into())),
                    Err(error) => Err(late(error, client.timeout)),
                    Ok(_) => Ok(None),
                };
            }
        };
        turn.over = arrived.at;
        if arrived.frame.lossy {
            turn.sink.push_at(arrived.at, EventKind::Violation(NOT_UTF8.into()))?;
        }
        if arrived.frame.data.is_empty() {
            continue;
        }
        let item = parse(&arrived.frame.data)?;
        if let Some(refusal) = A2aRefusal::of(&item) {
            return Err(refused(&refusal, client.keys));
        }
        let item = result(item, turn.agent.interface.protocol.binding)?;
        turn.take(&item, conversation)?;
    }
}

fn parse(data: &str) -> Result<Value, A2aError> {
    serde_json::from_str(data).map_err(|_| A2aError(format!("an item of the stream is not JSON: {}", cut(data, 200))))
}
