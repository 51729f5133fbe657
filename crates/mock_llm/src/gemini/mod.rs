//! Google's format: `POST /v1beta/models/{model}:generateContent` and related methods. Field names may be in camel case
//! or snake case, as in all of Google's APIs.

mod answer;
mod read;
mod schema;
pub(super) mod unscripted;

pub(super) use answer::{events, whole};
pub(super) use read::{read, read_offer};
pub(super) use schema::as_json_schema;

use serde_json::Value;

use crate::events::Framing;
use crate::routes::{ModelRoute, Route, UnscriptedRoute};

/// The form of a model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GeminiForm {
    Whole,
    /// Server-sent events.
    Events,
    /// One JSON list, sent item by item.
    List,
}

impl GeminiForm {
    pub(super) fn is_streamed(self) -> bool {
        self != GeminiForm::Whole
    }

    pub(super) fn framing(self) -> Framing {
        match self {
            GeminiForm::Whole | GeminiForm::Events => Framing::Events,
            GeminiForm::List => Framing::List,
        }
    }
}

/// A method of a model that the script does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GeminiMethod {
    CountTokens,
    Embed,
    EmbedBatch,
}

/// The endpoint of a path such as `/models/{model}:generateContent`.
pub(super) fn route(path: &str, query: Option<&str>) -> Option<Route> {
    let (name, method) = path.rsplit_once(':')?;
    if !name.contains("odels/") || name.ends_with('/') {
        return None;
    }
    let has_events = || query.is_some_and(|query| query.split('&').any(|pair| pair == "alt=sse"));
    let form = match method {
        "generateContent" => GeminiForm::Whole,
        "streamGenerateContent" if has_events() => GeminiForm::Events,
        "streamGenerateContent" => GeminiForm::List,
        "countTokens" => return Some(unscripted(GeminiMethod::CountTokens)),
        "embedContent" => return Some(unscripted(GeminiMethod::Embed)),
        "batchEmbedContents" => return Some(unscripted(GeminiMethod::EmbedBatch)),
        _ => return None,
    };
    Some(Route::Scripted(ModelRoute::Gemini(form)))
}

fn unscripted(method: GeminiMethod) -> Route {
    Route::Unscripted(UnscriptedRoute::Gemini(method))
}

/// Google's name of an HTTP error status.
pub(super) fn status(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        409 => "ABORTED",
        429 => "RESOURCE_EXHAUSTED",
        499 => "CANCELLED",
        501 => "UNIMPLEMENTED",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        500.. => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    }
}

/// A field in camel case or snake case.
pub(super) fn field<'j>(value: &'j Value, [camel, snake]: [&str; 2]) -> Option<&'j Value> {
    value.get(camel).or_else(|| value.get(snake)).filter(|value| **value != Value::Null)
}

fn generation_config(request: &Value) -> Option<&Value> {
    field(request, ["generationConfig", "generation_config"])
}
