//! Google's format: `POST /v1beta/models/{model}:generateContent` and related methods. Field names may be in camel case
//! or snake case, as in all of Google's APIs.

mod answer;
mod fields;
mod read;
mod route;
mod schema;
mod status;
pub(super) mod unscripted;

pub(super) use answer::{events, whole};
pub(super) use read::{read, read_offer};
pub(super) use route::{GeminiForm, UnscriptedGemini, route};
pub(super) use schema::as_json_schema;
pub(super) use status::status;

pub(super) use fields::field;
use fields::generation_config;
