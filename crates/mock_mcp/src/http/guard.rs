//! Keeps web pages from reaching a server on this machine, also through DNS rebinding.

use hyper::HeaderMap;

/// Whether `Host` and `Origin` of a request name this machine, or are absent.
pub(super) fn is_local(headers: &HeaderMap) -> bool {
    let host = is_local_in(headers, "host", |host| host);
    host && is_local_in(headers, "origin", |origin| origin.split_once("://").map_or(origin, |(_, rest)| rest))
}

/// Whether a header is absent, or the part of it that is a host names this machine. A header that is not text does not.
fn is_local_in(headers: &HeaderMap, name: &str, host: impl Fn(&str) -> &str) -> bool {
    headers.get(name).is_none_or(|value| value.to_str().is_ok_and(|text| is_local_name(name_of(host(text)))))
}

/// A host without its port.
fn name_of(host: &str) -> &str {
    if host.starts_with('[') {
        return host.split_inclusive(']').next().expect("the host is not empty");
    }
    host.split(':').next().expect("a split has a first part")
}

fn is_local_name(name: &str) -> bool {
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn refuses_foreign_hosts_and_origins() {
        for (host, origin, local) in [
            ("localhost:8080", None, true),
            ("127.0.0.1", Some("http://localhost:3000"), true),
            ("[::1]:80", Some("http://[::1]"), true),
            ("evil.example:8080", None, false),
            ("localhost.evil.example", None, false),
            ("localhost", Some("https://evil.example"), false),
            ("localhost", Some("null"), false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("host", host.parse().unwrap());
            if let Some(origin) = origin {
                headers.insert("origin", origin.parse().unwrap());
            }
            assert_eq!(is_local(&headers), local, "{host} {origin:?}");
        }
        for name in ["host", "origin"] {
            let headers = HeaderMap::from_iter([(name.parse().unwrap(), HeaderValue::from_bytes(b"\xff").unwrap())]);
            assert!(!is_local(&headers), "{name}");
        }
    }
}
