//! The line to an agent.

use agentci_trace::Moment;

use super::live;
use super::{Answer, ExchangeError, Player, Recorder, Request};
use crate::Clock;

/// The line to an agent: where requests go and answers come from.
#[derive(Debug, Default)]
pub enum Line {
    /// The network.
    #[default]
    Live,
    /// The network, and what goes over it is written down.
    Record(Recorder),
    /// A recording.
    Replay(Player),
}

impl Line {
    /// Sends a request and waits for the head of the answer.
    pub async fn send(&mut self, request: &Request, clock: Clock) -> Result<Answer, ExchangeError> {
        match self {
            Line::Live => live::send(request, clock, None).await,
            Line::Record(recorder) => live::send(request, clock, Some(recorder)).await,
            Line::Replay(player) => player.answer(request, clock),
        }
    }

    /// The present moment, by which a driver dates what it concludes itself. In a replay it is that of the last thing that was
    /// played.
    pub fn now(&self, clock: Clock) -> Moment {
        match self {
            Line::Live | Line::Record(_) => clock.now(),
            Line::Replay(player) => clock.after(player.position()),
        }
    }
}
