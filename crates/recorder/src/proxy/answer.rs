//! Answers one request, from the live world or from the recording.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{Method, Request, Response, StatusCode};
use tokio::net::TcpStream;

use crate::proxy::accepting::request_reader;
use crate::proxy::accepting::websocket;
use crate::proxy::forwarding::forward;
use crate::proxy::forwarding::headers;
use crate::proxy::own_answers::{refusal, unreachable, whole};
use crate::proxy::{
    AnswerBody, ConnectionEnds, ConnectionRule, ObservedRequest, OutgoingRequest, ProxyAnswer, ProxyState,
    ReceivedBody, RequestTarget, Tunnel, Upgrade, UpgradeSlot,
};
use crate::{RecordedBody, WarningKind};

/// Answers a request; an error closes the connection.
pub(crate) async fn answer(
    mut request: Request<Incoming>,
    ends: &ConnectionEnds,
    shared: &Arc<ProxyState>,
    handover: &UpgradeSlot,
) -> ProxyAnswer {
    if let Some(target) = &ends.target {
        return read(request, target, ends, shared, handover).await;
    }
    if request.method() == Method::CONNECT {
        return Ok(connect(&mut request, shared, handover).await);
    }
    let Some(target) = RequestTarget::of_uri(request.uri()) else {
        let message = "this is agentci's recording proxy; it only handles requests to other hosts";
        return Ok(refusal(StatusCode::BAD_REQUEST, "no_proxy_request", message));
    };
    match shared.reach.way(&target) {
        ConnectionRule::Read => read(request, &target, ends, shared, handover).await,
        ConnectionRule::Unread => {
            shared.ledger.note_unread(&target.host, 1, 0);
            unkept(request, &target, shared).await
        }
        ConnectionRule::Own => match dial_own(&target, shared).await {
            Ok(_) => unkept(request, &target, shared).await,
            Err(response) => Ok(response),
        },
        ConnectionRule::Refused(reason) => Ok(refuse(&target, request.method(), &reason, shared)),
    }
}

/// Opens a tunnel.
async fn connect(request: &mut Request<Incoming>, shared: &ProxyState, handover: &UpgradeSlot) -> Response<AnswerBody> {
    let Some(target) = request.uri().authority().and_then(RequestTarget::of_authority) else {
        return refusal(StatusCode::BAD_REQUEST, "no_address", "CONNECT needs a host and a port");
    };
    let tunnel = match shared.reach.way(&target) {
        ConnectionRule::Read => Tunnel::Read(target),
        ConnectionRule::Refused(reason) => return refuse(&target, &Method::CONNECT, &reason, shared),
        ConnectionRule::Own => match dial_own(&target, shared).await {
            Ok(far) => Tunnel::Raw(far, None),
            Err(response) => return response,
        },
        ConnectionRule::Unread => match shared.upstream.dial(&target).await {
            Ok(far) => Tunnel::Raw(far, Some(target.host.clone())),
            Err(words) => {
                let what = format!("{} cannot be reached: {words}", target.authority());
                shared.ledger.note(WarningKind::Unreachable(what.clone()));
                return unreachable(&what);
            }
        },
    };
    handover.leave(Upgrade::Tunnel(hyper::upgrade::on(request), tunnel));
    Response::new(whole(""))
}

/// Connects to one of the agent's own servers, and records whether it is listening.
async fn dial_own(target: &RequestTarget, shared: &ProxyState) -> Result<TcpStream, Response<AnswerBody>> {
    let dialled = shared.upstream.dial(target).await;
    if target.is_loopback() {
        shared.ledger.note_own(target.authority(), dialled.is_ok());
    }
    dialled.map_err(|words| unreachable(&format!("{} cannot be reached: {words}", target.authority())))
}

/// Refuses a target; in a replay that is a miss.
fn refuse(target: &RequestTarget, method: &Method, reason: &str, shared: &ProxyState) -> Response<AnswerBody> {
    if let Some(replay) = &shared.replay {
        let asked = format!("{method} {}", target.authority());
        shared.ledger.miss(replay.unrecordable(asked, reason, target));
    }
    refusal(StatusCode::FORBIDDEN, "refused", reason)
}

/// Records a request, or answers it from the recording.
async fn read(
    request: Request<Incoming>,
    target: &RequestTarget,
    ends: &ConnectionEnds,
    shared: &Arc<ProxyState>,
    handover: &UpgradeSlot,
) -> ProxyAnswer {
    shared.ledger.learn(target, request.headers(), request.uri());
    if headers::asks_for_socket(request.headers()) {
        return Ok(websocket::answer(request, target, shared, handover).await);
    }
    let (parts, incoming) = request.into_parts();
    let intake = request_reader::read(incoming).await?;
    let body = match &intake {
        ReceivedBody::Whole(bytes) if shared.replay.is_some() || shared.ledger.keeps(bytes.len() as u64) => {
            request_reader::body(&parts.headers, bytes)
        }
        ReceivedBody::Whole(bytes) => RecordedBody::TooLarge { bytes: bytes.len() as u64 },
        ReceivedBody::TooLarge(read, _) => {
            RecordedBody::TooLarge { bytes: read.iter().map(|piece| piece.len() as u64).sum() }
        }
    };
    let secrets = shared.ledger.secrets();
    let request = request_reader::request(target, &parts, body, shared.ledger.now_us(), &secrets);
    let asked = ObservedRequest { request, program: ends.program.clone(), keep: true };
    let outgoing = OutgoingRequest { target, parts: &parts, intake };
    match &shared.replay {
        None => Ok(forward::forward(outgoing, Some(asked), shared).await),
        Some(replay) => replay.answer(outgoing, asked, shared).await,
    }
}

/// Forwards a request without recording it.
async fn unkept(request: Request<Incoming>, target: &RequestTarget, shared: &Arc<ProxyState>) -> ProxyAnswer {
    let (parts, incoming) = request.into_parts();
    let intake = request_reader::read(incoming).await?;
    Ok(forward::forward(OutgoingRequest { target, parts: &parts, intake }, None, shared).await)
}
