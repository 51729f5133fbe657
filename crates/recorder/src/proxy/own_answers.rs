//! Answers made by the recorder itself, and the common type of bodies.

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::http::{HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

use crate::MissAnswer;
use crate::proxy::UpstreamBrokenError;

pub(crate) type AnswerBody = UnsyncBoxBody<Bytes, UpstreamBrokenError>;

/// The answer to a request; an error closes the connection.
pub(crate) type ProxyAnswer = Result<Response<AnswerBody>, UpstreamBrokenError>;

/// A complete body.
pub(crate) fn whole(text: impl Into<Bytes>) -> AnswerBody {
    Full::new(text.into()).map_err(|never| match never {}).boxed_unsync()
}

/// An error answer of the recorder that clients should not retry.
pub(crate) fn refusal(status: StatusCode, kind: &str, message: &str) -> Response<AnswerBody> {
    let body = serde_json::json!({ "error": { "message": message, "type": kind } }).to_string();
    let headers = vec![("content-type".into(), "application/json".into()), ("x-should-retry".into(), "false".into())];
    of_miss(MissAnswer { status: status.as_u16(), headers, body })
}

/// The answer when a server cannot be reached.
pub(crate) fn unreachable(words: &str) -> Response<AnswerBody> {
    refusal(StatusCode::BAD_GATEWAY, "upstream_unreachable", words)
}

/// The answer to a request without a recorded answer.
pub(crate) fn of_miss(answer: MissAnswer) -> Response<AnswerBody> {
    let mut response = Response::new(whole(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::BAD_REQUEST);
    for (name, value) in answer.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().append(name, value);
        }
    }
    response
}
