//! Anthropic's format: `POST /v1/messages`.

mod answer;
mod read;

pub(super) use answer::{events, whole};
pub(super) use read::read;
