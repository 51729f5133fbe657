//! Whose shape a request and its answer have.

use hyper::HeaderMap;

/// Whose shape a request and its answer have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Provider {
    OpenAi,
    Anthropic,
}

impl Provider {
    pub(super) fn name(self) -> &'static str {
        match self {
            Provider::OpenAi => "openai",
            Provider::Anthropic => "anthropic",
        }
    }

    /// Who is meant, where the path alone does not tell.
    pub(super) fn of_headers(headers: &HeaderMap) -> Self {
        if headers.contains_key("anthropic-version") || headers.contains_key("x-api-key") {
            Provider::Anthropic
        } else {
            Provider::OpenAi
        }
    }

    /// The header that names the request in an answer.
    pub(super) fn request_id_header(self) -> &'static str {
        match self {
            Provider::OpenAi => "x-request-id",
            Provider::Anthropic => "request-id",
        }
    }

    /// Whose it is, in words.
    pub(super) fn title(self) -> &'static str {
        match self {
            Provider::OpenAi => "OpenAI",
            Provider::Anthropic => "Anthropic",
        }
    }

    /// All keys that a request brings.
    pub(super) fn keys(headers: &HeaderMap) -> impl Iterator<Item = &str> {
        let named = ["x-api-key", "api-key"].into_iter().filter_map(|name| headers.get(name)?.to_str().ok());
        let authorization = headers.get("authorization").and_then(|value| value.to_str().ok());
        let bearer = authorization.and_then(|value| Some(value.split_once(' ')?.1.trim()));
        named.chain(bearer).filter(|key| !key.is_empty())
    }

    /// The key that a request brings.
    pub(super) fn key(headers: &HeaderMap) -> Option<&str> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let bearer = text("authorization").and_then(|value| {
            let (scheme, key) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
        });
        text("x-api-key").or(bearer)
    }
}
