//! HTTP requests with limits on time and size.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

/// A request with a JSON body.
#[derive(Debug, Clone)]
pub struct JsonRequest {
    /// Where to.
    pub url: String,
    /// Headers beside the usual ones.
    pub headers: Vec<(String, String)>,
    /// The body, as JSON text.
    pub body: String,
    /// How long everything may take.
    pub timeout: Duration,
    /// The most bytes of an answer that are read.
    pub limit: usize,
}

/// An answer, read whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// When to ask again, as the header of that name tells it.
    pub retry_after: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// A header can not be sent.
    #[error("`{0}` can not be sent as a header")]
    Header(String),
    /// The request failed.
    #[error("{0}")]
    Request(String),
    /// The answer is too large.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
}

/// Posts JSON and reads the answer.
pub async fn post_json(request: JsonRequest) -> Result<Response, HttpError> {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    headers.insert("accept", HeaderValue::from_static("application/json"));
    for (name, value) in &request.headers {
        let wrong = || HttpError::Header(name.clone());
        let name = HeaderName::try_from(name.as_str()).map_err(|_| wrong())?;
        headers.insert(name, HeaderValue::try_from(value.as_str()).map_err(|_| wrong())?);
    }
    let sent = client()?.post(&request.url).headers(headers).timeout(request.timeout).body(request.body).send();
    let mut answer = sent.await.map_err(|error| HttpError::Request(reason(&error)))?;
    let status = answer.status().as_u16();
    let retry_after = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| HttpError::Request(reason(&error)))? {
        if body.len() + chunk.len() > request.limit {
            return Err(HttpError::TooLarge(request.limit));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Response { status, retry_after, body })
}

/// One client for the whole program, so that connections are kept.
fn client() -> Result<&'static reqwest::Client, HttpError> {
    static CLIENT: OnceLock<Result<reqwest::Client, String>> = OnceLock::new();
    CLIENT
        .get_or_init(|| {
            // Fails only when a provider was chosen already, which is as good.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let version = env!("CARGO_PKG_VERSION");
            let client = reqwest::Client::builder().user_agent(format!("agentci/{version}"));
            client.redirect(reqwest::redirect::Policy::limited(5)).build().map_err(|error| reason(&error))
        })
        .as_ref()
        .map_err(|reason| HttpError::Request(reason.clone()))
}

/// The error with its causes, which the outermost alone does not tell; the address is left out, as it may hold a secret.
fn reason(error: &reqwest::Error) -> String {
    use std::error::Error as _;
    if error.is_timeout() {
        return "no answer in time".into();
    }
    let mut words = Vec::new();
    let mut cause = error.source();
    while let Some(inner) = cause {
        words.push(inner.to_string());
        cause = inner.source();
    }
    if words.is_empty() { "the request failed".into() } else { words.join(": ") }
}
