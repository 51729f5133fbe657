//! Makes the request of a recording from one on the wire.

use agentci_trace::Redactor;
use bytes::Bytes;
use hyper::HeaderMap;
use hyper::http::request::Parts;

use super::body_kinds;
use super::target::Target;
use crate::recording::clean_path;
use crate::{Body, Request, api_of, keep_request_header, keep_response_header};

/// The request of a recording. Its path comes without the secrets that are known.
pub(crate) fn request(target: &Target, parts: &Parts, body: Body, at_us: u64, secrets: &Redactor) -> Request {
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let mut request = Request {
        at_us,
        by: None,
        method: parts.method.as_str().to_owned(),
        origin: target.origin(),
        path: clean_path(&target.origin(), path, secrets),
        speaks: None,
        headers: kept(&parts.headers, keep_request_header),
        body,
    };
    request.speaks = api_of(&request);
    request
}

/// The body of a request, by what its headers say.
pub(crate) fn body(headers: &HeaderMap, bytes: &Bytes) -> Body {
    body_kinds::read(text(headers, "content-type"), text(headers, "content-encoding"), bytes)
}

/// The headers of an answer that are kept.
pub(crate) fn response_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    kept(headers, keep_response_header)
}

/// A header as text; empty where there is none.
pub(crate) fn text<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn kept(headers: &HeaderMap, keep: fn(&str) -> bool) -> Vec<(String, String)> {
    let kept = headers.iter().filter(|(name, _)| keep(name.as_str()));
    kept.map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect()
}
