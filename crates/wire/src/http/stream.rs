//! Requests whose answers are read as they arrive.

use agentci_text::media_type;
use bytes::Bytes;
use reqwest::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
};

use super::HttpError;
use super::certificate::ClientCertificate;
use super::client::{client, is_plain, kept_servers};
use super::error::server;

#[derive(Debug, Clone)]
pub struct StreamRequest {
    pub url: String,
    pub method: HttpMethod,
    /// The headers. A later header replaces an earlier one of the same name. Defaults: `content-type` is JSON, `accept`
    /// is anything, `accept-encoding` is `identity`. A `content-length` is ignored.
    pub headers: Vec<(String, String)>,
    /// The body; none if it is empty.
    pub body: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE")]
pub enum HttpMethod {
    Post,
    Get,
    Put,
    Patch,
    Delete,
}

impl HttpMethod {
    /// The name in HTTP.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// An answer whose body is still to be read. Reading is cancellation safe.
#[derive(Debug)]
pub struct Incoming {
    /// The status code.
    pub status: u16,
    response: reqwest::Response,
    /// The server, if the connection may be kept.
    kept: Option<String>,
}

/// Sends a request and waits for the head of the answer, without a timeout.
pub async fn send(request: StreamRequest) -> Result<Incoming, HttpError> {
    send_as(request, None).await
}

/// Sends a request with an optional client certificate.
pub async fn send_as(request: StreamRequest, certificate: Option<&ClientCertificate>) -> Result<Incoming, HttpError> {
    let url = reqwest::Url::parse(&request.url).map_err(|error| HttpError::Url(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(HttpError::Url(format!("`{}` is neither http nor https", url.scheme())));
    }
    let headers = headers(&request)?;
    let method = reqwest::Method::from_bytes(request.method.name().as_bytes()).expect("HTTP has these methods");
    let client = certificate.map_or_else(|| client(&url), |certificate| certificate.client(&url))?;
    let server = (certificate.is_none() && is_plain(&url)).then(|| server(&url));
    let is_kept = server.as_ref().is_some_and(|server| kept_servers().contains(server));
    let mut built = client.request(method, url).headers(headers);
    if !request.body.is_empty() {
        built = built.body(request.body);
    }
    let again = built.try_clone().filter(|_| is_kept);
    let sent = built.send().await.map_err(|error| HttpError::before_answer(&error));
    let response = match (sent, again) {
        // The server had closed the kept connection, so it has not seen the request.
        (Err(error), Some(again)) if error.is_closed() => {
            server.as_ref().map(|server| kept_servers().remove(server));
            again.send().await.map_err(|error| HttpError::before_answer(&error))?
        }
        (sent, _) => sent?,
    };
    // The two disagree on where the answer ends, and a proxy may follow the other one.
    let both = [TRANSFER_ENCODING, CONTENT_LENGTH].iter().all(|name| response.headers().contains_key(name));
    if both && !matches!(response.status().as_u16(), 204 | 304) {
        let both = "the answer has both `content-length` and `transfer-encoding`, which contradict each other";
        return Err(HttpError::Broken(both.into()));
    }
    let closes =
        response.headers().get(CONNECTION).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"close"));
    Ok(Incoming { status: response.status().as_u16(), response, kept: server.filter(|_| !closes) })
}

/// The host of a URL in lower case, and its port, as the client parses them.
pub fn host_and_port(address: &str) -> Option<(String, u16)> {
    let url = reqwest::Url::parse(address).ok()?;
    let host = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
    Some((host, url.port_or_known_default()?))
}

fn headers(request: &StreamRequest) -> Result<HeaderMap, HttpError> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    if !request.body.is_empty() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    } else if !matches!(request.method, HttpMethod::Get | HttpMethod::Delete) {
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    }
    for (name, value) in &request.headers {
        let wrong = || HttpError::Header(name.clone());
        let name = HeaderName::try_from(name.as_str()).map_err(|_| wrong())?;
        let value = HeaderValue::try_from(value.as_str()).map_err(|_| wrong())?;
        if name != CONTENT_LENGTH {
            headers.insert(name, value);
        }
    }
    Ok(headers)
}

impl Incoming {
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// The value of a header, if it is valid text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers().get(name)?.to_str().ok()
    }

    /// The content type in lower case, without parameters; empty if there is none.
    pub fn content_type(&self) -> String {
        media_type(self.header(CONTENT_TYPE.as_str()).unwrap_or_default())
    }

    /// The next bytes of the body; `None` at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        let chunk = self.response.chunk().await.map_err(|error| HttpError::in_answer(&error))?;
        if chunk.is_none() {
            kept_servers().extend(self.kept.take());
        }
        Ok(chunk)
    }

    /// The rest of the body, at most `limit` bytes.
    pub async fn body(&mut self, limit: usize) -> Result<Vec<u8>, HttpError> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            if body.len() + chunk.len() > limit {
                return Err(HttpError::TooLarge(limit));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}
