//! The items of a stream.

use std::time::Duration;

use agentci_protocols::a2a::{Broken, Conversation, Protocol, Reader, Refusal, cut};
use agentci_trace::{Kind, Moment};
use serde_json::Value;

use super::ask::{Ask, late, result};
use super::driver::broken;
use super::refused::refused;
use crate::{DriveError, TraceSink};
use agentci_exchange::{Answer, ExchangeError, NOT_UTF8, Next};

/// How long an agent may keep a stream open when everything is said.
const AFTER_END: Duration = Duration::from_millis(250);

/// How a stream ended.
pub(super) enum Cut {
    /// The agent closed it.
    Closed,
    /// The connection broke.
    Broken(DriveError),
}

/// Reads a stream to its end, or until the turn is over.
pub(super) async fn read_stream(
    answer: &mut Answer,
    protocol: Protocol,
    reader: &mut Reader,
    conversation: &mut Conversation,
    ask: &Ask,
    sink: &mut TraceSink<'_>,
    over: &mut Moment,
) -> Result<Cut, DriveError> {
    loop {
        let said_all = reader.is_over(conversation);
        let next = if said_all {
            answer.frame_within(AFTER_END).await
        } else {
            answer.frame().await.map(|arrived| arrived.map_or(Next::Closed, Next::Frame))
        };
        let arrived = match next {
            Ok(Next::Frame(arrived)) => arrived,
            Ok(Next::Closed | Next::Quiet) => {
                if !said_all {
                    *over = answer.latest();
                }
                return Ok(Cut::Closed);
            }
            // What comes after the end is not missed.
            Err(_) if said_all => return Ok(Cut::Closed),
            Err(error @ ExchangeError::Broken(_)) => {
                *over = answer.latest();
                return Ok(Cut::Broken(error.into()));
            }
            Err(error) => {
                *over = answer.latest();
                return Err(late(error, ask.timeout));
            }
        };
        *over = arrived.at;
        if arrived.frame.lossy {
            sink.push_at(arrived.at, Kind::Violation(NOT_UTF8.into()))?;
        }
        if arrived.frame.data.is_empty() {
            continue;
        }
        let item = parse(&arrived.frame.data).map_err(broken)?;
        if let Some(refusal) = Refusal::of(&item) {
            return Err(refused(&refusal, ask.keys));
        }
        let item = result(item, protocol.binding).map_err(broken)?;
        for kind in reader.item(&item, protocol, conversation).map_err(broken)? {
            sink.push_at(arrived.at, kind)?;
        }
    }
}

fn parse(data: &str) -> Result<Value, Broken> {
    serde_json::from_str(data).map_err(|_| Broken(format!("an item of the stream is no JSON: {}", cut(data, 200))))
}
