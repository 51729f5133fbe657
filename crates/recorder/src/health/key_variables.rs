//! The environment variable with the key for a call, and the header that carries it. A recording contains no keys.
//!
//! A recording may come from anyone and name any address, so a key is only sent to the hosts of its own service and to
//! this machine. For any other host, the user specifies the header.

use crate::proxy::RequestTarget;
use crate::{ProviderApi, RecordedRequest};

/// The source of a key and the header that carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Login {
    pub header: &'static str,
    /// The text before the key in the header.
    pub before: &'static str,
    /// The variables that may contain the key; the first one that is set is used.
    pub variables: &'static [&'static str],
    /// Whether the service requires the key. A server on this machine may not.
    pub required: bool,
}

const OPENAI: Login =
    Login { header: "authorization", before: "Bearer ", variables: &["OPENAI_API_KEY"], required: true };
const AZURE: Login = Login { header: "api-key", before: "", variables: &["AZURE_OPENAI_API_KEY"], required: true };
const ANTHROPIC: Login = Login { header: "x-api-key", before: "", variables: &["ANTHROPIC_API_KEY"], required: true };
const GEMINI: Login =
    Login { header: "x-goog-api-key", before: "", variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"], required: true };
const COHERE: Login =
    Login { header: "authorization", before: "Bearer ", variables: &["CO_API_KEY", "COHERE_API_KEY"], required: true };

/// The version of Anthropic's API if the recording does not name one.
const ANTHROPIC_VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// The key for a call; `None` if it needs none or the service is unknown.
pub fn login(request: &RecordedRequest) -> Option<Login> {
    let target = RequestTarget::of_origin(&request.origin)?;
    let api = request.api();
    if target.is_loopback() {
        return of_api(api?, &request.path).map(|login| Login { required: false, ..login });
    }
    if !target.tls {
        return None;
    }
    match target.host.as_str() {
        "api.openai.com" => Some(OPENAI),
        "api.anthropic.com" => Some(ANTHROPIC),
        "generativelanguage.googleapis.com" => Some(GEMINI),
        "api.cohere.com" | "api.cohere.ai" => Some(COHERE),
        host if host.ends_with(".openai.azure.com") => Some(AZURE),
        _ => None,
    }
}

fn of_api(api: ProviderApi, path: &str) -> Option<Login> {
    match api {
        ProviderApi::OpenAiChat | ProviderApi::OpenAiResponses | ProviderApi::OpenAiEmbeddings
            if path.starts_with("/openai/deployments/") =>
        {
            Some(AZURE)
        }
        ProviderApi::OpenAiChat | ProviderApi::OpenAiResponses | ProviderApi::OpenAiEmbeddings => Some(OPENAI),
        ProviderApi::AnthropicMessages => Some(ANTHROPIC),
        ProviderApi::Gemini => Some(GEMINI),
        ProviderApi::CohereChat => Some(COHERE),
        ProviderApi::OllamaChat | ProviderApi::Bedrock => None,
    }
}

/// The headers of a request for sending it again, without its key.
pub(super) fn headers(request: &RecordedRequest) -> Vec<(String, String)> {
    let mut headers = request.headers.clone();
    let (name, version) = ANTHROPIC_VERSION;
    if request.api() == Some(ProviderApi::AnthropicMessages) && headers.iter().all(|(known, _)| known != name) {
        headers.push((name.to_owned(), version.to_owned()));
    }
    headers
}

/// The path of a request. Gemini's key may be in the query; it is sent in a header instead.
pub(super) fn path_without_key(request: &RecordedRequest) -> String {
    let is_gemini = login(request).is_some_and(|login| login.header == GEMINI.header);
    let Some((path, query)) = request.path.split_once('?').filter(|_| is_gemini) else { return request.path.clone() };
    let left: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with("key=")).collect();
    if left.is_empty() { path.to_owned() } else { format!("{path}?{}", left.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(origin: &str, path: &str, api: ProviderApi) -> RecordedRequest {
        RecordedRequest {
            method: "POST".into(),
            origin: origin.into(),
            path: path.into(),
            speaks: Some(api),
            ..RecordedRequest::default()
        }
    }

    #[test]
    fn api_key_is_sent_only_to_provider_and_localhost() {
        let header = |origin: &str, api| login(&request(origin, "/v1/x", api)).map(|login| login.header);
        assert_eq!(header("https://api.openai.com", ProviderApi::OpenAiResponses), Some("authorization"));
        assert_eq!(header("https://api.anthropic.com", ProviderApi::AnthropicMessages), Some("x-api-key"));
        assert_eq!(header("https://me.openai.azure.com", ProviderApi::OpenAiChat), Some("api-key"));
        assert_eq!(header("http://127.0.0.1:8080", ProviderApi::AnthropicMessages), Some("x-api-key"));
        assert_eq!(header("http://127.0.0.1:11434", ProviderApi::OllamaChat), None);
        for stranger in [
            "https://api.openai.com.evil.example",
            "https://evil.example",
            "https://evilopenai.azure.com",
            "http://api.openai.com",
        ] {
            assert_eq!(header(stranger, ProviderApi::OpenAiChat), None, "{stranger}");
        }
    }

    #[test]
    fn removes_api_key_from_query() {
        let path = |path: &str| {
            path_without_key(&request("https://generativelanguage.googleapis.com", path, ProviderApi::Gemini))
        };
        assert_eq!(path("/m:streamGenerateContent?alt=sse&key=[REDACTED]"), "/m:streamGenerateContent?alt=sse");
        assert_eq!(path("/m:generateContent?key=x"), "/m:generateContent");
        let other = request("https://shop.example", "/a?key=17", ProviderApi::OpenAiChat);
        assert_eq!(path_without_key(&other), "/a?key=17");
    }
}
