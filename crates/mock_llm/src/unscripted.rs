//! Answers that do not come from the script: embeddings, moderations, token counts and the like.

use serde_json::{Value, json};

use super::journal::{JournalEntry, beginning};
use super::{anthropic, gemini, ollama, openai, refusal::ModelRefusal, routes::Route, rule_engine::RuleEngine, tokens};

/// The answer to a request of `bytes` bytes.
pub(super) fn answer(
    mind: &RuleEngine,
    route: &Route,
    request: &Value,
    bytes: usize,
    entry: &mut JournalEntry,
) -> Result<Value, ModelRefusal> {
    match route {
        Route::Conversations => {
            let begun = openai::conversations::read(request)?;
            let id = format!("conv_{:024}", entry.number);
            mind.remember(id.clone(), &begun, begun.answers, None, &[]);
            Ok(openai::conversations::begun(&id, entry.unix_ms / 1000))
        }
        Route::CountTokens => {
            anthropic::read(request, true)?;
            Ok(json!({ "input_tokens": tokens::estimate(bytes) }))
        }
        Route::InputTokens => Ok(json!({ "object": "response.input_tokens", "input_tokens": tokens::estimate(bytes) })),
        Route::Moderations => openai::moderations::answer(request, &format!("modr-{:024}", entry.number)),
        Route::Embeddings => {
            entry.model = request["model"].as_str().map(beginning);
            let model = mind.script.model.as_deref().unwrap_or("embedding-test");
            openai::embeddings::answer(request, model)
        }
        Route::Gemini(verb) => {
            entry.model = request["model"].as_str().map(beginning);
            gemini::unscripted::answer(*verb, request, bytes)
        }
        Route::Ollama(endpoint) => {
            entry.model = request["model"].as_str().map(beginning);
            ollama::unscripted::answer(*endpoint, request, bytes)
        }
        // Unreachable: these are answered earlier, or by the script.
        _ => Err(ModelRefusal::new(404, "only the script answers this request")),
    }
}
