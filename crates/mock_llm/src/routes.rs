//! Which part of the server a path leads to.

use hyper::{HeaderMap, Method};

use super::provider::Provider;
use super::refusal::Refusal;

/// A part of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Route {
    Chat,
    Responses,
    /// An answer that was given before.
    Response(String),
    InputTokens,
    Conversations,
    Embeddings,
    Moderations,
    Models,
    Model(String),
    Messages,
    CountTokens,
    /// What clients tell of themselves.
    Telemetry,
    Journal,
    Reset,
}

/// How a model is asked and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Api {
    /// OpenAI's Chat Completions.
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Messages,
}

impl Route {
    /// How the model is asked there; as in Chat Completions where it is not asked at all.
    pub(super) fn api(&self) -> Api {
        match self {
            Route::Responses => Api::Responses,
            Route::Messages => Api::Messages,
            Route::Chat
            | Route::Response(_)
            | Route::InputTokens
            | Route::Conversations
            | Route::Embeddings
            | Route::Moderations
            | Route::Models
            | Route::Model(_)
            | Route::CountTokens
            | Route::Telemetry
            | Route::Journal
            | Route::Reset => Api::Chat,
        }
    }

    /// The part, or why there is none.
    pub(super) fn find(method: &Method, path: &str) -> Result<Self, Refusal> {
        let short = path.strip_prefix("/v1").filter(|rest| rest.starts_with('/')).unwrap_or(path);
        let (route, wanted) = match short.trim_end_matches('/') {
            "/chat/completions" => (Route::Chat, Method::POST),
            "/responses" => (Route::Responses, Method::POST),
            "/responses/input_tokens" => (Route::InputTokens, Method::POST),
            "/moderations" => (Route::Moderations, Method::POST),
            // Claude Code reports there what it does.
            "/api/event_logging/batch" => (Route::Telemetry, Method::POST),
            "/conversations" => (Route::Conversations, Method::POST),
            "/embeddings" => (Route::Embeddings, Method::POST),
            "/messages" => (Route::Messages, Method::POST),
            "/messages/count_tokens" => (Route::CountTokens, Method::POST),
            "/models" => (Route::Models, Method::GET),
            "/__agentci/journal" => (Route::Journal, Method::GET),
            "/__agentci/reset" => (Route::Reset, Method::POST),
            other => match (other.strip_prefix("/models/"), other.strip_prefix("/responses/")) {
                (Some(name), _) => (Route::Model(name.to_owned()), Method::GET),
                (_, Some(id)) if !id.contains('/') => (Route::Response(id.to_owned()), Method::GET),
                _ => return Err(unknown(method, path)),
            },
        };
        if *method == wanted {
            return Ok(route);
        }
        let allow = if wanted == Method::GET { "GET" } else { "POST" };
        let message = format!("`{path}` takes {allow}, not {method}");
        Err(Refusal { allow: Some(allow), ..Refusal::new(405, message).code("method_not_allowed") })
    }

    /// Whose shape an answer has.
    pub(super) fn provider(found: Option<&Self>, path: &str, headers: &HeaderMap) -> Provider {
        match found {
            Some(
                Route::Chat
                | Route::Responses
                | Route::Response(_)
                | Route::InputTokens
                | Route::Conversations
                | Route::Embeddings
                | Route::Moderations,
            ) => Provider::OpenAi,
            Some(Route::Messages | Route::CountTokens) => Provider::Anthropic,
            _ if path.contains("/messages") => Provider::Anthropic,
            _ => Provider::of_headers(headers),
        }
    }
}

impl Route {
    /// Whether a model is to answer.
    pub(super) fn asks_model(&self) -> bool {
        matches!(self, Route::Chat | Route::Responses | Route::Messages)
    }
}

/// Whether a request only looks whether someone is there: some clients do before they ask anything (Claude Code sends `HEAD /`).
pub(super) fn is_probe(method: &Method, path: &str) -> bool {
    matches!(*method, Method::HEAD | Method::OPTIONS)
        || (*method == Method::GET && matches!(path, "" | "/" | "/v1" | "/v1/"))
}

fn unknown(method: &Method, path: &str) -> Refusal {
    let path: String = path.chars().take(200).collect();
    let known = "chat/completions, responses, conversations, embeddings, moderations, models, messages";
    Refusal::new(404, format!("unknown request URL: {method} {path}; this server plays {known}")).code("unknown_url")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_work_with_and_without_the_version() {
        for (path, route) in [
            ("/v1/chat/completions", Route::Chat),
            ("/chat/completions/", Route::Chat),
            ("/messages", Route::Messages),
            ("/v1/messages/count_tokens", Route::CountTokens),
        ] {
            assert_eq!(Route::find(&Method::POST, path), Ok(route));
        }
        assert_eq!(Route::find(&Method::GET, "/v1/models/org/x"), Ok(Route::Model("org/x".into())));
        assert_eq!(Route::find(&Method::GET, "/v1/responses/resp_1"), Ok(Route::Response("resp_1".into())));
        assert_eq!(Route::find(&Method::GET, "/v1/responses/resp_1/input_items").unwrap_err().status, 404);
        assert_eq!(Route::find(&Method::GET, "/v1/chat/completions").unwrap_err().status, 405);
        assert_eq!(Route::find(&Method::POST, "/v2/chat").unwrap_err().status, 404);
    }
}
