//! Reads an answer from its bytes.

use serde_json::Value;

use super::answer::{AnswerCall, ModelAnswer, WireApi, text};
use super::framing::{Framed, StreamEnd, read};
use super::{bedrock, cohere, gemini, messages, ollama, openai_chat, responses};

/// The maximum length of an error that is not JSON, in characters.
const ERROR_TEXT: usize = 500;

/// A whole answer, assembled from its events.
#[derive(Debug, Default)]
pub(super) struct Assembled {
    pub(super) whole: Value,
    /// Whether an event marked the end.
    pub(super) complete: bool,
}

impl Assembled {
    /// Reads the answer with the function of its provider.
    pub(super) fn read(self, fill: fn(&Value, &mut ModelAnswer)) -> ModelAnswer {
        let mut answer = ModelAnswer { complete: self.complete, ..ModelAnswer::default() };
        fill(&self.whole, &mut answer);
        answer.whole = self.whole;
        answer
    }
}

/// Reads an answer that is not streamed.
pub fn read_whole(api: WireApi, whole: Value) -> ModelAnswer {
    let (_, fill) = provider(api);
    Assembled { whole, complete: true }.read(fill)
}

/// Reads the answer to a request from its status, its `content-type` and its body in any pieces. It may be truncated
/// anywhere.
pub fn read_answer<'b>(
    api: WireApi,
    status: u16,
    content_type: &str,
    pieces: impl IntoIterator<Item = &'b [u8]>,
) -> ModelAnswer {
    let mut notes = Vec::new();
    let (assemble, fill) = provider(api);
    let (whole, complete, error) = match read(content_type, pieces, &mut notes) {
        Framed::Whole(whole) => {
            let whole = unwrapped(api, whole);
            let error = error_of(&whole, status);
            // A truncated Ollama stream with a single line is an object, too.
            let complete = api != WireApi::Ollama || whole.get("done") != Some(&Value::Bool(false));
            (whole, complete, error)
        }
        Framed::Events(events, ended) => {
            // The last event of a failed response contains the whole response.
            let inner = |event: &Value| error_of(event.get("response")?, status);
            let error = events.iter().find_map(|event| error_of(event, status).or_else(|| inner(event)));
            let events: Vec<Value> = events.into_iter().map(|event| unwrapped(api, event)).collect();
            let Assembled { whole, complete } = assemble(&events);
            (whole, ended != StreamEnd::Torn && (complete || (ended == StreamEnd::Done && !events.is_empty())), error)
        }
        Framed::Text(said) => {
            let what = if said.trim().is_empty() { "the answer is empty" } else { "the answer is not JSON" };
            notes.push(what.into());
            let is_error = status >= 400 && !said.trim().is_empty();
            let error = is_error.then(|| said.chars().take(ERROR_TEXT).collect::<String>());
            (Value::Null, false, error)
        }
    };
    let error = error.or_else(|| (status >= 400).then(|| format!("status {status}")));
    let complete = complete && error.is_none();
    let mut answer = ModelAnswer { error, complete, notes, ..ModelAnswer::default() };
    if status < 400 {
        fill(&whole, &mut answer);
        if !answer.complete {
            drop_torn(&mut answer);
        }
    }
    answer.whole = whole;
    answer
}

/// The functions that assemble and read the answers of a provider.
type AnswerFormat = (fn(&[Value]) -> Assembled, fn(&Value, &mut ModelAnswer));

fn provider(api: WireApi) -> AnswerFormat {
    match api {
        WireApi::Chat => (openai_chat::assemble, openai_chat::fill),
        WireApi::Responses => (responses::assemble, responses::fill),
        WireApi::Messages => (messages::assemble, messages::fill),
        WireApi::Gemini => (gemini::assemble, gemini::fill),
        WireApi::Ollama => (ollama::assemble, ollama::fill),
        WireApi::Cohere => (cohere::assemble, cohere::fill),
        WireApi::Bedrock => (bedrock::assemble, bedrock::fill),
    }
}

/// Unwraps `response`: gemini-cli with a login uses a service that wraps its answers.
fn unwrapped(api: WireApi, value: Value) -> Value {
    match value {
        Value::Object(mut map) if api == WireApi::Gemini && !map.contains_key("candidates") => {
            map.remove("response").filter(Value::is_object).unwrap_or(Value::Object(map))
        }
        other => other,
    }
}

/// The message of an error, in an answer or an event: `{"error":{"message":..}}`, `{"error":".."}`, or `{"message":..}`
/// with an error status.
fn error_of(value: &Value, status: u16) -> Option<String> {
    let error = match value.get("error") {
        None | Some(Value::Null) => Value::Null,
        Some(error) => error.clone(),
    };
    let said = match &error {
        Value::String(said) => Some(said.as_str()),
        error => error.get("message").and_then(Value::as_str),
    };
    let plain =
        || ["message", "Message", "detail"].into_iter().map(|key| text(value, key)).find(|said| !said.is_empty());
    let of_event = || (text(value, "type") == "error").then(|| text(value, "message"));
    let said = said.or_else(|| if status >= 400 { plain() } else { of_event() });
    said.map(str::to_owned).or_else(|| (!error.is_null()).then(|| error.to_string()))
}

/// Drops the incomplete tool calls of a truncated stream.
fn drop_torn(answer: &mut ModelAnswer) {
    let is_whole = |call: &AnswerCall| {
        !call.name.is_empty() && serde_json::from_str::<serde::de::IgnoredAny>(&call.arguments).is_ok()
    };
    let before = answer.calls.len();
    answer.calls.retain(is_whole);
    if answer.calls.len() < before {
        answer.notes.push("the answer broke off in the arguments of a call".into());
    }
    if answer.error.is_none() && !answer.whole.is_null() {
        answer.notes.push("the answer broke off".into());
    }
}

/// An object without null values.
pub(super) fn object<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    pairs.into_iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A string, or null if it is empty.
pub(super) fn some(text: String) -> Value {
    if text.is_empty() { Value::Null } else { Value::String(text) }
}
