//! The provider whose format a request and its answer have.

use std::borrow::Cow;

use agentci_text::percent_decoded;
use hyper::HeaderMap;
use hyper::http::request::Parts;

/// The provider whose format a request and its answer have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Provider {
    OpenAi,
    /// OpenAI's formats at Azure's addresses.
    Azure,
    Anthropic,
    Gemini,
    Ollama,
}

/// Headers whose value is a key.
const KEY_HEADERS: [&str; 3] = ["x-api-key", "api-key", "x-goog-api-key"];

impl Provider {
    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    /// Guesses the provider of a request whose path is not specific.
    pub(super) fn of_head(head: &Parts) -> Self {
        let has = |name: &str| head.headers.contains_key(name);
        if has("x-goog-api-key") || query_key(head).is_some() {
            Provider::Gemini
        } else if has("anthropic-version") || has("x-api-key") {
            Provider::Anthropic
        } else {
            Provider::OpenAi
        }
    }

    /// The response header with the id of the request.
    pub(super) fn request_id_header(self) -> &'static str {
        match self {
            Provider::OpenAi | Provider::Azure | Provider::Gemini | Provider::Ollama => "x-request-id",
            Provider::Anthropic => "request-id",
        }
    }

    /// The name for messages.
    pub(super) fn title(self) -> &'static str {
        match self {
            Provider::OpenAi => "OpenAI",
            Provider::Azure => "Azure OpenAI",
            Provider::Anthropic => "Anthropic",
            Provider::Gemini => "Gemini",
            Provider::Ollama => "Ollama",
        }
    }

    /// All API keys in a request.
    pub(super) fn keys(head: &Parts) -> impl Iterator<Item = Cow<'_, str>> {
        let named = KEY_HEADERS.into_iter().filter_map(|name| head.headers.get(name)?.to_str().ok());
        let authorization = head.headers.get("authorization").and_then(|value| value.to_str().ok());
        let bearer = authorization.and_then(|value| Some(value.split_once(' ')?.1.trim()));
        named.chain(bearer).map(Cow::Borrowed).chain(query_key(head).map(Cow::Owned)).filter(|key| !key.is_empty())
    }

    /// The API key in the headers of a request.
    pub(super) fn key(headers: &HeaderMap) -> Option<&str> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let bearer = text("authorization").and_then(|value| {
            let (scheme, key) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
        });
        KEY_HEADERS.into_iter().find_map(text).or(bearer)
    }
}

/// The API key in the query, as Gemini accepts it: `?key=..`.
pub(super) fn query_key(head: &Parts) -> Option<String> {
    let mut pairs = head.uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
    let (_, key) = pairs.find(|(name, _)| *name == "key")?;
    Some(percent_decoded(&key.replace('+', " ")))
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn head(uri: &str, headers: &[(&str, &str)]) -> Parts {
        let request = headers.iter().fold(Request::get(uri), |request, (name, value)| request.header(*name, *value));
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn finds_keys_in_headers_and_query() {
        let keys =
            |uri: &str, headers: &[(&str, &str)]| Provider::keys(&head(uri, headers)).collect::<Vec<_>>().join(" ");
        assert_eq!(keys("/?api-version=1", &[("api-key", "a")]), "a");
        assert_eq!(
            keys("/?alt=sse&key=a%2Fb%zz", &[("x-goog-api-key", "g"), ("authorization", "Bearer t")]),
            "g t a/b%zz"
        );
        assert_eq!(keys("/?key=", &[]), "");
        assert_eq!(keys("/?key=%", &[]), "%");
    }
}
