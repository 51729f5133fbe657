//! One request and its answer, from the first byte read to the body that is sent.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::{Request, Response};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::answer::{ID_DIGITS, numbered};
use super::asked::Asked;
use super::control::Control;
use super::delivery::{at_once, json_response, refuse, say, stamped, wait, whole};
use super::journal::{Entry, beginning};
use super::json::Json;
use super::mind::{Decision, Mind, Spoilt};
use super::provider::Provider;
use super::refusal::Refusal;
use super::routes::Route;
use super::{anthropic, openai, tokens};
use crate::serve::{Speech, Unread, collect};

/// What is answered.
enum Reply {
    /// Something that no rule decides.
    Plain(Value),
    Decided(Box<Decided>),
}

struct Decided {
    decision: Decision,
    asked: Asked,
    /// The request as it came.
    body: Vec<u8>,
}

/// Answers a request, whatever it is.
pub(super) async fn respond(mind: &Mind, control: &Control, request: Request<Incoming>) -> Response<Speech> {
    let arrived = Instant::now();
    let (head, body) = request.into_parts();
    let found = Route::find(&head.method, head.uri.path());
    if let Ok(route) = &found
        && let Some(response) = control.answer(route, mind, &head)
    {
        return response;
    }
    let provider = Route::provider(found.as_ref().ok(), head.uri.path(), &head.headers);
    let body = collect(body).await;
    let mut entry = Entry {
        number: mind.begin(),
        unix_ms: now_ms(),
        provider: provider.name(),
        path: beginning(head.uri.path()),
        ..Entry::default()
    };
    let request_id = numbered("req_", entry.number, 20);
    let answered = found.and_then(|route| {
        let reply = reply(mind, &route, provider, &head, body.map_err(unread)?, &mut entry)?;
        Ok((route, reply))
    });
    let response = match answered {
        Ok((route, reply)) => {
            let exchange = Exchange { mind, route, provider, request_id: &request_id, arrived };
            exchange.deliver(reply, entry).await
        }
        Err(refusal) => {
            entry.status = refusal.status;
            mind.state().journal.push(entry);
            refuse(&refusal, provider, &request_id)
        }
    };
    stamped(response, provider, request_id)
}

fn unread(why: Unread) -> Refusal {
    let refusal = Refusal::new(why.status(), why.to_string());
    if why == Unread::TooLarge { refusal.code("request_too_large") } else { refusal }
}

/// What is answered, or why nothing is.
fn reply(
    mind: &Mind,
    route: &Route,
    provider: Provider,
    head: &Parts,
    body: Vec<u8>,
    entry: &mut Entry,
) -> Result<Reply, Refusal> {
    authorize(mind, provider, head)?;
    match route {
        Route::Models => return Ok(Reply::Plain(openai::models::list(&mind.models(), provider))),
        Route::Model(name) => return openai::models::one(&mind.models(), name, provider).map(Reply::Plain),
        _ => {}
    }
    let bytes = body.len();
    let request = Json::parse(&body)
        .map_err(|error| Refusal::new(400, format!("the request is not valid JSON: {error}")).code("invalid_json"))?;
    let mut asked = match route {
        Route::Chat => openai::chat::read(&request)?,
        Route::Responses => openai::responses::read(&request)?,
        Route::Conversations => {
            let begun = openai::conversations::read(&request)?;
            let id = numbered("conv_", entry.number, ID_DIGITS);
            mind.remember(id.clone(), &begun, begun.answers);
            return Ok(Reply::Plain(openai::conversations::begun(&id, entry.unix_ms / 1000)));
        }
        Route::Messages => anthropic::read(&request, false)?,
        Route::CountTokens => {
            anthropic::read(&request, true)?;
            return Ok(Reply::Plain(json!({ "input_tokens": tokens::estimate(bytes) })));
        }
        _ => {
            entry.model = request.get("model").and_then(Json::as_str).map(beginning);
            let model = mind.script().model.as_deref().unwrap_or("embedding-test");
            return openai::embeddings::answer(&request, model).map(Reply::Plain);
        }
    };
    entry.model = asked.model.as_deref().map(beginning);
    entry.stream = asked.stream;
    entry.tool_results.clone_from(&asked.results);
    mind.resume(&mut asked)?;
    let decision = mind.decide(&asked, bytes, entry);
    drop(request);
    Ok(Reply::Decided(Box::new(Decided { decision, asked, body })))
}

fn authorize(mind: &Mind, provider: Provider, head: &Parts) -> Result<(), Refusal> {
    let Some(wanted) = &mind.script().api_key else { return Ok(()) };
    match Provider::key(&head.headers) {
        Some(key) if key == wanted => Ok(()),
        Some(_) => Err(Refusal::new(401, "incorrect API key provided: the script demands another")),
        None => Err(Refusal::new(
            401,
            match provider {
                Provider::OpenAi => "you did not provide an API key: send `authorization: Bearer KEY`",
                Provider::Anthropic => "x-api-key header is required",
            },
        )),
    }
}

/// A request that was understood.
struct Exchange<'e> {
    mind: &'e Mind,
    route: Route,
    provider: Provider,
    request_id: &'e str,
    arrived: Instant,
}

impl Exchange<'_> {
    /// Writes down what is answered and answers, at the moment it is due.
    async fn deliver(&self, reply: Reply, mut entry: Entry) -> Response<Speech> {
        entry.status = 200;
        let Decided { decision, asked, body } = match reply {
            Reply::Plain(value) => {
                self.mind.state().journal.push(entry);
                return json_response(value.to_string().into_bytes());
            }
            Reply::Decided(decided) => *decided,
        };
        match &decision {
            Decision::Say(answer) => {
                entry.tool_calls.clone_from(&answer.calls);
                if self.route == Route::Responses {
                    self.mind.remember(openai::responses::id(answer), &asked, asked.turn());
                    if let Some(id) = &asked.conversation {
                        self.mind.remember(id.clone(), &asked, asked.turn());
                    }
                }
            }
            Decision::Spoil(Spoilt::Hang, _) => entry.status = 0,
            Decision::Spoil(..) => {}
            Decision::Refuse(refusal, _) => entry.status = refusal.status,
        }
        self.observe(&decision, &asked, &body);
        self.mind.state().journal.push(entry);
        match decision {
            Decision::Say(answer) if answer.pace.is_immediate() => {
                at_once(self.mind.templates().bytes(&self.route, &answer, asked.stream), asked.stream)
            }
            Decision::Say(answer) => {
                let response = say(&self.route, &answer, asked.stream, self.arrived, None).await;
                let unsent = self.mind.state().observer.as_ref().and_then(|observer| observer.unsent(&answer));
                match unsent.filter(|_| asked.stream) {
                    Some(unsent) => response.map(|speech| speech.watched(unsent)),
                    None => response,
                }
            }
            Decision::Spoil(Spoilt::Hang, _) => std::future::pending().await,
            Decision::Spoil(spoilt, answer) => {
                say(&self.route, &answer, asked.stream, self.arrived, Some(spoilt)).await
            }
            Decision::Refuse(refusal, latency) => {
                if latency > Duration::ZERO {
                    wait(self.arrived, latency).await;
                }
                refuse(&refusal, self.provider, self.request_id)
            }
        }
    }

    /// Tells who listens what passed over the wire.
    fn observe(&self, decision: &Decision, asked: &Asked, body: &[u8]) {
        let state = &mut *self.mind.state();
        let Some(observer) = &mut state.observer else { return };
        let request: Value = serde_json::from_slice(body).unwrap_or_default();
        observer.results(&asked.results);
        match decision {
            Decision::Say(answer) => {
                let response = serde_json::from_slice(&whole(&self.route, answer)).unwrap_or_default();
                observer.answer(request, response, answer);
            }
            Decision::Spoil(spoilt, _) => observer.refused(request, json!({ "failure": spoilt.name() })),
            Decision::Refuse(refusal, _) => observer.refused(request, refusal.body(self.provider, self.request_id)),
        }
    }
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
