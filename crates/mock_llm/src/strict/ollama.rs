//! What Ollama refuses.

use super::super::json::Json;
use super::super::refusal::Refusal;
use super::{Warnings, given};

/// What is wrong with a request. The model must be named: `server/routes.go` of ollama/ollama, whose words these are.
pub(in super::super) fn check(request: &Json<'_>) -> Result<Warnings, Refusal> {
    match given(request, "model") {
        Some(_) => Ok(Warnings::new()),
        None => Err(Refusal::new(400, "model is required")),
    }
}
