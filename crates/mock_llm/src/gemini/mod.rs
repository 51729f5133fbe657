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

/// A method of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Generate,
    Stream {
        /// Whether to send server-sent events, instead of one JSON list.
        sse: bool,
    },
    CountTokens,
    Embed,
    EmbedBatch,
}

impl Verb {
    /// The verb of a path such as `/models/{model}:generateContent`.
    pub(super) fn find(path: &str, query: Option<&str>) -> Option<Self> {
        let (name, verb) = path.rsplit_once(':')?;
        if !name.contains("odels/") || name.ends_with('/') {
            return None;
        }
        Some(match verb {
            "generateContent" => Verb::Generate,
            "streamGenerateContent" => {
                Verb::Stream { sse: query.is_some_and(|query| query.split('&').any(|pair| pair == "alt=sse")) }
            }
            "countTokens" => Verb::CountTokens,
            "embedContent" => Verb::Embed,
            "batchEmbedContents" => Verb::EmbedBatch,
            _ => return None,
        })
    }
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
