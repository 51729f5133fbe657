//! Reads a request up to a size limit, and converts it to a recorded request.

use agentci_trace::Redactor;
use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::HeaderMap;
use hyper::body::Incoming;
use hyper::http::request::Parts;

use crate::proxy::accepting::body_kinds;
use crate::proxy::{RequestTarget, UpstreamBrokenError};
use crate::recording::clean_path;
use crate::{RecordedBody, RecordedRequest, api_of, keep_request_header, keep_response_header};

/// Maximum number of bytes of a request that are kept.
pub(crate) const LARGEST_REQUEST: usize = 32 * 1024 * 1024;

/// The body of a request.
#[derive(Debug)]
pub(crate) enum ReceivedBody {
    /// The complete body.
    Whole(Bytes),
    /// Larger than the limit: the part that was read, and the rest.
    TooLarge(Vec<Bytes>, Incoming),
}

/// Reads a body up to the limit. An error means that the client disconnected.
pub(crate) async fn read(mut body: Incoming) -> Result<ReceivedBody, UpstreamBrokenError> {
    let mut pieces: Vec<Bytes> = Vec::new();
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| UpstreamBrokenError)?.into_data() else { continue };
        length += data.len();
        pieces.push(data);
        if length > LARGEST_REQUEST {
            return Ok(ReceivedBody::TooLarge(pieces, body));
        }
    }
    Ok(ReceivedBody::Whole(pieces.concat().into()))
}

/// Converts a request to a recorded one. Known secrets are removed from its path.
pub(crate) fn request(
    target: &RequestTarget,
    parts: &Parts,
    body: RecordedBody,
    at_us: u64,
    secrets: &Redactor,
) -> RecordedRequest {
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let origin = target.origin();
    let mut request = RecordedRequest {
        at_us,
        method: parts.method.as_str().to_owned(),
        path: clean_path(&origin, path, secrets),
        origin,
        headers: kept(&parts.headers, keep_request_header),
        body,
        ..RecordedRequest::default()
    };
    request.speaks = api_of(&request);
    request
}

/// The body of a request, according to its headers.
pub(crate) fn body(headers: &HeaderMap, bytes: &Bytes) -> RecordedBody {
    body_kinds::read(text(headers, "content-type"), text(headers, "content-encoding"), bytes)
}

/// The headers of an answer that are kept.
pub(crate) fn response_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    kept(headers, keep_response_header)
}

/// A header as text; empty if it is missing.
pub(crate) fn text<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn kept(headers: &HeaderMap, keep: fn(&str) -> bool) -> Vec<(String, String)> {
    let kept = headers.iter().filter(|(name, _)| keep(name.as_str()));
    kept.map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect()
}
