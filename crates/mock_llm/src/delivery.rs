//! Turns an answer into an HTTP response: body, headers and timing.

use std::time::Duration;

use agentci_plan::AnswerPace;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;
use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use super::answer::SpokenAnswer;
use super::events::{AnswerEvents, Framing};
use super::openai::chat::ChatCompletion;
use super::provider::Provider;
use super::refusal::ModelRefusal;
use super::routes::ModelRoute;
use super::rule_engine::AnswerFault;
use super::{anthropic, gemini, ollama, openai};
use agentci_wire::serve::{PieceEnd, ServedBody};

/// The answer in the provider's format, with a fault if `fault` is set.
pub(super) async fn say(
    route: ModelRoute,
    answer: &SpokenAnswer,
    stream: bool,
    arrived: Instant,
    fault: Option<AnswerFault>,
) -> Response<ServedBody> {
    let pace = answer.pace;
    let Some(begin) = arrived.checked_add(pace.latency) else { return std::future::pending().await };
    if stream {
        let mut events = events(route, answer);
        if fault.is_some() {
            events.halve();
        }
        if fault == Some(AnswerFault::Malformed) {
            events.raw("{\"half of a");
        }
        if pace.latency > Duration::ZERO {
            sleep_until(begin).await;
        }
        let (bytes, marks) = events.into_parts();
        let at_once = pace.first_token.is_zero() && pace.tokens_per_second.is_none();
        let speech = if at_once { ServedBody::whole(bytes) } else { ServedBody::paced(bytes, due(marks, pace), begin) };
        let speech = if fault == Some(AnswerFault::Cut) { speech.cut() } else { speech };
        return event_response(speech, route.framing());
    }
    // Large enough for most answers.
    let mut bytes = Vec::with_capacity(1024);
    serde_json::to_writer(&mut bytes, &WholeAnswer::of(route, answer)).expect("strings and numbers serialize as JSON");
    if !pace.is_immediate() {
        // An answer that is not streamed is sent when its last token is due.
        wait(begin, pace.due(answer.spoken())).await;
    }
    if fault.is_some() {
        bytes.truncate(bytes.len() / 2);
    }
    let response = json_response(bytes);
    if fault == Some(AnswerFault::Cut) { response.map(ServedBody::cut) } else { response }
}

/// The marks with their due times. Data before the first token is due at once.
fn due(mut marks: Vec<PieceEnd>, pace: AnswerPace) -> Vec<PieceEnd> {
    for mark in marks.iter_mut().filter(|mark| mark.tokens > 0) {
        mark.after = pace.due(mark.tokens);
    }
    marks
}

/// Waits until `after` has passed since `from`; forever if that time cannot be represented.
pub(super) async fn wait(from: Instant, after: Duration) {
    match from.checked_add(after) {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// A whole answer in its provider's format.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum WholeAnswer<'a> {
    Chat(ChatCompletion<'a>),
    Other(Value),
}

impl<'a> WholeAnswer<'a> {
    fn of(route: ModelRoute, answer: &'a SpokenAnswer) -> Self {
        match route {
            ModelRoute::Chat => Self::Chat(openai::chat::whole(answer)),
            ModelRoute::Responses => Self::Other(openai::responses::whole(answer)),
            ModelRoute::Messages => Self::Other(anthropic::whole(answer)),
            ModelRoute::Gemini(_) => Self::Other(gemini::whole(answer)),
            ModelRoute::Ollama(form) => Self::Other(ollama::whole(answer, form)),
        }
    }
}

/// A whole answer as a JSON value, for the trace.
pub(super) fn whole(route: ModelRoute, answer: &SpokenAnswer) -> Value {
    serde_json::to_value(WholeAnswer::of(route, answer)).expect("strings and numbers serialize as JSON")
}

fn events(route: ModelRoute, answer: &SpokenAnswer) -> AnswerEvents {
    match route {
        ModelRoute::Chat => openai::chat_stream::events(answer),
        ModelRoute::Responses => openai::responses_stream::events(answer),
        ModelRoute::Messages => anthropic::events(answer),
        ModelRoute::Gemini(form) => gemini::events(answer, form.framing()),
        ModelRoute::Ollama(form) => ollama::events(answer, form),
    }
}

fn event_response(speech: ServedBody, framing: Framing) -> Response<ServedBody> {
    let mut response = Response::new(speech);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(framing.content_type()));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

pub(super) fn json_response(bytes: Vec<u8>) -> Response<ServedBody> {
    let mut response = Response::new(ServedBody::whole(bytes));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// An error response. Its body is wrapped in a list if the events of a stream would be the items of a list.
pub(super) fn refuse(
    refusal: &ModelRefusal,
    provider: Provider,
    request_id: &str,
    framing: Framing,
) -> Response<ServedBody> {
    let body = refusal.body(provider, request_id);
    let body = if framing == Framing::List { Value::Array(vec![body]) } else { body };
    let mut response = json_response(body.to_string().into_bytes());
    *response.status_mut() = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    if let Some(time) = refusal.retry_after {
        let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
        headers.insert("retry-after", seconds.into());
        if time.subsec_nanos() > 0 {
            // The standard header has whole seconds only; SDKs prefer this one.
            headers.insert("retry-after-ms", u64::try_from(time.as_millis()).unwrap_or(u64::MAX).into());
        }
    }
    if let Some(allow) = refusal.allow {
        headers.insert("allow", HeaderValue::from_static(allow));
    }
    response
}

/// Adds the header with the id of the request.
pub(super) fn stamped(
    mut response: Response<ServedBody>,
    provider: Provider,
    request_id: String,
) -> Response<ServedBody> {
    if let Ok(value) = HeaderValue::try_from(request_id) {
        response.headers_mut().insert(HeaderName::from_static(provider.request_id_header()), value);
    }
    response
}
