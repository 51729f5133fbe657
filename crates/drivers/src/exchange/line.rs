//! The line to an agent.

use agentci_trace::Moment;
use agentci_wire::http::ClientCertificate;

use super::live;
use super::{Answer, ExchangeError, Player, Recorder, Request};
use crate::Clock;
use crate::ids::random_seed;

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
    /// Sends a request, at the moment that [`next`](Self::next) told, and waits for the head of the answer.
    pub async fn send(&mut self, request: &Request, clock: Clock, at: Moment) -> Result<Answer, ExchangeError> {
        self.send_as(request, clock, at, None).await
    }

    /// The same, to a server that may want to see a certificate.
    pub async fn send_as(
        &mut self,
        request: &Request,
        clock: Clock,
        at: Moment,
        certificate: Option<&ClientCertificate>,
    ) -> Result<Answer, ExchangeError> {
        match self {
            Line::Live => live::send(request, clock, at, certificate, None).await,
            Line::Record(recorder) => live::send(request, clock, at, certificate, Some(recorder)).await,
            Line::Replay(player) => player.answer(request, clock),
        }
    }

    /// The moment of the request that is sent next: the present one, or in a replay the recorded one. What a driver concludes
    /// before it sends it bears the same moment, so that a replay is dated as the recording was.
    pub fn next(&self, clock: Clock) -> Moment {
        match self {
            Line::Live | Line::Record(_) => clock.now(),
            Line::Replay(player) => clock.after(player.next().unwrap_or_else(|| player.position())),
        }
    }

    /// What the ids in requests are to be made from; in a replay they are those that were recorded.
    pub(crate) fn seed(&self) -> u64 {
        match self {
            Line::Live => random_seed(),
            Line::Record(recorder) => recorder.seed(),
            Line::Replay(player) => player.seed(),
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
