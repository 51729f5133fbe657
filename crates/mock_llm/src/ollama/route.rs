//! The endpoints of a server.

use hyper::Method;

use crate::routes::{ModelRoute, Route, UnscriptedRoute};

/// An endpoint at which a model answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum OllamaForm {
    Chat,
    Generate,
}

/// An endpoint without a request body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum OllamaState {
    /// The available models.
    Tags,
    /// The models in memory.
    Running,
    Version,
}

/// An endpoint with a request body that the script does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum UnscriptedOllama {
    Show,
    Pull,
    Embed,
    /// A single embedding; the predecessor of `embed`.
    Embedding,
}

/// The endpoint of a path, and the HTTP method that it accepts.
pub(in super::super) fn route(path: &str) -> Option<(Route, Method)> {
    let model = |form| (Route::Scripted(ModelRoute::Ollama(form)), Method::POST);
    let state = |state| (Route::Ollama(state), Method::GET);
    let unscripted = |endpoint| (Route::Unscripted(UnscriptedRoute::Ollama(endpoint)), Method::POST);
    Some(match path.strip_prefix("/api/")? {
        "chat" => model(OllamaForm::Chat),
        "generate" => model(OllamaForm::Generate),
        "tags" => state(OllamaState::Tags),
        "ps" => state(OllamaState::Running),
        "version" => state(OllamaState::Version),
        "show" => unscripted(UnscriptedOllama::Show),
        "pull" => unscripted(UnscriptedOllama::Pull),
        "embed" => unscripted(UnscriptedOllama::Embed),
        "embeddings" => unscripted(UnscriptedOllama::Embedding),
        _ => return None,
    })
}
