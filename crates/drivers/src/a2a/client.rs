//! Sends one request to an A2A agent and reads the answer.

use std::time::Duration;

use agentci_plan::A2aKeys;
use agentci_protocols::a2a::{self, A2aCall, A2aError, A2aRefusal, Binding, cut, shown};
use agentci_trace::Moment;
use serde_json::{Value, json};

use super::auth::Credentials;
use super::driver::A2aTurn;
use super::refusal::check_card;
use crate::{DriveError, DriveResult};
use agentci_exchange::{AgentLine, Clock, ExchangeError, HttpMethod, Request, StreamedAnswer, UuidSource};

/// The size limit of an answer that is not a stream, in bytes.
const LARGEST: usize = 32 << 20;

/// Everything that is needed to send requests to an agent.
#[derive(Debug)]
pub(crate) struct A2aClient {
    pub(crate) line: AgentLine,
    pub(super) ids: UuidSource,
    pub(super) headers: Vec<(String, String)>,
    pub(super) credentials: Credentials,
    pub(super) timeout: Duration,
    /// Whether the agent's URL comes from a fetched card.
    pub(super) by_card: bool,
    /// The names of the target's keys, for messages.
    pub(super) keys: A2aKeys,
}

pub(super) enum A2aReply {
    /// Items, as they arrive.
    Stream(Box<StreamedAnswer>),
    /// A single result, and when it was complete.
    Whole(Value, Moment),
    Refused(A2aRefusal, Moment),
}

impl A2aClient {
    /// Calls the agent; `at` comes from [`AgentLine::next`]. A refused token is renewed once.
    pub(super) async fn call(
        &mut self,
        call: A2aCall<'_>,
        mut at: Moment,
        turn: &A2aTurn<'_, '_>,
    ) -> DriveResult<A2aReply> {
        let (interface, clock) = (&turn.agent.interface, turn.sink.clock());
        let mut renewed = false;
        loop {
            let prepared = call.prepare(interface, &mut || self.ids.fresh());
            let request = Request {
                url: prepared.url,
                method: match prepared.method {
                    a2a::A2aMethod::Post => HttpMethod::Post,
                    a2a::A2aMethod::Get => HttpMethod::Get,
                },
                headers: prepared.headers,
                body: prepared.body,
                identity: prepared.identity,
                timeout: turn.left(at),
            };
            let mut answer = self.send(request, true, clock, at).await.map_err(|error| match error {
                DriveError::NoServer(words) if self.by_card => {
                    DriveError::NoServer(format!("{words}; the address comes from the agent card"))
                }
                error => error,
            })?;
            let good = (200..300).contains(&answer.status);
            if good && answer.content_type() == "text/event-stream" {
                return Ok(A2aReply::Stream(Box::new(answer)));
            }
            let (body, over) = answer.body(LARGEST).await.map_err(|error| late(error, self.timeout))?;
            if answer.status == 401 && !renewed && self.credentials.forget() {
                renewed = true;
                self.credentials.get_ready(self.timeout).await?;
                at = self.line.next(clock);
                continue;
            }
            if !good {
                return Ok(A2aReply::Refused(A2aRefusal::http(answer.status, &body), over));
            }
            let value = parse(&body)?;
            return Ok(match A2aRefusal::of(&value) {
                Some(refusal) => A2aReply::Refused(refusal, over),
                None => A2aReply::Whole(result(value, interface.protocol.binding)?, over),
            });
        }
    }

    /// Fetches a card. Most cards are public; a request that is answered with 401 is repeated with credentials.
    pub(super) async fn card(&mut self, url: &str, clock: Clock) -> DriveResult<Value> {
        let mut known = false;
        if self.credentials.are_shown_on_connecting() {
            self.credentials.get_ready(self.timeout).await?;
        }
        loop {
            let at = self.line.next(clock);
            let request = Request {
                url: url.to_owned(),
                method: HttpMethod::Get,
                headers: vec![("accept".into(), "application/json".into())],
                body: String::new(),
                identity: json!({ "call": "card" }),
                timeout: self.timeout,
            };
            if known {
                self.credentials.get_ready(self.timeout).await?;
            }
            let mut answer = self.send(request, known, clock, at).await?;
            let (body, _) = answer.body(LARGEST).await.map_err(|error| late(error, self.timeout))?;
            if answer.status == 401 && !known && self.credentials.exist() {
                known = true;
                continue;
            }
            if (200..300).contains(&answer.status) {
                let message = || format!("the agent card is not JSON: {}", excerpt(&body));
                return parse(&body).map_err(|_| DriveError::protocol(message(), check_card(self.keys)));
            }
            let refusal = A2aRefusal::http(answer.status, &body);
            return Err(DriveError::Refused {
                message: format!("the agent card could not be fetched: {refusal}"),
                help: check_card(self.keys),
            });
        }
    }

    /// Waits, except in a replay.
    pub(super) async fn wait(&self, time: Duration) {
        if !matches!(self.line, AgentLine::Replay(_)) {
            tokio::time::sleep(time).await;
        }
    }

    async fn send(
        &mut self,
        mut request: Request,
        known: bool,
        clock: Clock,
        at: Moment,
    ) -> DriveResult<StreamedAnswer> {
        if known {
            self.credentials.apply(&mut request.url, &mut request.headers);
        }
        request.headers.extend(self.headers.iter().cloned());
        let sent = self.line.send_as(&request, clock, at, self.credentials.certificate.as_ref()).await;
        sent.map_err(|error| late(error, self.timeout))
    }
}

/// The error of an exchange. A timeout is reported with the limit of the whole turn, not with the time that was left.
pub(super) fn late(error: ExchangeError, timeout: Duration) -> DriveError {
    match error {
        ExchangeError::Timeout { .. } => DriveError::Timeout { after: timeout },
        error => error.into(),
    }
}

fn parse(body: &[u8]) -> Result<Value, A2aError> {
    serde_json::from_slice(body).map_err(|_| A2aError(format!("the answer is not JSON: {}", excerpt(body))))
}

/// The content of an answer, without the JSON-RPC envelope.
pub(super) fn result(mut value: Value, binding: Binding) -> Result<Value, A2aError> {
    if binding == Binding::Rest {
        return Ok(value);
    }
    let result = value.get_mut("result").map(Value::take);
    result.ok_or_else(|| {
        A2aError(format!("the answer is not JSON-RPC: it has neither `result` nor `error`: {}", shown(&value)))
    })
}

fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    if text.trim().is_empty() { "it is empty".into() } else { cut(text.trim(), 200) }
}
