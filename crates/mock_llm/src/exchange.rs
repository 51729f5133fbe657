//! Handles one request, from reading it to sending the response.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agentci_protocols::chat::model_in_path;
use agentci_trace::{ModelTrouble, TroubleKind};
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::{Request, Response};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::control::Control;
use super::delivery::{json_response, refuse, say, stamped, wait, whole};
use super::journal::{JournalEntry, beginning};
use super::offer::{self, RequestOffer};
use super::parsed_request::ParsedRequest;
use super::provider::Provider;
use super::refusal::ModelRefusal;
use super::routes::{Route, is_probe};
use super::rule_engine::{AnswerFault, Decision, RuleEngine};
use super::sent_answers::Telling;
use super::strict;
use super::strict::messages::Before;
use super::{anthropic, gemini, keys, observation, ollama, openai, unscripted};
use agentci_wire::serve::{RequestBodyError, ServedBody, collect};

/// How a request is answered.
enum HttpReply {
    /// Without the script.
    Plain(Value),
    /// By the script: the decision, and the request.
    Decided(Box<(Decision, ParsedRequest)>),
}

/// Answers any request.
pub(super) async fn respond(
    mind: &Arc<RuleEngine>,
    control: &Control,
    request: Request<Incoming>,
) -> Response<ServedBody> {
    let arrived = Instant::now();
    let (head, body) = request.into_parts();
    let found = Route::find(&head.method, head.uri.path(), head.uri.query());
    if let Ok(route) = &found
        && let Some(response) = control.answer(route, mind, &head)
    {
        return response;
    }
    let provider = Route::provider(found.as_ref().ok(), &head);
    let framing = found.as_ref().map(Route::framing).unwrap_or_default();
    let body = collect(body).await;
    let mut entry = JournalEntry {
        number: mind.begin(),
        unix_ms: now_ms(),
        provider: provider.name(),
        path: beginning(head.uri.path()),
        ..JournalEntry::default()
    };
    let request_id = format!("req_{:020}", entry.number);
    if let Err(refusal) = &found
        && !is_probe(&head.method, head.uri.path())
    {
        entry.troubles.push(ModelTrouble::new(TroubleKind::ModelMiss, refusal.message.clone()));
    }
    keys::look_at(mind, &head, &mut entry);
    let body = body.map_err(unread);
    let bytes = body.as_deref().unwrap_or_default();
    let answered = found.and_then(|route| {
        let path = head.uri.path();
        let exchange = ModelExchange { mind, route, provider, path, request_id: &request_id, arrived };
        let readable = body.as_ref().map_err(ModelRefusal::clone);
        let reply = readable.and_then(|body| exchange.reply(&head, body, &mut entry));
        let reply = reply.map_err(|refusal| exchange.refused(refusal, bytes))?;
        Ok((exchange, reply))
    });
    let response = match answered {
        Ok((exchange, reply)) => exchange.deliver(reply, entry, bytes).await,
        Err(refusal) => {
            entry.status = refusal.status;
            take_down(mind, entry);
            refuse(&refusal, provider, &request_id, framing)
        }
    };
    stamped(response, provider, request_id)
}

fn unread(why: RequestBodyError) -> ModelRefusal {
    let refusal = ModelRefusal::new(why.status(), why.to_string());
    if why == RequestBodyError::TooLarge { refusal.code("request_too_large") } else { refusal }
}

/// Adds the entry to the journal, and reports its troubles to the observer.
fn take_down(mind: &RuleEngine, entry: JournalEntry) {
    let mut state = mind.state();
    if let Some(observer) = &state.observer {
        entry.troubles.iter().cloned().for_each(|trouble| observer.trouble(trouble));
    }
    state.journal.push(entry);
}

/// Adds the model that the path names to the request, as for Gemini and Azure.
fn with_model(mut request: Value, path: &str) -> Value {
    if let (Value::Object(pairs), Some(model)) = (&mut request, model_in_path(path)) {
        pairs.insert("model".into(), model.into());
    }
    request
}

/// A request to a known route.
struct ModelExchange<'e> {
    mind: &'e Arc<RuleEngine>,
    route: Route,
    provider: Provider,
    path: &'e str,
    request_id: &'e str,
    arrived: Instant,
}

impl ModelExchange<'_> {
    /// The reply, or the refusal.
    fn reply(&self, head: &Parts, body: &[u8], entry: &mut JournalEntry) -> Result<HttpReply, ModelRefusal> {
        let Self { mind, route, provider, .. } = self;
        let provider = *provider;
        keys::authorize(mind, provider, head)?;
        match route {
            Route::Models => return Ok(HttpReply::Plain(openai::models::list(&mind.models(), provider))),
            Route::Model(name) => return openai::models::one(&mind.models(), name, provider).map(HttpReply::Plain),
            Route::Response(id) => return openai::responses::again(mind.kept(id).as_ref(), id).map(HttpReply::Plain),
            Route::Telemetry => return Ok(HttpReply::Plain(json!({}))),
            Route::Ollama(endpoint) => {
                if let Some(value) = ollama::unscripted::plain(*endpoint, &mind.models()) {
                    return Ok(HttpReply::Plain(value));
                }
            }
            _ => {}
        }
        let request =
            serde_json::from_slice::<Value>(body).map(|request| with_model(request, head.uri.path())).map_err(
                |error| ModelRefusal::new(400, format!("the request is not valid JSON: {error}")).code("invalid_json"),
            );
        if let (Route::Ollama(endpoint), Ok(request)) = (route, &request)
            && ollama::loads(*endpoint, request)
        {
            entry.model = request["model"].as_str().map(beginning);
            return Ok(HttpReply::Plain(ollama::unscripted::loaded(*endpoint, request, entry.unix_ms / 1000)));
        }
        if route.asks_model() {
            let decided = request.and_then(|request| self.decide(&request, body, entry));
            return decided.map(|decided| HttpReply::Decided(Box::new(decided))).inspect_err(|refusal| {
                if mind.is_strict() {
                    let message = format!("{} would refuse a request: {}", provider.title(), refusal.told());
                    entry.troubles.push(ModelTrouble::new(TroubleKind::ProviderWouldRefuse, message));
                }
            });
        }
        unscripted::answer(mind, route, &request?, body.len(), entry).map(HttpReply::Plain)
    }

    /// The script's decision on a request that its provider would accept.
    fn decide(
        &self,
        request: &Value,
        body: &[u8],
        entry: &mut JournalEntry,
    ) -> Result<(Decision, ParsedRequest), ModelRefusal> {
        let Self { mind, route, .. } = self;
        // A request that is not an object is refused when it is read.
        if mind.is_strict() && matches!(request, Value::Object(_)) {
            let mut warnings = Vec::new();
            match route {
                Route::Responses => strict::responses::check(request)?,
                Route::Messages => {
                    let thread = strict::messages::continued(request);
                    let before =
                        thread.map_or(Before::Nothing, |id| mind.last_calls(id).map_or(Before::Unknown, Before::Calls));
                    strict::messages::check(request, &before)?;
                }
                Route::Gemini(_) => strict::gemini::check(request)?,
                Route::Ollama(_) => strict::ollama::check(request)?,
                _ => strict::chat::check(request, &mut warnings)?,
            }
            let warning = |message| ModelTrouble::warning(TroubleKind::ProviderWouldRefuse, message);
            entry.troubles.extend(warnings.into_iter().map(warning));
        }
        let mut asked = match route {
            Route::Responses => openai::responses::read(request)?,
            Route::Messages => anthropic::read(request, false)?,
            Route::Gemini(verb) => gemini::read(request, matches!(verb, gemini::Verb::Stream { .. }))?,
            Route::Ollama(ollama::OllamaEndpoint::Generate) => ollama::read_generate(request)?,
            Route::Ollama(_) => ollama::read_chat(request)?,
            _ => openai::chat::read(request)?,
        };
        entry.model = asked.model.as_deref().map(beginning);
        entry.stream = asked.stream;
        entry.tool_results.clone_from(&asked.results);
        mind.look_closer(&mut asked, body);
        mind.resume(&mut asked)?;
        if mind.is_strict() && *route == Route::Responses {
            strict::responses::paired(&asked.items, &asked.earlier)?;
        }
        let (decision, rule) = mind.decide(&asked, body.len(), entry);
        if let Decision::Say(answer, None) = &decision
            && !mind.misbehaves(rule)
        {
            let offer = RequestOffer::read(route, request, asked.tools.as_deref(), asked.thread.is_some());
            entry.troubles.extend(offer.troubles(answer, rule));
            let wanted = rule.map(|rule| mind.script.rules[rule].tool_calls.as_slice()).unwrap_or_default();
            entry.troubles.extend(offer::beside_function(answer, wanted).map(|trouble| trouble.of_rule(rule)));
        }
        Ok((decision, asked))
    }

    /// Records the answer in the journal, and sends it when it is due.
    async fn deliver(&self, reply: HttpReply, mut entry: JournalEntry, body: &[u8]) -> Response<ServedBody> {
        entry.status = 200;
        let (decision, asked) = match reply {
            HttpReply::Plain(value) => {
                take_down(self.mind, entry);
                return json_response(value.to_string().into_bytes());
            }
            HttpReply::Decided(decided) => *decided,
        };
        match &decision {
            Decision::Say(answer, None) => {
                entry.tool_calls.clone_from(&answer.calls);
                let mut ids = Vec::new();
                if self.route == Route::Responses {
                    self.mind.keep(answer);
                    ids.push(answer.id("resp_"));
                    ids.extend(asked.conversation.clone());
                } else if asked.in_thread {
                    ids.push(answer.id("msg_"));
                }
                for id in ids {
                    self.mind.remember(id, &asked, asked.turn(), answer.text.as_deref(), &answer.calls);
                }
            }
            Decision::Say(_, Some(AnswerFault::Hang)) => entry.status = 0,
            Decision::Say(_, Some(_)) => {}
            Decision::Refuse(refusal, _) => entry.status = refusal.status,
        }
        let telling = self.observe(&decision, &asked, body, &entry);
        take_down(self.mind, entry);
        match decision {
            Decision::Say(_, Some(AnswerFault::Hang)) => std::future::pending().await,
            Decision::Say(answer, spoilt) => {
                let response = say(&self.route, &answer, asked.stream, self.arrived, spoilt).await;
                match telling {
                    Some(telling) => response.map(|speech| speech.told_to(Box::new(telling))),
                    None => response,
                }
            }
            Decision::Refuse(refusal, latency) => {
                if latency > Duration::ZERO {
                    wait(self.arrived, latency).await;
                }
                refuse(&refusal, self.provider, self.request_id, self.route.framing())
            }
        }
    }

    /// Reports the exchange to the observer. A paced answer is reported when it has been sent, by the returned value.
    fn observe(
        &self,
        decision: &Decision,
        asked: &ParsedRequest,
        body: &[u8],
        entry: &JournalEntry,
    ) -> Option<Telling> {
        let request = || self.traced(body);
        let state = &mut *self.mind.state();
        state.observer.as_ref()?;
        state.tell_asked(&asked.results);
        let observer = state.observer.as_mut()?;
        observer.results(asked, entry.number);
        match decision {
            Decision::Say(answer, None) if answer.pace.is_immediate() => {
                observer.answer(request(), whole(&self.route, answer), answer);
            }
            Decision::Say(answer, None) => {
                return Some(Telling::begin(self.mind, state, entry.number, self.route.clone(), request(), answer));
            }
            Decision::Say(_, Some(spoilt)) => observer.refused(request(), json!({ "failure": spoilt.name() })),
            Decision::Refuse(refusal, _) => {
                // A simulated failure is marked, so that a retry of the same request is not counted as another call.
                let mut response = refusal.body(self.provider, self.request_id);
                if let Some(failure) = entry.failure {
                    response["failure"] = json!(failure);
                }
                observer.refused(request(), response);
            }
        }
        None
    }

    /// The request as it appears in a trace: with its model, which the path may name.
    fn traced(&self, body: &[u8]) -> Value {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        observation::traced(self.route.wire_api(), self.path, &body)
    }

    /// Reports a refused request to the observer.
    fn refused(&self, refusal: ModelRefusal, body: &[u8]) -> ModelRefusal {
        if self.route.asks_model()
            && let Some(observer) = &self.mind.state().observer
        {
            observer.refused(self.traced(body), refusal.body(self.provider, self.request_id));
        }
        refusal
    }
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
