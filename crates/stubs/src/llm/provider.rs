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
