//! Answers that do not come from the script: embeddings, moderations, token counts and the like.

use serde_json::{Value, json};

use super::ids::numbered;
use super::journal::{JournalEntry, beginning};
use super::{
    anthropic, gemini, ollama, openai, refusal::ModelRefusal, routes::UnscriptedRoute, rule_engine::RuleEngine, tokens,
};

/// The answer to a request of `bytes` bytes.
pub(super) fn answer(
    engine: &RuleEngine,
    route: UnscriptedRoute,
    request: &Value,
    bytes: usize,
    entry: &mut JournalEntry,
) -> Result<Value, ModelRefusal> {
    match route {
        UnscriptedRoute::Conversations => {
            let begun = openai::conversations::read(request)?;
            let id = numbered("conv_", entry.number, 24);
            engine.remember(id.clone(), &begun, begun.answers, None, &[]);
            Ok(openai::conversations::begun(&id, entry.unix_ms / 1000))
        }
        UnscriptedRoute::CountTokens => {
            anthropic::read(request, true)?;
            Ok(json!({ "input_tokens": tokens::estimate(bytes) }))
        }
        UnscriptedRoute::InputTokens => {
            Ok(json!({ "object": "response.input_tokens", "input_tokens": tokens::estimate(bytes) }))
        }
        UnscriptedRoute::Moderations => openai::moderations::answer(request, &numbered("modr-", entry.number, 24)),
        UnscriptedRoute::Embeddings => {
            entry.model = request["model"].as_str().map(beginning);
            let model = engine.script.model.as_deref().unwrap_or("embedding-test");
            openai::embeddings::answer(request, model)
        }
        UnscriptedRoute::Gemini(method) => {
            entry.model = request["model"].as_str().map(beginning);
            gemini::unscripted::answer(method, request, bytes)
        }
        UnscriptedRoute::Ollama(endpoint) => {
            entry.model = request["model"].as_str().map(beginning);
            ollama::unscripted::answer(endpoint, request, bytes)
        }
    }
}
