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
use super::ids::numbered;
use super::journal::{JournalEntry, beginning};
use super::offer::{self, RequestOffer};
use super::ollama::OllamaForm;
use super::parsed_request::ParsedRequest;
use super::provider::Provider;
use super::refusal::ModelRefusal;
use super::routes::{ModelRoute, Route, is_probe};
use super::rule_engine::{AnswerFault, Decision, RuleEngine};
use super::sent_answers::DeliveryReport;
use super::strict;
use super::strict::messages::Before;
use super::{anthropic, gemini, keys, observation, ollama, openai, unscripted};
use agentci_wire::serve::{RequestBodyError, ServedBody, collect};

/// How a request is answered.
enum HttpReply {
    /// Without the script.
    Plain(Value),
    /// By the script: the endpoint, the decision, and the request.
    Decided(Box<(ModelRoute, Decision, ParsedRequest)>),
}

/// Answers any request.
pub(super) async fn respond(
    engine: &Arc<RuleEngine>,
    control: &Control,
    request: Request<Incoming>,
) -> Response<ServedBody> {
    let arrived = Instant::now();
    let (head, body) = request.into_parts();
    let found = Route::find(&head.method, head.uri.path(), head.uri.query());
    if let Ok(route) = &found
        && let Some(response) = control.answer(route, engine, &head)
    {
        return response;
    }
    let provider = Route::provider(found.as_ref().ok(), &head);
    let framing = found.as_ref().map(Route::framing).unwrap_or_default();
    let body = collect(body).await;
    let mut entry = JournalEntry {
        number: engine.begin(),
        unix_ms: now_ms(),
        provider: provider.name(),
        path: beginning(head.uri.path()),
        ..JournalEntry::default()
    };
    let request_id = numbered("req_", entry.number, 20);
    if let Err(refusal) = &found
        && !is_probe(&head.method, head.uri.path())
    {
        entry.troubles.push(ModelTrouble::new(TroubleKind::ModelMiss, refusal.message.clone()));
    }
    keys::look_at(engine, &head, &mut entry);
    let body = body.map_err(unread);
    let bytes = body.as_deref().unwrap_or_default();
    let answered = found.and_then(|route| {
        let path = head.uri.path();
        let exchange = ModelExchange { engine, route, provider, path, request_id: &request_id, arrived };
        let readable = body.as_ref().map_err(ModelRefusal::clone);
        let reply = readable.and_then(|body| exchange.reply(&head, body, &mut entry));
        let reply = reply.map_err(|refusal| exchange.refused(refusal, bytes))?;
        Ok((exchange, reply))
    });
    let response = match answered {
        Ok((exchange, reply)) => exchange.deliver(reply, entry, bytes).await,
        Err(refusal) => {
            entry.status = refusal.status;
            write_journal(engine, entry);
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
fn write_journal(engine: &RuleEngine, entry: JournalEntry) {
    let mut state = engine.state();
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
    engine: &'e Arc<RuleEngine>,
    route: Route,
    provider: Provider,
    path: &'e str,
    request_id: &'e str,
    arrived: Instant,
}

impl ModelExchange<'_> {
    fn reply(&self, head: &Parts, body: &[u8], entry: &mut JournalEntry) -> Result<HttpReply, ModelRefusal> {
        let Self { engine, provider, .. } = self;
        keys::authorize(engine, *provider, head)?;
        let plain = match &self.route {
            Route::Scripted(route) => return self.scripted(*route, body, entry),
            Route::Unscripted(route) => unscripted::answer(engine, *route, &self.read(body)?, body.len(), entry)?,
            Route::Models => openai::models::list(&engine.models(), *provider),
            Route::Model(name) => openai::models::one(&engine.models(), name, *provider)?,
            Route::Response(id) => openai::responses::again(engine.kept(id).as_ref(), id)?,
            Route::Ollama(state) => ollama::unscripted::state(*state, &engine.models()),
            Route::Telemetry => json!({}),
            Route::Journal | Route::Reset => {
                return Err(ModelRefusal::new(404, "this endpoint is answered before its body is read"));
            }
        };
        Ok(HttpReply::Plain(plain))
    }

    /// The body as JSON, with the model that the path names.
    fn read(&self, body: &[u8]) -> Result<Value, ModelRefusal> {
        let refusal = |error| ModelRefusal::new(400, format!("the request is not valid JSON: {error}"));
        // Checking the encoding once takes less time than checking that of each string.
        let request = match std::str::from_utf8(body) {
            Ok(text) => serde_json::from_str(text),
            Err(_) => serde_json::from_slice(body),
        };
        let request = request.map_err(|error| refusal(error).code("invalid_json"))?;
        // The paths of OpenAI name no model.
        Ok(if self.provider == Provider::OpenAi { request } else { with_model(request, self.path) })
    }

    fn scripted(&self, route: ModelRoute, body: &[u8], entry: &mut JournalEntry) -> Result<HttpReply, ModelRefusal> {
        let request = self.read(body);
        if let (ModelRoute::Ollama(form), Ok(request)) = (route, &request)
            && ollama::loads(form, request)
        {
            entry.model = request["model"].as_str().map(beginning);
            return Ok(HttpReply::Plain(ollama::unscripted::loaded(form, request, entry.unix_ms / 1000)));
        }
        match request.and_then(|request| self.decide(route, &request, body, entry)) {
            Ok((decision, parsed)) => Ok(HttpReply::Decided(Box::new((route, decision, parsed)))),
            Err(refusal) => {
                if self.engine.is_strict() {
                    let message = format!("{} would refuse a request: {}", self.provider.title(), refusal.told());
                    entry.troubles.push(ModelTrouble::new(TroubleKind::ProviderWouldRefuse, message));
                }
                Err(refusal)
            }
        }
    }

    /// The script's decision on a request that its provider would accept.
    fn decide(
        &self,
        route: ModelRoute,
        request: &Value,
        body: &[u8],
        entry: &mut JournalEntry,
    ) -> Result<(Decision, ParsedRequest), ModelRefusal> {
        let engine = self.engine;
        // A request that is not an object is refused when it is read.
        if engine.is_strict() && matches!(request, Value::Object(_)) {
            let mut warnings = Vec::new();
            match route {
                ModelRoute::Chat => strict::chat::check(request, &mut warnings)?,
                ModelRoute::Responses => strict::responses::check(request)?,
                ModelRoute::Messages => {
                    let thread = strict::messages::continued(request);
                    let before = thread
                        .map_or(Before::Nothing, |id| engine.last_calls(id).map_or(Before::Unknown, Before::Calls));
                    strict::messages::check(request, &before)?;
                }
                ModelRoute::Gemini(_) => strict::gemini::check(request)?,
                ModelRoute::Ollama(_) => strict::ollama::check(request)?,
            }
            let warning = |message| ModelTrouble::warning(TroubleKind::ProviderWouldRefuse, message);
            entry.troubles.extend(warnings.into_iter().map(warning));
        }
        let mut parsed = match route {
            ModelRoute::Chat => openai::chat::read(request)?,
            ModelRoute::Responses => openai::responses::read(request)?,
            ModelRoute::Messages => anthropic::read(request, false)?,
            ModelRoute::Gemini(form) => gemini::read(request, form.is_streamed())?,
            ModelRoute::Ollama(OllamaForm::Chat) => ollama::read_chat(request)?,
            ModelRoute::Ollama(OllamaForm::Generate) => ollama::read_generate(request)?,
        };
        entry.model = parsed.model.as_deref().map(beginning);
        entry.stream = parsed.stream;
        entry.tool_results.clone_from(&parsed.results);
        engine.look_closer(&mut parsed, body);
        engine.resume(&mut parsed)?;
        if engine.is_strict() && route == ModelRoute::Responses {
            strict::responses::paired(&parsed.items, &parsed.earlier)?;
        }
        let (decision, rule) = engine.decide(&parsed, body.len(), entry);
        if let Decision::Say(answer, None) = &decision
            && !engine.misbehaves(rule)
        {
            let offer = RequestOffer::read(route, request, parsed.tools.as_deref(), parsed.thread.is_some());
            entry.troubles.extend(offer.troubles(answer, rule));
            let wanted = rule.map(|rule| engine.script.rules[rule].tool_calls.as_slice()).unwrap_or_default();
            entry.troubles.extend(offer::beside_function(answer, wanted).map(|trouble| trouble.of_rule(rule)));
        }
        Ok((decision, parsed))
    }

    /// Records the answer in the journal, and sends it when it is due.
    async fn deliver(&self, reply: HttpReply, mut entry: JournalEntry, body: &[u8]) -> Response<ServedBody> {
        entry.status = 200;
        let (route, decision, parsed) = match reply {
            HttpReply::Plain(value) => {
                write_journal(self.engine, entry);
                return json_response(value.to_string().into_bytes());
            }
            HttpReply::Decided(decided) => *decided,
        };
        match &decision {
            Decision::Say(answer, None) => {
                entry.tool_calls.clone_from(&answer.calls);
                let mut ids = Vec::new();
                if route == ModelRoute::Responses {
                    self.engine.keep(answer);
                    ids.push(answer.id("resp_"));
                    ids.extend(parsed.conversation.clone());
                } else if parsed.in_thread {
                    ids.push(answer.id("msg_"));
                }
                for id in ids {
                    self.engine.remember(id, &parsed, parsed.turn(), answer.text.as_deref(), &answer.calls);
                }
            }
            Decision::Say(_, Some(AnswerFault::Hang)) => entry.status = 0,
            Decision::Say(_, Some(_)) => {}
            Decision::Refuse(refusal, _) => entry.status = refusal.status,
        }
        let telling = self.observe(route, &decision, &parsed, body, &entry);
        write_journal(self.engine, entry);
        match decision {
            Decision::Say(_, Some(AnswerFault::Hang)) => std::future::pending().await,
            Decision::Say(answer, fault) => {
                let response = say(route, &answer, parsed.stream, self.arrived, fault).await;
                match telling {
                    Some(telling) => response.map(|speech| speech.told_to(Box::new(telling))),
                    None => response,
                }
            }
            Decision::Refuse(refusal, latency) => {
                if latency > Duration::ZERO {
                    wait(self.arrived, latency).await;
                }
                refuse(&refusal, self.provider, self.request_id, route.framing())
            }
        }
    }

    /// Reports the exchange to the observer. A paced answer is reported when it has been sent, by the returned value.
    fn observe(
        &self,
        route: ModelRoute,
        decision: &Decision,
        parsed: &ParsedRequest,
        body: &[u8],
        entry: &JournalEntry,
    ) -> Option<DeliveryReport> {
        let request = || self.traced(route, body);
        let state = &mut *self.engine.state();
        state.observer.as_ref()?;
        state.tell_asked(&parsed.results);
        let observer = state.observer.as_mut()?;
        observer.results(parsed, entry.number);
        match decision {
            Decision::Say(answer, None) if answer.pace.is_immediate() => {
                observer.answer(request(), whole(route, answer), answer);
            }
            Decision::Say(answer, None) => {
                return Some(DeliveryReport::begin(self.engine, state, entry.number, route, request(), answer));
            }
            Decision::Say(_, Some(fault)) => observer.refused(request(), json!({ "failure": fault.name() })),
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
    fn traced(&self, route: ModelRoute, body: &[u8]) -> Value {
        // An invalid body was refused; its trace has no request.
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        observation::traced(route.wire_api(), self.path, &body)
    }

    /// Reports a refused request to the observer.
    fn refused(&self, refusal: ModelRefusal, body: &[u8]) -> ModelRefusal {
        if let Route::Scripted(route) = self.route
            && let Some(observer) = &self.engine.state().observer
        {
            observer.refused(self.traced(route, body), refusal.body(self.provider, self.request_id));
        }
        refusal
    }
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
