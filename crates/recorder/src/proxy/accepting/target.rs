//! The target of a request: scheme, host and port.

use std::net::IpAddr;

use regex::Regex;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestTarget {
    /// Whether it is `https`.
    pub(crate) tls: bool,
    /// A name in lower case, or an address without brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl RequestTarget {
    /// Parses the `host:port` of a `CONNECT`; the scheme is still unknown.
    pub(crate) fn of_authority(authority: &hyper::http::uri::Authority) -> Option<Self> {
        Self::new(false, authority.host(), authority.port_u16()?)
    }

    /// Parses the URL of a request to a proxy, as in `GET http://host/path`.
    pub(crate) fn of_uri(uri: &hyper::Uri) -> Option<Self> {
        let tls = match uri.scheme_str()? {
            "http" => false,
            "https" => true,
            _ => return None,
        };
        let port = uri.port_u16().unwrap_or(if tls { 443 } else { 80 });
        Self::new(tls, uri.host()?, port)
    }

    /// Parses the origin of a recorded request; `None` if it is not HTTP.
    pub(crate) fn of_origin(origin: &str) -> Option<Self> {
        Self::of_uri(&origin.parse().ok()?)
    }

    fn new(tls: bool, host: &str, port: u16) -> Option<Self> {
        let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        (!host.is_empty() && port != 0).then_some(Self { tls, host, port })
    }

    /// Scheme, host and port, as in a recording: the default port of the scheme is omitted.
    pub(crate) fn origin(&self) -> String {
        let scheme = if self.tls { "https" } else { "http" };
        let usual = if self.tls { 443 } else { 80 };
        let host = self.bracketed();
        if self.port == usual { format!("{scheme}://{host}") } else { format!("{scheme}://{host}:{}", self.port) }
    }

    /// `host:port`.
    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.bracketed(), self.port)
    }

    fn bracketed(&self) -> String {
        if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() }
    }

    /// Whether it is on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let named = self.host == "localhost" || self.host.ends_with(".localhost");
        named || self.address().is_some_and(|address| address.is_loopback() || address.is_unspecified())
    }

    /// The host, if it is an IP address.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }

    /// Whether one of these patterns matches: a host or `host:port`, with `*` for any text.
    pub(crate) fn is_among(&self, patterns: &[String]) -> bool {
        patterns.iter().any(|pattern| {
            let pattern = pattern.to_ascii_lowercase();
            fits(&pattern, &self.host) || fits(&pattern, &self.authority())
        })
    }
}

/// Whether a text matches a pattern in which `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    let pattern = regex::escape(pattern).replace(r"\*", ".*");
    Regex::new(&format!("^{pattern}$")).is_ok_and(|pattern| pattern.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(uri: &str) -> RequestTarget {
        RequestTarget::of_uri(&uri.parse().unwrap()).unwrap()
    }

    #[test]
    fn origin_omits_default_port() {
        assert_eq!(target("https://API.openai.com/v1?x").origin(), "https://api.openai.com");
        assert_eq!(target("http://api.openai.com:443/").origin(), "http://api.openai.com:443");
        assert_eq!(target("http://[::1]:80/").origin(), "http://[::1]");
        assert_eq!(target("http://[::1]:8080/").authority(), "[::1]:8080");
    }

    #[test]
    fn distinguishes_loopback_from_similar_hosts() {
        for here in ["http://localhost", "http://a.localhost", "http://127.9.9.9", "http://[::1]", "http://0.0.0.0:1"] {
            assert!(target(here).is_loopback(), "{here}");
        }
        for there in ["http://localhost.example.com", "http://127.0.0.1.example.com", "http://10.0.0.1"] {
            assert!(!target(there).is_loopback(), "{there}");
        }
    }

    #[test]
    fn star_matches_any_text() {
        let among = |pattern: &str, uri: &str| target(uri).is_among(&[pattern.to_owned()]);
        assert!(among("*.example.com", "https://a.b.example.com"));
        assert!(among("API.example.com", "https://api.example.com"));
        assert!(among("a*.example.*", "https://api.example.com"));
        assert!(among("127.0.0.1:5432", "http://127.0.0.1:5432"));
        assert!(!among("*.example.com", "https://example.com"));
        assert!(!among("example.com", "https://example.com.evil.org"));
        assert!(!among("127.0.0.1:5432", "http://127.0.0.1:54321"));
        assert!(!among("a*a", "https://a"));
    }
}
