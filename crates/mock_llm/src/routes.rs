//! Maps paths to endpoints.

use agentci_protocols::chat::WireApi;
use hyper::Method;
use hyper::http::request::Parts;

use super::{events::Framing, gemini, ollama, openai::azure, provider::Provider, refusal::ModelRefusal};

/// An endpoint of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Route {
    Chat,
    Responses,
    /// An earlier answer.
    Response(String),
    InputTokens,
    Conversations,
    Embeddings,
    Moderations,
    Models,
    Model(String),
    Messages,
    CountTokens,
    Gemini(gemini::Verb),
    Ollama(ollama::OllamaEndpoint),
    /// Telemetry of clients.
    Telemetry,
    Journal,
    Reset,
}

/// Version prefixes of paths. There may be several, if a base URL with a version is followed by another one.
const VERSIONS: [&str; 4] = ["/v1", "/v1beta", "/v1alpha", "/v1beta1"];

impl Route {
    /// The API of its requests. Other endpoints count as Chat Completions.
    pub(super) fn wire_api(&self) -> WireApi {
        match self {
            Route::Responses => WireApi::Responses,
            Route::Messages => WireApi::Messages,
            Route::Gemini(_) => WireApi::Gemini,
            Route::Ollama(_) => WireApi::Ollama,
            _ => WireApi::Chat,
        }
    }

    /// How the events of its streams are separated.
    pub(super) fn framing(&self) -> Framing {
        match self {
            Route::Gemini(gemini::Verb::Stream { sse: false }) => Framing::List,
            Route::Ollama(_) => Framing::Lines,
            _ => Framing::Events,
        }
    }

    /// The endpoint of a request, or the refusal if there is none.
    pub(super) fn find(method: &Method, path: &str, query: Option<&str>) -> Result<Self, ModelRefusal> {
        let short = short(path);
        let (route, wanted) = match short.trim_end_matches('/') {
            "/chat/completions" => (Route::Chat, Method::POST),
            "/responses" => (Route::Responses, Method::POST),
            "/responses/input_tokens" => (Route::InputTokens, Method::POST),
            "/moderations" => (Route::Moderations, Method::POST),
            // Telemetry of Claude Code.
            "/api/event_logging/batch" => (Route::Telemetry, Method::POST),
            "/conversations" => (Route::Conversations, Method::POST),
            "/embeddings" => (Route::Embeddings, Method::POST),
            "/messages" => (Route::Messages, Method::POST),
            "/messages/count_tokens" => (Route::CountTokens, Method::POST),
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
        if let Some((endpoint, method)) = ollama::OllamaEndpoint::find(path) {
            return Some((Route::Ollama(endpoint), method));
        }
        if let Some(verb) = gemini::Verb::find(path, query) {
            return Some((Route::Gemini(verb), Method::POST));
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
            Some(Route::Gemini(_)) => Provider::Gemini,
            Some(Route::Ollama(_)) => Provider::Ollama,
            Some(Route::Messages | Route::CountTokens) => Provider::Anthropic,
            _ if azure::is_own(path) => Provider::Azure,
            Some(
                Route::Chat
                | Route::Responses
                | Route::Response(_)
                | Route::InputTokens
                | Route::Conversations
                | Route::Embeddings
                | Route::Moderations,
            ) => Provider::OpenAi,
            _ if path.contains("/messages") => Provider::Anthropic,
            _ if VERSIONS[1..].iter().any(|version| path.starts_with(version)) => Provider::Gemini,
            _ if short(path).starts_with("/api/") => Provider::Ollama,
            _ => Provider::of_head(head),
        }
    }

    /// Whether the model answers this endpoint.
    pub(super) fn asks_model(&self) -> bool {
        match self {
            Route::Chat | Route::Responses | Route::Messages => true,
            Route::Gemini(verb) => matches!(verb, gemini::Verb::Generate | gemini::Verb::Stream { .. }),
            Route::Ollama(endpoint) => {
                matches!(endpoint, ollama::OllamaEndpoint::Chat | ollama::OllamaEndpoint::Generate)
            }
            _ => false,
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
            ("/v1/chat/completions", Route::Chat),
            ("/chat/completions/", Route::Chat),
            ("/messages", Route::Messages),
            ("/v1/v1/messages", Route::Messages),
            ("/v1/messages/count_tokens", Route::CountTokens),
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
        use gemini::Verb;
        use ollama::OllamaEndpoint;
        for (path, route) in [
            ("/openai/deployments/our-gpt/chat/completions?api-version=1", Route::Chat),
            ("/openai/deployments/our-gpt/embeddings", Route::Embeddings),
            ("/openai/deployments/our-gpt/responses", Route::Responses),
            ("/openai/responses?api-version=1", Route::Responses),
            ("/openai/v1/chat/completions", Route::Chat),
            ("/v1/deployments/our-gpt/chat/completions", Route::Chat),
            ("/v1beta/openai/chat/completions", Route::Chat),
            ("/v1beta/models/gemini-2.5-pro:generateContent", Route::Gemini(Verb::Generate)),
            ("/v1/models/g:streamGenerateContent?alt=sse", Route::Gemini(Verb::Stream { sse: true })),
            ("/v1beta/models/g:streamGenerateContent", Route::Gemini(Verb::Stream { sse: false })),
            ("/v1beta/models/g:batchEmbedContents", Route::Gemini(Verb::EmbedBatch)),
            ("/v1/v1beta/models/g:countTokens", Route::Gemini(Verb::CountTokens)),
            ("/v1beta1/publishers/google/models/g:generateContent", Route::Gemini(Verb::Generate)),
            ("/api/chat", Route::Ollama(OllamaEndpoint::Chat)),
            ("/v1/api/generate", Route::Ollama(OllamaEndpoint::Generate)),
        ] {
            assert_eq!(post(path), Ok(route), "{path}");
        }
        for path in ["/openai/deployments/x", "/models:generateContent", "/api/fly", "/openai"] {
            assert_eq!(post(path).unwrap_err().status, 404, "{path}");
        }
    }
}
