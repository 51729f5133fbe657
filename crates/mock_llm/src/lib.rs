//! A scripted model: an HTTP server on loopback that the providers' SDKs use like the real API.
//!
//! ```text
//! request ─▶ server ─▶ routes ─▶ openai, anthropic, gemini or ollama: read ─▶ rule_engine: rule and answer ─▶ delivery
//! ```
//!
//! It supports OpenAI's Chat Completions, Responses, Embeddings and Models, also at Azure's addresses, Anthropic's
//! Messages, Gemini's `generateContent` and Ollama's `chat` and `generate`, streamed or not. Each provider is a folder,
//! and an arm of the matches in `provider`, `routes`, `refusal`, `delivery`, `offer` and `exchange`.
//!
//! The answers come from a [`ModelScript`](agentci_plan::ModelScript). Rules are found through an index, so that ten
//! thousand cost no more than one. `GET /__agentci/journal` lists all requests, `POST /__agentci/reset` clears the
//! state; both need a token. The server stops when it is dropped.
//!
//! Code in this process needs no server: a [`InProcessModel`] answers by the same rules. A [`WireReader`] turns the
//! exchanges of an agent with a live or replayed model into the same trace events.

mod answer;
mod anthropic;
mod choice;
mod closest;
mod conditions;
mod control;
mod delivery;
mod events;
mod exchange;
mod fields;
mod gemini;
mod ids;
mod in_process;
mod index;
mod journal;
mod keys;
mod memory;
mod messages;
mod observation;
mod observer;
mod offer;
mod ollama;
mod openai;
mod parsed_request;
mod provider;
mod refusal;
mod request_words;
mod routes;
mod rule_engine;
mod schema;
mod sent_answers;
mod sequences;
mod server;
mod strict;
mod tokens;
mod unscripted;

pub use in_process::{InProcessModel, ScriptIndex};
pub use index::IndexError;
pub use observation::{SeenCall, WireReader};
pub use server::{ModelServer, ModelServerError, ModelServerOptions};
