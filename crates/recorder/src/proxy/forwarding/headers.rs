//! The headers that are forwarded: all except hop-by-hop headers.

use hyper::HeaderMap;
use hyper::header::{self, HeaderName, HeaderValue};

/// Hop-by-hop headers, RFC 9110 section 7.6.1.
const OF_ONE_CONNECTION: [&str; 9] = [
    "connection",
    "proxy-connection",
    "keep-alive",
    "te",
    "transfer-encoding",
    "upgrade",
    "proxy-authenticate",
    "proxy-authorization",
    "http2-settings",
];

/// The headers of a request for the server: in order, with duplicates.
///
/// The proxy sends the body itself, so it sets the length, and does not need `expect`. The answer is requested
/// uncompressed, so that it can be read, unless that header is part of a signature.
pub(crate) fn to_server(headers: &HeaderMap) -> HeaderMap {
    let mut passed = HeaderMap::with_capacity(headers.len() + 1);
    let signed = signs_encoding(headers);
    for (name, value) in end_to_end(headers) {
        if *name == header::CONTENT_LENGTH || *name == header::EXPECT {
            continue;
        }
        if *name == header::ACCEPT_ENCODING && !signed {
            passed.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        } else {
            passed.append(name.clone(), value.clone());
        }
    }
    if !signed {
        passed.entry(header::ACCEPT_ENCODING).or_insert(HeaderValue::from_static("identity"));
    }
    passed
}

/// The headers of an answer for the client.
pub(crate) fn to_client(headers: &HeaderMap) -> HeaderMap {
    end_to_end(headers).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Whether a client requests a WebSocket.
pub(crate) fn asks_for_socket(headers: &HeaderMap) -> bool {
    names(headers, "upgrade").any(|name| name.eq_ignore_ascii_case("websocket"))
}

/// All headers except hop-by-hop headers and those listed in `connection`.
fn end_to_end(headers: &HeaderMap) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
    let named: Vec<String> = names(headers, "connection").map(str::to_ascii_lowercase).collect();
    headers.iter().filter(move |(name, _)| {
        let name = name.as_str();
        !OF_ONE_CONNECTION.contains(&name) && !named.iter().any(|other| other == name)
    })
}

fn names<'h>(headers: &'h HeaderMap, list: &'static str) -> impl Iterator<Item = &'h str> {
    let values = headers.get_all(list).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

/// Whether the request is signed, and the signature includes `accept-encoding`.
fn signs_encoding(headers: &HeaderMap) -> bool {
    let authorization = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let signed = authorization.split_once("SignedHeaders=").map_or("", |(_, rest)| rest);
    let names = signed.split(',').next().expect("a split has a first part");
    authorization.starts_with("AWS4-") && names.split(';').any(|name| name.trim() == "accept-encoding")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    fn passed(pairs: &[(&'static str, &'static str)]) -> Vec<String> {
        let passed = to_server(&headers(pairs));
        passed.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect()
    }

    #[test]
    fn drops_hop_by_hop_headers_and_keeps_order() {
        let sent = passed(&[
            ("host", "x"),
            ("connection", "keep-alive, X-Mine"),
            ("x-mine", "1"),
            ("user-agent", "a"),
            ("accept-encoding", "gzip, br"),
            ("user-agent", "b"),
            ("proxy-authorization", "Basic x"),
            ("expect", "100-continue"),
            ("x-last", "2"),
        ]);
        assert_eq!(sent, ["host: x", "user-agent: a", "user-agent: b", "accept-encoding: identity", "x-last: 2"]);
    }

    #[test]
    fn keeps_signed_header_unchanged() {
        let signature = "AWS4-HMAC-SHA256 Credential=A/b, SignedHeaders=accept-encoding;host, Signature=f";
        assert!(
            passed(&[("authorization", signature), ("accept-encoding", "gzip")])
                .contains(&"accept-encoding: gzip".into())
        );
        let other = "AWS4-HMAC-SHA256 Credential=A/b, SignedHeaders=host, Signature=accept-encoding";
        assert!(
            passed(&[("authorization", other), ("accept-encoding", "gzip")])
                .contains(&"accept-encoding: identity".into())
        );
    }
}
