//! Maps paths to endpoints.

use agentci_protocols::chat::WireApi;
use hyper::Method;
use hyper::http::request::Parts;

use super::{events::Framing, gemini, ollama, openai::azure, provider::Provider, refusal::ModelRefusal};

/// An endpoint of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Route {
    /// The script answers.
    Scripted(ModelRoute),
    /// The answer depends on the request, but not on the script.
    Unscripted(UnscriptedRoute),
    /// An earlier answer.
    Response(String),
    Models,
    Model(String),
    Ollama(ollama::OllamaState),
    /// Telemetry of clients.
    Telemetry,
    Journal,
    Reset,
}

/// An endpoint at which the model answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModelRoute {
    Chat,
    Responses,
    Messages,
    Gemini(gemini::GeminiForm),
    Ollama(ollama::OllamaForm),
}

/// An endpoint that needs a request, but no script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnscriptedRoute {
    InputTokens,
    Conversations,
    Embeddings,
    Moderations,
    CountTokens,
    Gemini(gemini::UnscriptedGemini),
    Ollama(ollama::UnscriptedOllama),
}

/// Version prefixes of paths. There may be several, if a base URL with a version is followed by another one.
const VERSIONS: [&str; 4] = ["/v1", "/v1beta", "/v1alpha", "/v1beta1"];

impl ModelRoute {
    /// The API of its requests.
    pub(super) fn wire_api(self) -> WireApi {
        match self {
            ModelRoute::Chat => WireApi::Chat,
            ModelRoute::Responses => WireApi::Responses,
            ModelRoute::Messages => WireApi::Messages,
            ModelRoute::Gemini(_) => WireApi::Gemini,
            ModelRoute::Ollama(_) => WireApi::Ollama,
        }
    }

    /// How the events of its streams are separated.
    pub(super) fn framing(self) -> Framing {
        match self {
            ModelRoute::Chat | ModelRoute::Responses | ModelRoute::Messages => Framing::Events,
            ModelRoute::Gemini(form) => form.framing(),
            ModelRoute::Ollama(_) => Framing::Lines,
        }
    }
}

impl Route {
    /// How the events of its streams are separated; decides the form of errors, too.
    pub(super) fn framing(&self) -> Framing {
        match self {
            Route::Scripted(route) => route.framing(),
            Route::Ollama(_) | Route::Unscripted(UnscriptedRoute::Ollama(_)) => Framing::Lines,
            _ => Framing::Events,
        }
    }

    /// The endpoint of a request, or the refusal if there is none.
    pub(super) fn find(method: &Method, path: &str, query: Option<&str>) -> Result<Self, ModelRefusal> {
        let short = short(path);
        let (route, wanted) = match short.trim_end_matches('/') {
            "/chat/completions" => (Route::Scripted(ModelRoute::Chat), Method::POST),
            "/responses" => (Route::Scripted(ModelRoute::Responses), Method::POST),
            "/messages" => (Route::Scripted(ModelRoute::Messages), Method::POST),
            "/responses/input_tokens" => (Route::Unscripted(UnscriptedRoute::InputTokens), Method::POST),
            "/moderations" => (Route::Unscripted(UnscriptedRoute::Moderations), Method::POST),
            // Telemetry of Claude Code.
            "/api/event_logging/batch" => (Route::Telemetry, Method::POST),
            "/conversations" => (Route::Unscripted(UnscriptedRoute::Conversations), Method::POST),
            "/embeddings" => (Route::Unscripted(UnscriptedRoute::Embeddings), Method::POST),
            "/messages/count_tokens" => (Route::Unscripted(UnscriptedRoute::CountTokens), Method::POST),
            "/models" => (Route::Models, Method::GET),
            "/__agentci/journal" => (Route::Journal, Method::GET),
            "/__agentci/reset" => (Route::Reset, Method::POST),
            other => Self::of_provider(other, query).ok_or_else(|| unknown(method, path))?,
        };
        if *method == wanted {
            return Ok(route);
        }
        let allow = if wanted == Method::GET { "GET" } else { "POST" };
        let message = format!("`{path}` takes {allow}, not {method}");
        Err(ModelRefusal { allow: Some(allow), ..ModelRefusal::new(405, message).code("method_not_allowed") })
    }

    /// Paths with a name or id in them, and paths of a single provider.
    fn of_provider(path: &str, query: Option<&str>) -> Option<(Self, Method)> {
        if let Some(found) = ollama::route(path) {
            return Some(found);
        }
        if let Some(route) = gemini::route(path, query) {
            return Some((route, Method::POST));
        }
        if let Some(name) = path.strip_prefix("/models/") {
            return Some((Route::Model(name.to_owned()), Method::GET));
        }
        let id = path.strip_prefix("/responses/").filter(|id| !id.contains('/'))?;
        Some((Route::Response(id.to_owned()), Method::GET))
    }

    /// The provider whose format the answer has.
    pub(super) fn provider(found: Option<&Self>, head: &Parts) -> Provider {
        let path = head.uri.path();
        match found {
            Some(Route::Scripted(ModelRoute::Gemini(_)) | Route::Unscripted(UnscriptedRoute::Gemini(_))) => {
                Provider::Gemini
            }
            Some(
                Route::Ollama(_)
                | Route::Scripted(ModelRoute::Ollama(_))
                | Route::Unscripted(UnscriptedRoute::Ollama(_)),
            ) => Provider::Ollama,
            Some(Route::Scripted(ModelRoute::Messages) | Route::Unscripted(UnscriptedRoute::CountTokens)) => {
                Provider::Anthropic
            }
            _ if azure::is_own(path) => Provider::Azure,
            Some(
                Route::Scripted(ModelRoute::Chat | ModelRoute::Responses)
                | Route::Response(_)
                | Route::Unscripted(
                    UnscriptedRoute::InputTokens
                    | UnscriptedRoute::Conversations
                    | UnscriptedRoute::Embeddings
                    | UnscriptedRoute::Moderations,
                ),
            ) => Provider::OpenAi,
            _ if path.contains("/messages") => Provider::Anthropic,
            _ if VERSIONS[1..].iter().any(|version| path.starts_with(version)) => Provider::Gemini,
            _ if short(path).starts_with("/api/") => Provider::Ollama,
            _ => Provider::of_head(head),
        }
    }
}

/// A path without version prefixes and without Azure's prefix.
fn short(path: &str) -> &str {
    let mut rest = path;
    loop {
        let of_version = VERSIONS.iter().find_map(|it| rest.strip_prefix(it).filter(|rest| rest.starts_with('/')));
        match of_version.or_else(|| azure::short(rest)) {
            Some(shorter) => rest = shorter,
            None => return rest,
        }
    }
}

/// Whether a request only checks that the server is up, as some clients do first (Claude Code sends `HEAD /`).
pub(super) fn is_probe(method: &Method, path: &str) -> bool {
    matches!(*method, Method::HEAD | Method::OPTIONS)
        || (*method == Method::GET && matches!(path, "" | "/" | "/v1" | "/v1/"))
}

fn unknown(method: &Method, path: &str) -> ModelRefusal {
    let path: String = path.chars().take(200).collect();
    let known = "chat/completions, responses, conversations, embeddings, moderations, models, messages, those of Azure under \
                 `/openai`, Gemini's `models/{model}:generateContent` and Ollama's `api/chat`";
    ModelRefusal::new(404, format!("unknown request URL: {method} {path}; this server supports {known}"))
        .code("unknown_url")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(path: &str) -> Result<Route, ModelRefusal> {
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        Route::find(&Method::POST, path, query)
    }

    #[test]
    fn routes_paths_with_and_without_version() {
        for (path, route) in [
            ("/v1/chat/completions", Route::Scripted(ModelRoute::Chat)),
            ("/chat/completions/", Route::Scripted(ModelRoute::Chat)),
            ("/messages", Route::Scripted(ModelRoute::Messages)),
            ("/v1/v1/messages", Route::Scripted(ModelRoute::Messages)),
            ("/v1/messages/count_tokens", Route::Unscripted(UnscriptedRoute::CountTokens)),
        ] {
            assert_eq!(post(path), Ok(route));
        }
        let get = |path: &str| Route::find(&Method::GET, path, None);
        assert_eq!(get("/v1/models/org/x"), Ok(Route::Model("org/x".into())));
        assert_eq!(get("/v1/responses/resp_1"), Ok(Route::Response("resp_1".into())));
        assert_eq!(get("/v1/responses/resp_1/input_items").unwrap_err().status, 404);
        assert_eq!(get("/v1/chat/completions").unwrap_err().status, 405);
        assert_eq!(post("/v2/chat").unwrap_err().status, 404);
    }

    #[test]
    fn routes_paths_of_every_api() {
        use gemini::{GeminiForm, UnscriptedGemini};
        use ollama::OllamaForm;
        let gemini = |form| Route::Scripted(ModelRoute::Gemini(form));
        for (path, route) in [
            ("/openai/deployments/our-gpt/chat/completions?api-version=1", Route::Scripted(ModelRoute::Chat)),
            ("/openai/deployments/our-gpt/embeddings", Route::Unscripted(UnscriptedRoute::Embeddings)),
            ("/openai/deployments/our-gpt/responses", Route::Scripted(ModelRoute::Responses)),
            ("/openai/responses?api-version=1", Route::Scripted(ModelRoute::Responses)),
            ("/openai/v1/chat/completions", Route::Scripted(ModelRoute::Chat)),
            ("/v1/deployments/our-gpt/chat/completions", Route::Scripted(ModelRoute::Chat)),
            ("/v1beta/openai/chat/completions", Route::Scripted(ModelRoute::Chat)),
            ("/v1beta/models/gemini-2.5-pro:generateContent", gemini(GeminiForm::Whole)),
            ("/v1/models/g:streamGenerateContent?alt=sse", gemini(GeminiForm::Events)),
            ("/v1beta/models/g:streamGenerateContent", gemini(GeminiForm::List)),
            (
                "/v1beta/models/g:batchEmbedContents",
                Route::Unscripted(UnscriptedRoute::Gemini(UnscriptedGemini::EmbedBatch)),
            ),
            (
                "/v1/v1beta/models/g:countTokens",
                Route::Unscripted(UnscriptedRoute::Gemini(UnscriptedGemini::CountTokens)),
            ),
            ("/v1beta1/publishers/google/models/g:generateContent", gemini(GeminiForm::Whole)),
            ("/api/chat", Route::Scripted(ModelRoute::Ollama(OllamaForm::Chat))),
            ("/v1/api/generate", Route::Scripted(ModelRoute::Ollama(OllamaForm::Generate))),
        ] {
            assert_eq!(post(path), Ok(route), "{path}");
        }
        for path in ["/openai/deployments/x", "/models:generateContent", "/api/fly", "/openai"] {
            assert_eq!(post(path).unwrap_err().status, 404, "{path}");
        }
    }
}
