//! Ollama's own format: `POST /api/chat`, `POST /api/generate` and related endpoints. Answers are streamed by default,
//! as JSON lines.

mod answer;
mod read;
pub(super) mod unscripted;

pub(super) use answer::{events, whole};
pub(super) use read::{loads, read_chat, read_generate, read_offer};

use agentci_plan::civil_date;
use hyper::Method;

use crate::routes::{ModelRoute, Route, UnscriptedRoute};

/// An endpoint at which a model answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OllamaForm {
    Chat,
    Generate,
}

/// An endpoint without a request body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OllamaState {
    /// The available models.
    Tags,
    /// The models in memory.
    Running,
    Version,
}

/// An endpoint with a request body that the script does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OllamaEndpoint {
    Show,
    Pull,
    Embed,
    /// A single embedding; the predecessor of `embed`.
    Embedding,
}

/// The endpoint of a path, and the HTTP method that it accepts.
pub(super) fn route(path: &str) -> Option<(Route, Method)> {
    let model = |form| (Route::Scripted(ModelRoute::Ollama(form)), Method::POST);
    let state = |state| (Route::Ollama(state), Method::GET);
    let unscripted = |endpoint| (Route::Unscripted(UnscriptedRoute::Ollama(endpoint)), Method::POST);
    Some(match path.strip_prefix("/api/")? {
        "chat" => model(OllamaForm::Chat),
        "generate" => model(OllamaForm::Generate),
        "tags" => state(OllamaState::Tags),
        "ps" => state(OllamaState::Running),
        "version" => state(OllamaState::Version),
        "show" => unscripted(OllamaEndpoint::Show),
        "pull" => unscripted(OllamaEndpoint::Pull),
        "embed" => unscripted(OllamaEndpoint::Embed),
        "embeddings" => unscripted(OllamaEndpoint::Embedding),
        _ => return None,
    })
}

/// Formats a Unix time in seconds: `2025-01-01T00:00:00Z`.
fn moment(unix: u64) -> String {
    let ((year, month, day), second) = (civil_date(unix / 86_400), unix % 86_400);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_timestamps_as_rfc_3339() {
        assert_eq!(moment(1_735_689_600), "2025-01-01T00:00:00Z");
        assert_eq!(moment(1_735_689_600 + 3_661), "2025-01-01T01:01:01Z");
    }
}
