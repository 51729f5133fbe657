//! Keeps web pages from reaching a server on this machine, also through DNS rebinding.

use hyper::HeaderMap;

use super::header;

/// Whether `Host` and `Origin` of a request name this machine, or are absent.
pub(super) fn is_local(headers: &HeaderMap) -> bool {
    let host = header(headers, "host").is_none_or(|host| is_local_name(name_of(host)));
    let origin = header(headers, "origin").is_none_or(|origin| {
        let rest = origin.split_once("://").map_or(origin, |(_, rest)| rest);
        is_local_name(name_of(rest))
    });
    host && origin
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
    }
}
