//! Which calls of a recording may be repeated.

use agentci_trace::PLACEHOLDER;

use super::key_variables::path_without_key;
use crate::proxy::RequestTarget;
use crate::{EndKind, Exchange, ProviderApi, RecordedBody, RecordedRequest};

/// Headers of the Model Context Protocol: a request with one of them belongs to a session that no longer exists.
const MCP: [&str; 2] = ["mcp-session-id", "mcp-protocol-version"];

/// Which calls may be repeated.
#[derive(Debug, Clone, Default)]
pub struct RepeatPolicy {
    /// Only these hosts, unless empty; `*` stands for any text.
    pub only: Vec<String>,
    /// Whether to repeat requests that may change something.
    pub writes: bool,
}

/// Why a call is not repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum NotRepeatableError {
    /// It is telemetry.
    #[error("telemetry and the like")]
    Chatter,
    /// It was not sent over HTTP.
    #[error("not over HTTP")]
    NotHttp,
    /// Its host is not among the selected hosts.
    #[error("its host is not in `--only`")]
    OtherHost,
    /// It may change something.
    #[error("may change something; `--include-writes` repeats it too")]
    Write,
    /// There is no complete answer to compare with.
    #[error("its recorded answer is incomplete")]
    NoAnswer,
    /// The recorded answer is a temporary error.
    #[error("its recorded answer is a temporary error")]
    Momentary,
    /// It is signed by its sender.
    #[error("signed by the agent; only the agent can sign it")]
    Signed,
    /// Its address contained a secret, which was not recorded.
    #[error("its address contained a secret, which was not recorded")]
    Secret,
    /// Its body was not recorded verbatim.
    #[error("its body was not recorded verbatim")]
    Body,
}

/// Whether a request goes to one of these hosts: a host or `host:port`, with `*` for any text.
pub fn goes_to(request: &RecordedRequest, hosts: &[String]) -> bool {
    RequestTarget::of_origin(&request.origin).is_some_and(|target| target.is_among(hosts))
}

/// Checks whether a call may be repeated.
pub fn may_repeat(exchange: &Exchange, what: &RepeatPolicy) -> Result<(), NotRepeatableError> {
    let request = &exchange.request;
    if RequestTarget::of_origin(&request.origin).is_none() {
        return Err(NotRepeatableError::NotHttp);
    }
    if exchange.chatter {
        return Err(NotRepeatableError::Chatter);
    }
    if !what.only.is_empty() && !goes_to(request, &what.only) {
        return Err(NotRepeatableError::OtherHost);
    }
    let api = request.api();
    if api == Some(ProviderApi::Bedrock) {
        return Err(NotRepeatableError::Signed);
    }
    let looks_up = matches!(request.method.as_str(), "GET" | "HEAD");
    let in_session = request.headers.iter().any(|(name, _)| MCP.contains(&name.as_str()));
    if (!looks_up || in_session) && api.is_none() && !what.writes {
        return Err(NotRepeatableError::Write);
    }
    let Some(response) = exchange.response.as_ref().filter(|_| exchange.end.how == EndKind::Closed) else {
        return Err(NotRepeatableError::NoAnswer);
    };
    if response.status >= 500 || matches!(response.status, 408 | 425 | 429) {
        return Err(NotRepeatableError::Momentary);
    }
    if path_without_key(request).contains(PLACEHOLDER) {
        return Err(NotRepeatableError::Secret);
    }
    match request.body {
        RecordedBody::TooLarge { .. } | RecordedBody::Parts(_) => Err(NotRepeatableError::Body),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExchangeEnd, RecordedResponse};

    fn call(method: &str, url: &str) -> Exchange {
        let slash = url.find("//").map_or(0, |at| at + 2);
        let cut = url[slash..].find('/').map_or(url.len(), |at| at + slash);
        let request = RecordedRequest {
            method: method.into(),
            origin: url[..cut].into(),
            path: url[cut..].into(),
            body: RecordedBody::Json(serde_json::json!({"model": "m", "messages": [], "max_tokens": 1})),
            ..RecordedRequest::default()
        };
        let response = Some(RecordedResponse { status: 200, ..RecordedResponse::default() });
        Exchange {
            id: 1,
            request,
            response,
            end: ExchangeEnd { at_us: 0, how: EndKind::Closed },
            chatter: false,
            after: None,
        }
    }

    #[test]
    fn writes_are_repeated_only_if_allowed() {
        let asked = |exchange: &Exchange| may_repeat(exchange, &RepeatPolicy::default());
        assert_eq!(asked(&call("GET", "https://shop.example/orders/17")), Ok(()));
        assert_eq!(asked(&call("POST", "https://api.openai.com/v1/chat/completions")), Ok(()));
        let write = call("POST", "https://shop.example/refunds");
        assert_eq!(asked(&write), Err(NotRepeatableError::Write));
        assert_eq!(may_repeat(&write, &RepeatPolicy { writes: true, ..RepeatPolicy::default() }), Ok(()));
        assert_eq!(asked(&call("DELETE", "https://api.openai.com/v1/files/1")), Err(NotRepeatableError::Write));
        assert_eq!(asked(&call("POST", "stdio:files/tools")), Err(NotRepeatableError::NotHttp));
        assert_eq!(asked(&call("POST", "https://b.example/model/x/converse")), Err(NotRepeatableError::Signed));
        let mut listens = call("GET", "https://mcp.example/mcp");
        listens.request.headers.push(("mcp-session-id".into(), "1".into()));
        assert_eq!(asked(&listens), Err(NotRepeatableError::Write));
    }

    #[test]
    fn skips_requests_without_response_or_with_redacted_secret() {
        let asked = |exchange: &Exchange| may_repeat(exchange, &RepeatPolicy::default());
        let mut left = call("GET", "https://shop.example/a");
        left.end.how = EndKind::Left;
        assert_eq!(asked(&left), Err(NotRepeatableError::NoAnswer));
        let mut busy = call("GET", "https://shop.example/a");
        busy.response = Some(RecordedResponse { status: 503, ..RecordedResponse::default() });
        assert_eq!(asked(&busy), Err(NotRepeatableError::Momentary));
        assert_eq!(asked(&call("GET", "https://shop.example/a?sig=[REDACTED]")), Err(NotRepeatableError::Secret));
        // The key is sent in a header.
        let gemini = "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent?key=[REDACTED]";
        assert_eq!(asked(&call("POST", gemini)), Ok(()));
        let other = RepeatPolicy { only: vec!["*.example".into()], ..RepeatPolicy::default() };
        assert_eq!(may_repeat(&call("POST", gemini), &other), Err(NotRepeatableError::OtherHost));
    }
}
