//! Ollama's own format: `POST /api/chat`, `POST /api/generate` and related endpoints. Answers are streamed by default,
//! as JSON lines.

mod answer;
mod read;
mod route;
mod timestamp;
pub(super) mod unscripted;

pub(super) use answer::{events, whole};
pub(super) use read::{loads, read_chat, read_generate, read_offer};
pub(super) use route::{OllamaForm, OllamaState, UnscriptedOllama, route};

use timestamp::moment;
