//! The connection to an agent: live, recorded or replayed.

use std::time::Duration;

use agentci_plan::UnsetVariableError;
use agentci_trace::Moment;
use agentci_wire::http::{ClientCertificate, HttpMethod};
use bytes::Bytes;
use serde_json::Value;

use super::live;
use crate::{Clock, ExchangeError, ExchangePlayer, ExchangeRecorder, OpenExchange, StreamedAnswer, random_seed};

#[derive(Debug, Clone)]
pub struct Request {
    pub url: String,
    pub method: HttpMethod,
    /// The headers. Default `content-type`: JSON.
    pub headers: Vec<(String, String)>,
    /// The body as JSON text; empty for none.
    pub body: String,
    /// The identity by which a replay finds the request. It contains no generated ids.
    pub identity: Value,
    /// The timeout, from sending the request to the last byte of the answer.
    pub timeout: Duration,
}

/// The connection to an agent.
#[derive(Debug, Default)]
pub enum AgentLine {
    /// The network.
    #[default]
    Live,
    /// The network, with a recorder.
    Record(ExchangeRecorder),
    /// A recording.
    Replay(ExchangePlayer),
}

impl AgentLine {
    /// Sends a request and waits for the head of the answer. `at` is the result of [`next`](Self::next).
    pub async fn send(&mut self, request: &Request, clock: Clock, at: Moment) -> Result<StreamedAnswer, ExchangeError> {
        self.send_as(request, clock, at, None).await
    }

    /// Sends a request with a client certificate.
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
            // The status of a failure is enough; its body may be compressed.
            Some(coding) if (200..300).contains(&answer.status) => Err(ExchangeError::Compressed(coding.to_owned())),
            _ => Ok(answer),
        }
    }

    /// Fills in values that only a live agent needs. A replay must not need secrets and URLs, so unset variables are
    /// empty there.
    pub fn fill<T>(
        &self,
        lookup: &dyn Fn(&str) -> Option<String>,
        fill: impl Fn(&dyn Fn(&str) -> Option<String>) -> Result<T, UnsetVariableError>,
    ) -> Result<T, UnsetVariableError> {
        let mut unset = match (fill(lookup), self) {
            (Err(unset), AgentLine::Replay(_)) => vec![unset.0],
            (filled, _) => return filled,
        };
        // Variables with a default keep it: only those that turned out to be unset become empty.
        loop {
            let known = |name: &str| lookup(name).or_else(|| unset.iter().any(|one| one == name).then(String::new));
            match fill(&known) {
                Err(another) if !unset.contains(&another.0) => unset.push(another.0),
                filled => return filled,
            }
        }
    }

    /// Starts to record an exchange that is not HTTP, if the line is recorded.
    pub fn note(&mut self, identity: &Value, clock: Clock, at: Moment) -> Option<OpenExchange> {
        match self {
            AgentLine::Record(recorder) => Some(recorder.begin(HttpMethod::Post, identity, clock, at)),
            AgentLine::Live | AgentLine::Replay(_) => None,
        }
    }

    /// The recorded answer of an exchange that is not HTTP, and when it arrived; `None` if this is not a replay.
    pub fn recall(&mut self, identity: &Value, clock: Clock) -> Option<Result<(Bytes, Moment), ExchangeError>> {
        match self {
            AgentLine::Replay(player) => Some(player.recall(identity, clock)),
            AgentLine::Live | AgentLine::Record(_) => None,
        }
    }

    /// The next recorded observer event before a time, with its own time; `None` if this is not a replay.
    pub fn seen(&mut self, until: Option<Moment>, clock: Clock) -> Option<(Value, Moment)> {
        let AgentLine::Replay(player) = self else { return None };
        let (what, at_us) = player.seen(until.map_or(u64::MAX, |until| until.offset_us))?;
        Some((what, clock.after(at_us)))
    }

    /// The time of the next request: now, or the recorded one in a replay. Events that a driver adds before the request
    /// get the same time, so that a replay has the times of the recording.
    pub fn next(&self, clock: Clock) -> Moment {
        match self {
            AgentLine::Live | AgentLine::Record(_) => clock.now(),
            AgentLine::Replay(player) => clock.after(player.next().unwrap_or_else(|| player.position())),
        }
    }

    /// The seed of the ids in requests; the recorded one in a replay.
    pub fn seed(&self) -> u64 {
        match self {
            AgentLine::Live => random_seed(),
            AgentLine::Record(recorder) => recorder.seed(),
            AgentLine::Replay(player) => player.seed,
        }
    }

    /// The current time, for events that a driver adds itself. In a replay it is the time of the last replayed data.
    pub fn now(&self, clock: Clock) -> Moment {
        match self {
            AgentLine::Live | AgentLine::Record(_) => clock.now(),
            AgentLine::Replay(player) => clock.after(player.position()),
        }
    }
}
