//! Answers that are no stream of events.

use crate::DriveError;
use crate::error::shown;

/// Whether a server says that its requests have a `method`, as those of `CopilotKit`'s single route do.
pub(super) fn asks_for_method(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body).to_lowercase();
    text.contains("method") && (text.contains("missing") || text.contains("required") || text.contains("invalid"))
}

/// Whether a server says that it does not know the field with the version of the protocol, as those do that allow no fields but
/// their own.
pub(super) fn refuses_version(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body).to_lowercase();
    let named = text.contains("protocolversion") || text.contains("protocol_version");
    let words = ["extra", "additional", "unknown", "unexpected", "unrecognized", "not permitted", "not allowed"];
    named && words.iter().any(|word| text.contains(word))
}

/// A status that is no success.
pub(super) fn refused(status: u16, body: &[u8]) -> DriveError {
    let help = match status {
        401 | 403 => "check the credentials in the target's `headers`",
        404 | 405 => "check the target's `endpoint`: the server is there, but not at this path",
        422 => "the server does not take the request: check that it speaks AG-UI, or set the target's `wire`",
        429 => "run fewer cases at once (`--parallel`), or retry with `--retries`",
        _ => "look at the server's log",
    };
    DriveError::of_status(
        status,
        format!("the server answered with status {status}{}", shown(&String::from_utf8_lossy(body))),
        help,
    )
}

/// A success that is something else.
pub(super) fn no_stream(kind: &str, body: &[u8]) -> DriveError {
    let help = if kind.starts_with("application/vnd.ag-ui") {
        "the server answers in the binary form of AG-UI though events were asked for: let it heed the `accept` header"
    } else {
        "an AG-UI server answers with `text/event-stream`: check the target's `endpoint`"
    };
    DriveError::protocol(
        format!("the answer is no stream of events but `{kind}`{}", shown(&String::from_utf8_lossy(body))),
        help,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_method_is_understood() {
        assert!(asks_for_method(br#"{"error":"invalid_request","message":"Missing method field"}"#));
        assert!(!asks_for_method(br#"{"detail":[{"loc":["body","messages"],"msg":"Field required"}]}"#));
        assert!(!asks_for_method(b"Method Not Allowed"));
    }

    #[test]
    fn a_field_that_is_refused_is_understood() {
        let pydantic = br#"{"detail":[{"type":"extra_forbidden","loc":["body","protocolVersion"],"msg":"Extra inputs are not permitted"}]}"#;
        assert!(refuses_version(pydantic));
        assert!(refuses_version(br#"{"error":"Unrecognized key(s) in object: 'protocolVersion'"}"#));
        assert!(!refuses_version(br#"{"detail":[{"type":"extra_forbidden","loc":["body","state"]}]}"#));
        assert!(!refuses_version(br#"{"detail":"protocolVersion 1.0 is too old"}"#));
    }

    #[test]
    fn a_refusal_shows_what_the_server_says() {
        let error = refused(500, "boom \u{fc}".as_bytes());
        assert_eq!(error.to_string(), "the server answered with status 500\nit says: boom \u{fc}");
        let long = refused(404, &[b'x'; 1000]).to_string();
        assert!(long.ends_with("xxx...") && long.len() < 400, "{long}");
        assert_eq!(refused(502, b"").to_string(), "the server answered with status 502");
    }
}
