//! One request and its answer.

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

/// The most bytes of an answer that is no stream.
const LARGEST: usize = 32 << 20;

/// How to ask an agent.
#[derive(Debug)]
pub(crate) struct A2aAsk {
    pub(crate) line: AgentLine,
    pub(super) ids: UuidSource,
    pub(super) headers: Vec<(String, String)>,
    pub(super) credentials: Credentials,
    pub(super) timeout: Duration,
    /// Whether the agent's address is from a card that was fetched.
    pub(super) by_card: bool,
    /// What messages call the keys of the target.
    pub(super) keys: A2aKeys,
}

/// What comes back.
pub(super) enum A2aReply {
    /// Items, as they come.
    Stream(Box<StreamedAnswer>),
    /// One result, and when it was complete.
    Whole(Value, Moment),
    /// The agent will not.
    Refused(A2aRefusal, Moment),
}

impl A2aAsk {
    /// Calls the agent at a moment that the line told. A token that is refused is renewed once.
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
                    DriveError::NoServer(format!("{words}; this is the address that the agent card names"))
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

    /// Fetches a card. Most are for everybody; one that is not is asked for again with credentials.
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
                let message = || format!("the agent card is no JSON: {}", excerpt(&body));
                return parse(&body).map_err(|_| DriveError::protocol(message(), check_card(self.keys)));
            }
            let refusal = A2aRefusal::http(answer.status, &body);
            return Err(DriveError::Refused {
                message: format!("the agent card can not be had: {refusal}"),
                help: check_card(self.keys),
            });
        }
    }

    /// Waits, unless nobody is there to wait for.
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

/// An error of the exchange. Who is late is so for the whole turn, not for what was left of it.
pub(super) fn late(error: ExchangeError, timeout: Duration) -> DriveError {
    match error {
        ExchangeError::Timeout { .. } => DriveError::Timeout { after: timeout },
        error => error.into(),
    }
}

fn parse(body: &[u8]) -> Result<Value, A2aError> {
    serde_json::from_slice(body).map_err(|_| A2aError(format!("the answer is no JSON: {}", excerpt(body))))
}

/// What an answer holds, without the envelope of JSON-RPC.
pub(super) fn result(value: Value, binding: Binding) -> Result<Value, A2aError> {
    match (binding, value) {
        (Binding::Rest, value) => Ok(value),
        (Binding::JsonRpc, Value::Object(mut envelope)) if envelope.contains_key("result") => {
            Ok(envelope.remove("result").unwrap_or_default())
        }
        (Binding::JsonRpc, value) => {
            Err(A2aError(format!("the answer is no JSON-RPC: it has neither `result` nor `error`: {}", shown(&value))))
        }
    }
}

fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    if text.trim().is_empty() { "it is empty".into() } else { cut(text.trim(), 200) }
}
