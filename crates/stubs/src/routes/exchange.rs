//! Answers one request.

use agentci_plan::{FaultKind, Mode};
use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};

use super::miss::{Explained, outside, too_late};
use super::session_state::{BegunCall, SessionState};
use super::{control, fixtures::RouteReply, forward, path::tool, request::ToolRequest, sessions::RouteSessions};
use crate::tools::failure;
use agentci_wire::serve::{BrokenOffError, Handler, ServedBody, collect};

/// The methods that a tool accepts.
const METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

impl Handler for RouteSessions {
    type Body = ServedBody;

    async fn respond(&self, request: Request<Incoming>) -> Result<Response<ServedBody>, BrokenOffError> {
        let (head, body) = request.into_parts();
        let body = match collect(body).await {
            Ok(body) => body,
            Err(unread) => {
                let status = StatusCode::from_u16(unread.status()).expect("it is 400, 408 or 413");
                return Ok(json_response(status, &json!({ "error": unread.to_string() })));
            }
        };
        if let Some(response) = control::answer(self, &head.method, head.uri.path()) {
            return Ok(response);
        }
        let found = self.find(head.uri.path());
        if let Some(late) = self.late(&head, found.as_ref().map(|(active, _)| &**active), &body) {
            return Ok(json_response(StatusCode::GONE, &late.body()));
        }
        let Some((active, path)) = found else {
            if let Some(stray) = self.strayed(&head, &body) {
                return Ok(json_response(StatusCode::MISDIRECTED_REQUEST, &stray.body()));
            }
            let error = "no case is running, so this server has no tools";
            return Ok(json_response(StatusCode::SERVICE_UNAVAILABLE, &json!({ "error": error })));
        };
        tokio::select! {
            response = active.respond(&head, path, body) => response,
            () = active.until_closed() => Err(BrokenOffError),
        }
    }
}

impl RouteSessions {
    /// Records a late call of the previous case: no case is running, or only the previous one has a fixture for it.
    fn late(&self, head: &Parts, running: Option<&SessionState>, body: &[u8]) -> Option<Box<Explained>> {
        let former = self.former().filter(|_| running.is_none_or(|running| running.scope.is_none()))?;
        let path = called(head)?;
        let asked = ToolRequest::read(&head.headers, head.uri.query(), body);
        let tool = tool(forward::way(&former, path).map_or(path, |way| way.path));
        let fits = |active: &SessionState| active.fits(&tool, &head.method, &asked);
        if running.is_some_and(|running| running.mode != Mode::Replay || fits(running) || !fits(&former)) {
            return None;
        }
        let late = too_late(&tool, &head.method, &asked, running.is_some());
        former.late.add(late.miss.clone());
        Some(late)
    }

    /// Records a call outside the scopes of all running cases. Its case is unknown, so it is a miss of each of them.
    fn strayed(&self, head: &Parts, body: &[u8]) -> Option<Box<Explained>> {
        let cases = self.all();
        if cases.is_empty() {
            return None;
        }
        let asked = ToolRequest::read(&head.headers, head.uri.query(), body);
        let stray = outside(&tool(called(head)?), &head.method, &asked);
        for case in cases {
            case.strayed(&stray.miss);
        }
        Some(stray)
    }
}

/// The path of a request, if it calls a tool.
fn called(head: &Parts) -> Option<&str> {
    let path = head.uri.path().trim_start_matches('/');
    let listing = path.is_empty() && matches!(head.method, Method::GET | Method::HEAD);
    (!listing && head.method != Method::OPTIONS).then_some(path)
}

impl SessionState {
    async fn respond(&self, head: &Parts, path: &str, body: Vec<u8>) -> Result<Response<ServedBody>, BrokenOffError> {
        if head.method == Method::OPTIONS {
            let mut response = Response::new(ServedBody::whole(""));
            *response.status_mut() = StatusCode::NO_CONTENT;
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(METHODS));
            return Ok(response);
        }
        if path.is_empty() && matches!(head.method, Method::GET | Method::HEAD) {
            let tools: Vec<&str> = self.fixtures.ids().collect();
            return Ok(json_response(StatusCode::OK, &json!({ "tools": tools })));
        }
        let asked = ToolRequest::read(&head.headers, head.uri.query(), &body);
        let way = forward::way(self, path);
        let tool = way.as_ref().map_or_else(|_| tool(path), |way| tool(way.path));
        let begun = self.begin(&tool, &asked);
        if let Some(FaultKind::Error(words)) = &begun.fault {
            // The fixture is kept for the next attempt.
            self.answered(&begun, Err(words.clone()));
            return Ok(json_response(StatusCode::INTERNAL_SERVER_ERROR, &json!({ "error": words })));
        }
        let reply = match (self.mode, way) {
            (Mode::Replay, _) => self.fixture(&tool, &head.method, &asked),
            (_, Ok(way)) => forward::forward(self, &way, &tool, head, asked, body).await,
            (_, Err(lost)) => Err(lost),
        };
        match reply {
            Ok(reply) => self.deliver(&begun, reply).await,
            Err(explained) => {
                self.missed(&begun, &explained.miss);
                let status = match self.mode {
                    Mode::Replay => StatusCode::INTERNAL_SERVER_ERROR,
                    Mode::Record | Mode::Live => StatusCode::BAD_GATEWAY,
                };
                Ok(json_response(status, &explained.body()))
            }
        }
    }

    /// Sends an answer after its delay, with the fault of the call applied.
    async fn deliver(&self, begun: &BegunCall, reply: RouteReply) -> Result<Response<ServedBody>, BrokenOffError> {
        let told = told(&reply);
        if begun.fault == Some(FaultKind::Hang) {
            self.answered(begun, told);
            return std::future::pending().await;
        }
        let late = if let Some(FaultKind::Delay(time)) = begun.fault { time } else { std::time::Duration::ZERO };
        let delay = reply.delay.saturating_add(late);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        self.answered(begun, told);
        let speech = match begun.fault {
            Some(FaultKind::Truncated) => ServedBody::halved(reply.bytes),
            Some(FaultKind::Malformed) => ServedBody::whole(malformed(&reply.bytes)),
            None | Some(FaultKind::Error(_) | FaultKind::Delay(_) | FaultKind::Hang) => ServedBody::whole(reply.bytes),
        };
        let mut response = Response::new(speech);
        *response.status_mut() = reply.status;
        *response.headers_mut() = reply.headers;
        Ok(response)
    }
}

/// The result or the error that an answer stands for.
fn told(reply: &RouteReply) -> Result<Value, String> {
    if reply.status.is_client_error() || reply.status.is_server_error() {
        return Err(failure(reply.status.as_u16(), &reply.bytes));
    }
    if reply.bytes.trim_ascii().is_empty() {
        return Ok(Value::Null);
    }
    let json = serde_json::from_slice(&reply.bytes);
    Ok(json.unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&reply.bytes).into_owned())))
}

/// The first half of an answer, followed by invalid content.
fn malformed(bytes: &Bytes) -> Bytes {
    let half = bytes.slice(..bytes.len() / 2);
    [&half[..], b"{\"half of a"].concat().into()
}

pub(super) fn json_response(status: StatusCode, value: &Value) -> Response<ServedBody> {
    let mut response = Response::new(ServedBody::whole(format!("{value}\n")));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
