//! Forwards a request to the live world, and streams its answer back.

use std::sync::Arc;

use http_body_util::BodyExt as _;
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};

use crate::proxy::forwarding::headers;
use crate::proxy::own_answers::{refusal, unreachable};
use crate::proxy::{AnswerBody, ClientProgram, ProxyState, ReceivedBody, RequestTarget, Tee, Upload, response_headers};
use crate::{EndKind, RecordedRequest, WarningKind};

/// A request to the live world.
#[derive(Debug)]
pub(crate) struct OutgoingRequest<'r> {
    pub(crate) target: &'r RequestTarget,
    pub(crate) parts: &'r Parts,
    pub(crate) intake: ReceivedBody,
}

/// The recorded form of a request that is forwarded.
#[derive(Debug)]
pub(crate) struct ObservedRequest {
    pub(crate) request: RecordedRequest,
    /// The program that sent it.
    pub(crate) program: ClientProgram,
    /// Whether it becomes part of the recording.
    pub(crate) keep: bool,
}

/// Forwards a request. Without `asked`, it is neither recorded nor reported.
pub(crate) async fn forward(
    request: OutgoingRequest<'_>,
    asked: Option<ObservedRequest>,
    shared: &Arc<ProxyState>,
) -> Response<AnswerBody> {
    let OutgoingRequest { target, parts, intake } = request;
    if asked.is_some()
        && let Some(reason) = shared.upstream.closed()
    {
        shared.ledger.note(WarningKind::Refused(reason.clone()));
        return refusal(StatusCode::BAD_REQUEST, "refused", &reason);
    }
    let mut ongoing = asked.map(|asked| shared.ledger.begin(asked.request, asked.keep).by(asked.program));
    let mut sent = headers::to_server(&parts.headers);
    let body = match intake {
        ReceivedBody::Whole(bytes) if bytes.is_empty() => None,
        ReceivedBody::Whole(bytes) => Some(reqwest::Body::from(bytes)),
        ReceivedBody::TooLarge(read, rest) => {
            let (upload, counter) = Upload::new(read, rest);
            if let Some(ongoing) = &mut ongoing {
                ongoing.counts_upload(counter);
            }
            if let Some(length) = parts.headers.get(hyper::header::CONTENT_LENGTH) {
                sent.insert(hyper::header::CONTENT_LENGTH, length.clone());
            }
            Some(reqwest::Body::wrap(upload))
        }
    };
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    match shared.upstream.send(target, parts.method.clone(), path, sent, body).await {
        Ok(answer) => {
            let answer: Response<reqwest::Body> = answer.into();
            let (head, body) = answer.into_parts();
            if let Some(ongoing) = &mut ongoing {
                ongoing.head(head.status.as_u16(), response_headers(&head.headers));
            }
            let mut response = Response::new(Tee::new(body, ongoing).boxed_unsync());
            *response.status_mut() = head.status;
            *response.headers_mut() = headers::to_client(&head.headers);
            response
        }
        Err(words) => {
            let words = format!("{} cannot be reached: {}", target.host, shared.ledger.clean(&words));
            if let Some(ongoing) = ongoing {
                ongoing.end(EndKind::Unreachable(words.clone()));
            }
            unreachable(&words)
        }
    }
}
