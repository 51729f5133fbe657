//! Handles WebSocket requests. Frames are not recorded: a WebSocket is passed through and reported, or refused so that
//! the client uses something else.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue, UPGRADE};
use hyper::upgrade::OnUpgrade;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;

use crate::WarningKind;
use crate::proxy::forwarding::headers;
use crate::proxy::own_answers::{refusal, unreachable, whole};
use crate::proxy::{AnswerBody, ProxyState, RequestTarget, Upgrade, UpgradeSlot};

/// Answers a WebSocket request.
pub(crate) async fn answer(
    mut request: Request<Incoming>,
    target: &RequestTarget,
    shared: &Arc<ProxyState>,
    handover: &UpgradeSlot,
) -> Response<AnswerBody> {
    // Codex tries a WebSocket first, and switches to server-sent events immediately after this status.
    if request.uri().path().ends_with("/responses") {
        return refusal(StatusCode::UPGRADE_REQUIRED, "no_websocket", "the recorder supports HTTP, not WebSocket");
    }
    let origin = target.origin();
    let path = shared.ledger.clean(request.uri().path());
    if let Some(replay) = &shared.replay {
        let reason = "it uses a WebSocket, which is not recorded";
        let message = format!("{origin}{path}: {reason}");
        let asked = format!("{} {origin}{path}", request.method());
        shared.ledger.miss(replay.unrecordable(asked, reason, target));
        return refusal(StatusCode::NOT_IMPLEMENTED, "replay_miss", &message);
    }
    if let Some(reason) = shared.upstream.closed() {
        return refusal(StatusCode::BAD_REQUEST, "refused", &reason);
    }
    let upgrade = hyper::upgrade::on(&mut request);
    match open(&request, target, shared).await {
        Ok((response, far)) => {
            let refused = far.is_none().then(|| response.status().as_u16());
            shared.ledger.note(WarningKind::WebSocket { to: format!("{origin}{path}"), refused });
            if let Some(far) = far {
                handover.leave(Upgrade::Socket(upgrade, far));
            }
            response
        }
        Err(words) => {
            let what = format!("{} cannot be reached: {}", target.host, shared.ledger.clean(&words));
            shared.ledger.note(WarningKind::Unreachable(what.clone()));
            unreachable(&what)
        }
    }
}

/// Opens the WebSocket with the server. Any other answer is passed on without its body.
async fn open(
    request: &Request<Incoming>,
    target: &RequestTarget,
    shared: &ProxyState,
) -> Result<(Response<AnswerBody>, Option<reqwest::Upgraded>), String> {
    let mut sent = headers::to_server(request.headers());
    sent.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    sent.insert(UPGRADE, HeaderValue::from_static("websocket"));
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let answer = shared.upstream.send(target, request.method().clone(), path, sent, None).await?;
    let mut response = Response::new(whole(""));
    *response.status_mut() = answer.status();
    *response.headers_mut() = headers::to_client(answer.headers());
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().remove(hyper::header::CONTENT_LENGTH);
        return Ok((response, None));
    }
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    response.headers_mut().insert(UPGRADE, HeaderValue::from_static("websocket"));
    let far = answer.upgrade().await.map_err(crate::proxy::forwarding::upstream::words)?;
    Ok((response, Some(far)))
}

/// Copies both ways until one side closes.
pub(crate) async fn run(upgrade: OnUpgrade, mut far: reqwest::Upgraded) {
    if let Ok(near) = upgrade.await {
        let _ = copy_bidirectional(&mut TokioIo::new(near), &mut far).await;
    }
}
