//! Handles answers that are not event streams.

use crate::DriveError;
use crate::error::shown;

/// Whether an error says that the request lacks a `method`, as `CopilotKit`'s single route expects.
pub(super) fn asks_for_method(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body).to_lowercase();
    text.contains("method") && (text.contains("missing") || text.contains("required") || text.contains("invalid"))
}

/// Whether an error rejects the field with the protocol version, as servers do that do not allow unknown fields.
pub(super) fn refuses_version(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body).to_lowercase();
    let named = text.contains("protocolversion") || text.contains("protocol_version");
    let words = ["extra", "additional", "unknown", "unexpected", "unrecognized", "not permitted", "not allowed"];
    named && words.iter().any(|word| text.contains(word))
}

/// The error for a status that is not a success.
pub(super) fn refused(status: u16, body: &[u8]) -> DriveError {
    let help = match status {
        401 | 403 => "check the credentials in the target's `headers`",
        404 | 405 => "check the target's `endpoint`: the server answers, but not at this path",
        422 => "the server does not accept the request: check that it supports AG-UI, or set the target's `wire`",
        429 => "run fewer cases at once (`--parallel`), or retry with `--retries`",
        _ => "look at the server's log",
    };
    DriveError::of_status(
        status,
        format!("the server answered with status {status}{}", shown(&String::from_utf8_lossy(body))),
        help,
    )
}

/// The error for a success that is not an event stream.
pub(super) fn no_stream(kind: &str, body: &[u8]) -> DriveError {
    let help = if kind.starts_with("application/vnd.ag-ui") {
        "the server answers in the binary format of AG-UI, not with events: make it respect the `accept` header"
    } else {
        "an AG-UI server answers with `text/event-stream`: check the target's `endpoint`"
    };
    DriveError::protocol(
        format!("expected an event stream, found `{kind}`{}", shown(&String::from_utf8_lossy(body))),
        help,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_missing_method_error() {
        assert!(asks_for_method(br#"{"error":"invalid_request","message":"Missing method field"}"#));
        assert!(!asks_for_method(br#"{"detail":[{"loc":["body","messages"],"msg":"Field required"}]}"#));
        assert!(!asks_for_method(b"Method Not Allowed"));
    }

    #[test]
    fn detects_rejected_protocol_version_field() {
        let pydantic = br#"{"detail":[{"type":"extra_forbidden","loc":["body","protocolVersion"],"msg":"Extra inputs are not permitted"}]}"#;
        assert!(refuses_version(pydantic));
        assert!(refuses_version(br#"{"error":"Unrecognized key(s) in object: 'protocolVersion'"}"#));
        assert!(!refuses_version(br#"{"detail":[{"type":"extra_forbidden","loc":["body","state"]}]}"#));
        assert!(!refuses_version(br#"{"detail":"protocolVersion 1.0 is too old"}"#));
    }

    #[test]
    fn refusal_shows_the_response_body() {
        let error = refused(500, "boom \u{fc}".as_bytes());
        assert_eq!(error.to_string(), "the server answered with status 500\nit says: boom \u{fc}");
        let long = refused(404, &[b'x'; 1000]).to_string();
        assert!(long.ends_with("xxx...") && long.len() < 400, "{long}");
        assert_eq!(refused(502, b"").to_string(), "the server answered with status 502");
    }
}
