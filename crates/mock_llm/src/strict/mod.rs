//! Refuses what the providers refuse, with one module per API.
//!
//! A rule looks at one request, and at the state that this request names (`previous_response_id`, `conversation`, item
//! references); nothing is inferred from other requests. Each rule has the provider's status and error format and, if a
//! thread quotes it, the provider's wording; the thread is named next to the rule. Nothing is refused without such a
//! source.

mod blocks;
pub(super) mod chat;
pub(super) mod gemini;
mod history;
pub(super) mod messages;
mod names;
pub(super) mod ollama;
mod pairs;
mod parameters;
pub(super) mod responses;
mod schema;
mod thinking;

use super::refusal::ModelRefusal;
use crate::fields::{self, items};
use serde_json::Value;

/// Refuses a request with a message only.
fn refuse(message: impl Into<String>) -> Result<(), ModelRefusal> {
    Err(ModelRefusal::new(400, message))
}

/// OpenAI's error for a missing required parameter. Quoted in mattermost/mattermost-plugin-agents#476 (`model` of the
/// Responses API) and openai/codex#6725 (an item of its input).
fn missing(name: &str) -> ModelRefusal {
    ModelRefusal::of_part(name, format!("Missing required parameter: '{name}'.")).code("missing_required_parameter")
}

/// OpenAI's error for a list that must not be empty. Quoted in home-assistant/core#118577 (`tool_calls`) and
/// CopilotKit/CopilotKit#529 (`messages`).
fn empty_array(place: &str) -> ModelRefusal {
    let message = format!(
        "Invalid '{place}': empty array. Expected an array with minimum length 1, but got an empty array instead."
    );
    ModelRefusal::of_part(place, message).code("empty_array")
}

/// A field that is neither null nor an empty string.
fn given<'j>(request: &'j Value, name: &str) -> Option<&'j Value> {
    fields::given(request, name).filter(|value| value.as_str() != Some(""))
}

/// The tools of a request, with their positions.
fn tools(request: &Value) -> impl Iterator<Item = (usize, &Value)> {
    items(fields::field(request, "tools")).iter().enumerate()
}
