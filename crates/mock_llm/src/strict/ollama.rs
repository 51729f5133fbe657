//! Ollama.

use super::super::refusal::ModelRefusal;
use super::{given, refuse};
use serde_json::Value;

/// Checks that a request names its model. The wording is from `server/routes.go` of ollama/ollama.
pub(in super::super) fn check(request: &Value) -> Result<(), ModelRefusal> {
    match given(request, "model") {
        Some(_) => Ok(()),
        None => refuse("model is required"),
    }
}
