//! What Ollama refuses.

use super::super::refusal::ModelRefusal;
use super::{given, refuse};
use serde_json::Value;

/// What is wrong with a request. The model must be named: `server/routes.go` of ollama/ollama, whose words these are.
pub(in super::super) fn check(request: &Value) -> Result<(), ModelRefusal> {
    match given(request, "model") {
        Some(_) => Ok(()),
        None => refuse("model is required"),
    }
}
