//! The place of a request: method, origin and path, in a canonical form.

use agentci_text::percent_decoded;

use super::clock::without_times;
use super::ids;
use crate::RecordedRequest;
use crate::tap::is_stdio;

/// The place of a request with this path, without ids and times; those are compared like the ones in a body.
pub(super) fn place_at(request: &RecordedRequest, path: &str) -> String {
    let path = without_times(&without_hex(&ids::masked(unversioned(path))));
    format!("{} {} {path}", request.method.to_ascii_uppercase(), origin(&request.origin))
}

/// A path without possible short hexadecimal ids, which may consist of digits only.
fn without_hex(path: &str) -> String {
    let is_hex = |segment: &str| segment.len() >= 8 && segment.bytes().all(|byte| byte.is_ascii_hexdigit());
    let joint = |letter: char| !letter.is_ascii_alphanumeric();
    let plain = |segment: &str| {
        let bare = segment.trim_end_matches(joint);
        if is_hex(bare) { format!("\0{}", &segment[bare.len()..]) } else { segment.to_owned() }
    };
    path.split_inclusive(joint).map(plain).collect()
}

/// Path and query.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.split_once('?').unwrap_or((path, ""))
}

/// The path without the version, which some clients add and others expect in the base URL.
pub(super) fn unversioned(path: &str) -> &str {
    let rest = path.strip_prefix("/v1").unwrap_or(path);
    let aliased = ["/messages", "/chat/completions"];
    let is_alias = |name: &&str| rest.strip_prefix(*name).is_some_and(|end| end.is_empty() || end.starts_with('/'));
    if aliased.iter().any(is_alias) { rest } else { path }
}

/// The names and values of a query, sorted by name; values of one name keep their order.
pub(super) fn query_of(path: &str) -> Vec<(String, String)> {
    let (_, query) = split(path);
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let mut pairs: Vec<_> = pairs.map(|(name, value)| (decoded(name), decoded(value))).collect();
    pairs.sort_by(|(one, _), (other, _)| one.cmp(other));
    pairs
}

/// An origin in lower case, with one name for this machine.
pub(super) fn origin(origin: &str) -> String {
    if is_stdio(origin) {
        return origin.to_owned();
    }
    let origin = origin.to_ascii_lowercase();
    let Some((scheme, authority)) = origin.split_once("://") else { return origin };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => (host, Some(port)),
        _ => (authority, None),
    };
    let host = if matches!(host, "127.0.0.1" | "[::1]") { "localhost" } else { host };
    port.map_or_else(|| format!("{scheme}://{host}"), |port| format!("{scheme}://{host}:{port}"))
}

/// Decodes percent signs and plus signs; a text that does not decode to UTF-8 is unchanged.
fn decoded(text: &str) -> String {
    percent_decoded(&text.replace('+', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalizes_equivalent_origins_and_paths() {
        for (one, other) in [
            ("http://localhost:80", "http://127.0.0.1:80"),
            ("http://[::1]:8080", "http://LOCALHOST:8080"),
            ("https://api.OpenAI.com", "https://api.openai.com"),
        ] {
            assert_eq!(origin(one), origin(other));
        }
        assert_ne!(origin("http://localhost:1"), origin("http://localhost:2"));
        assert_ne!(origin("http://localhost:1"), origin("https://localhost:1"));
        assert_eq!(unversioned("/v1/messages"), "/messages");
        assert_eq!(unversioned("/v1/chat/completions"), "/chat/completions");
        assert_eq!(unversioned("/v1/messages/count_tokens"), "/messages/count_tokens");
        assert_eq!(unversioned("/v1/messagesx"), "/v1/messagesx");
        assert_eq!(unversioned("/v1/responses"), "/v1/responses");
    }

    #[test]
    fn query_values_of_one_name_keep_their_order() {
        let of = |path: &str| query_of(path);
        assert_eq!(of("/x?b=1&a=2"), of("/x?a=2&b=1"));
        assert_ne!(of("/x?a=1&a=2"), of("/x?a=2&a=1"));
        assert_eq!(of("/x?q=a%20b"), of("/x?q=a+b"));
        assert_eq!(of("/x?q=%zz%"), [("q".to_owned(), "%zz%".to_owned())]);
    }
}
