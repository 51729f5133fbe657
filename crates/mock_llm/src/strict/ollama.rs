//! What Ollama refuses.

use super::super::refusal::ModelRefusal;
use super::{Warnings, given};
use serde_json::Value;

/// What is wrong with a request. The model must be named: `server/routes.go` of ollama/ollama, whose words these are.
pub(in super::super) fn check(request: &Value) -> Result<Warnings, ModelRefusal> {
    match given(request, "model") {
        Some(_) => Ok(Warnings::new()),
        None => Err(ModelRefusal::new(400, "model is required")),
    }
}
