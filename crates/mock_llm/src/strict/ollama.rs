//! What Ollama refuses.

use super::super::refusal::Refusal;
use super::{Warnings, given};
use serde_json::Value;

/// What is wrong with a request. The model must be named: `server/routes.go` of ollama/ollama, whose words these are.
pub(in super::super) fn check(request: &Value) -> Result<Warnings, Refusal> {
    match given(request, "model") {
        Some(_) => Ok(Warnings::new()),
        None => Err(Refusal::new(400, "model is required")),
    }
}
