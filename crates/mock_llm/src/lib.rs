//! A model that is a script: an HTTP server on loopback that real SDKs take for their provider.
//!
//! ```text
//! request ─▶ server ─▶ routes ─▶ openai, anthropic, gemini or ollama: read ─▶ mind: which rule, what to say ─▶ the provider's shape ─▶ speech
//! ```
//!
//! It plays OpenAI's Chat Completions, Responses, Embeddings and Models, also at Azure's addresses, Anthropic's Messages, Gemini's
//! `generateContent` and Ollama's `chat` and `generate`, streamed or not. A provider is a folder, and a line in each table of
//! `provider`, `routes`, `refusal`, `delivery`, `offer` and `exchange`, which the compiler asks for. What is said
//! comes from a [`ModelScript`](agentci_plan::ModelScript); rules are found through an index, so that ten thousand cost no more
//! than one. `GET /__agentci/journal` tells every request, `POST /__agentci/reset` begins anew; both need a token. The server stops when it is
//! dropped. Whoever asks from within this program needs no server: a [`ScriptMind`] answers by the same rules. What passes between
//! an agent and a live or replayed model becomes the same trace events through a [`WireReader`].

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

pub use answer::{SpokenAnswer, WantedCall};
pub use in_process::{ScriptIndex, ScriptMind};
pub use index::IndexError;
pub use observation::{SeenCall, WireReader};
pub use refusal::ModelRefusal;
pub use rule_engine::{AnswerFault, Decision};
pub use server::{ModelServer, ModelServerError, ModelServerOptions};
