//! The line to an agent.

use std::time::Duration;

use agentci_plan::UnsetVariableError;
use agentci_trace::Moment;
use agentci_wire::http::{ClientCertificate, HttpMethod};
use bytes::Bytes;
use serde_json::Value;

use super::live;
use crate::{Clock, ExchangeError, ExchangePlayer, ExchangeRecorder, Slot, StreamedAnswer, random_seed};

/// A request.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where to.
    pub url: String,
    /// What is asked for.
    pub method: HttpMethod,
    /// Headers; without a `content-type` the body is JSON.
    pub headers: Vec<(String, String)>,
    /// The body, as JSON text; none if it is empty.
    pub body: String,
    /// What makes it the same request when it is replayed: ids that are new each time are left out of it.
    pub identity: Value,
    /// How long everything may take, from sending it to the last byte of the answer.
    pub timeout: Duration,
}

/// The line to an agent: where requests go and answers come from.
#[derive(Debug, Default)]
pub enum AgentLine {
    /// The network.
    #[default]
    Live,
    /// The network, and what goes over it is written down.
    Record(ExchangeRecorder),
    /// A recording.
    Replay(ExchangePlayer),
}

impl AgentLine {
    /// Sends a request, at the moment that [`next`](Self::next) told, and waits for the head of the answer.
    pub async fn send(&mut self, request: &Request, clock: Clock, at: Moment) -> Result<StreamedAnswer, ExchangeError> {
        self.send_as(request, clock, at, None).await
    }

    /// The same, to a server that may want to see a certificate.
    pub async fn send_as(
        &mut self,
        request: &Request,
        clock: Clock,
        at: Moment,
        certificate: Option<&ClientCertificate>,
    ) -> Result<StreamedAnswer, ExchangeError> {
        let answer = match self {
            AgentLine::Live => live::send(request, clock, at, certificate, None).await,
            AgentLine::Record(recorder) => live::send(request, clock, at, certificate, Some(recorder)).await,
            AgentLine::Replay(player) => player.answer(request, clock),
        }?;
        match answer.compression() {
            // A refusal is told by its status, whatever its body says.
            Some(coding) if (200..300).contains(&answer.status) => Err(ExchangeError::Compressed(coding.to_owned())),
            _ => Ok(answer),
        }
    }

    /// Fills in what only an agent that is there learns of. A replay must not need its secrets and its address, so what has no
    /// value is empty there.
    pub fn fill<T>(
        &self,
        lookup: &dyn Fn(&str) -> Option<String>,
        fill: impl Fn(&dyn Fn(&str) -> Option<String>) -> Result<T, UnsetVariableError>,
    ) -> Result<T, UnsetVariableError> {
        let mut unset = match (fill(lookup), self) {
            (Err(unset), AgentLine::Replay(_)) => vec![unset.0],
            (filled, _) => return filled,
        };
        // A variable that has a default keeps it, so only those are empty that were asked for in vain.
        loop {
            let known = |name: &str| lookup(name).or_else(|| unset.iter().any(|one| one == name).then(String::new));
            match fill(&known) {
                Err(another) if !unset.contains(&another.0) => unset.push(another.0),
                filled => return filled,
            }
        }
    }

    /// Begins an exchange that is none of HTTP, if what goes over the line is written down.
    pub fn note(&mut self, identity: &Value, clock: Clock, at: Moment) -> Option<Slot> {
        match self {
            AgentLine::Record(recorder) => Some(recorder.begin(HttpMethod::Post, identity, clock, at)),
            AgentLine::Live | AgentLine::Replay(_) => None,
        }
    }

    /// The recorded answer of such an exchange and when it came; nothing if this is no replay.
    pub fn recall(&mut self, identity: &Value, clock: Clock) -> Option<Result<(Bytes, Moment), ExchangeError>> {
        match self {
            AgentLine::Replay(player) => Some(player.recall(identity, clock)),
            AgentLine::Live | AgentLine::Record(_) => None,
        }
    }

    /// What someone else saw of the agent before a moment of a replay, and when: one thing at a time.
    pub fn seen(&mut self, until: Option<Moment>, clock: Clock) -> Option<(Value, Moment)> {
        let AgentLine::Replay(player) = self else { return None };
        let (what, at_us) = player.seen(until.map_or(u64::MAX, |until| until.offset_us))?;
        Some((what, clock.after(at_us)))
    }

    /// The moment of the request that is sent next: the present one, or in a replay the recorded one. What a driver concludes
    /// before it sends it bears the same moment, so that a replay is dated as the recording was.
    pub fn next(&self, clock: Clock) -> Moment {
        match self {
            AgentLine::Live | AgentLine::Record(_) => clock.now(),
            AgentLine::Replay(player) => clock.after(player.next().unwrap_or_else(|| player.position())),
        }
    }

    /// What the ids in requests are to be made from; in a replay they are those that were recorded.
    pub fn seed(&self) -> u64 {
        match self {
            AgentLine::Live => random_seed(),
            AgentLine::Record(recorder) => recorder.seed(),
            AgentLine::Replay(player) => player.seed,
        }
    }

    /// The present moment, by which a driver dates what it concludes itself. In a replay it is that of the last thing that was
    /// played.
    pub fn now(&self, clock: Clock) -> Moment {
        match self {
            AgentLine::Live | AgentLine::Record(_) => clock.now(),
            AgentLine::Replay(player) => clock.after(player.position()),
        }
    }
}
