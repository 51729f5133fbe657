//! Revisions with a handshake: sessions, and a stream for each request that is answered with more than one message.

use std::sync::Arc;

use agentci_protocols::jsonrpc::{INVALID_REQUEST, JsonRpcMessage, RpcError, reply_value};
use agentci_protocols::mcp::versions::LEGACY;
use hyper::header::HeaderValue;
use hyper::{HeaderMap, Response, StatusCode};
use serde_json::{Map, Value};
use tokio::sync::mpsc::unbounded_channel;

use super::reply::{accepted, empty, events, half, message, refused, rpc_error};
use super::sessions::{ClientSession, ClientSessions};
use super::{answer_body::McpAnswerBody, header};
use crate::answer::{AnswerEra, ServerRequest};
use crate::client::{ClientLine, Outgoing};
use crate::server_state::ServerState;

const SESSION: &str = "mcp-session-id";
/// From this revision on, a stream begins with an event that only has an id.
const PRIMED: &str = "2025-11-25";

/// Answers a request.
pub(super) async fn answer(
    state: &Arc<ServerState>,
    sessions: &ClientSessions,
    headers: &HeaderMap,
    id: Value,
    method: String,
    params: Map<String, Value>,
) -> Response<McpAnswerBody> {
    if method == "initialize" {
        return begin(state, sessions, &id, &params);
    }
    let session = match session(sessions, headers) {
        Ok(session) => session,
        Err((status, words)) => return rpc_error(status, &id, RpcError::new(INVALID_REQUEST, words)),
    };
    let (to, mut out) = unbounded_channel();
    let client = Arc::clone(&session.client);
    let asked = ServerRequest { id, method, params, era: AnswerEra::Legacy, client, line: ClientLine(to) };
    tokio::spawn(Arc::clone(state).respond(asked));
    match out.recv().await {
        Some(Outgoing::Message(only)) if only.get("method").is_none() => message(200, &only),
        Some(Outgoing::Spoilt { text, spoilt }) => half(text, spoilt),
        Some(first) => events(session.streams.open(first, out, session.client.version.as_str() >= PRIMED)),
        None => refused(500, "the request was aborted"),
    }
}

fn begin(
    state: &ServerState,
    sessions: &ClientSessions,
    id: &Value,
    params: &Map<String, Value>,
) -> Response<McpAnswerBody> {
    let (client, greeting) = state.greet(params);
    let Some(session) = sessions.begin(ClientSession::new(client)) else {
        return refused(503, "too many sessions");
    };
    let mut response = message(200, &reply_value(id, Ok(greeting)));
    if let Ok(value) = HeaderValue::from_str(&session) {
        response.headers_mut().insert(SESSION, value);
    }
    response
}

/// Accepts a notification, or an answer of the client.
pub(super) fn take(sessions: &ClientSessions, headers: &HeaderMap, message: JsonRpcMessage) -> Response<McpAnswerBody> {
    match (session(sessions, headers), message) {
        (Ok(session), JsonRpcMessage::Reply { id, outcome }) => {
            session.client.answered(&id, outcome);
            accepted()
        }
        (Ok(_), _) => accepted(),
        (Err((status, words)), _) => refused(status, &words),
    }
}

/// Opens a stream for messages that belong to no request, or resumes a stream that broke off.
pub(super) fn listen(sessions: &ClientSessions, headers: &HeaderMap) -> Response<McpAnswerBody> {
    let session = match session(sessions, headers) {
        Ok(session) => session,
        // Without a session there is nothing to listen to.
        Err((400, _)) => return refused(405, "a stream needs a session"),
        Err((status, words)) => return refused(status, &words),
    };
    if let Some(last) = header(headers, "last-event-id") {
        return session.streams.resume(last).map_or_else(|| refused(400, "unknown event"), events);
    }
    let (to, silence) = unbounded_channel();
    session.hold(to);
    events(McpAnswerBody::Stream(silence))
}

pub(super) fn end(sessions: &ClientSessions, headers: &HeaderMap) -> Response<McpAnswerBody> {
    let ended = header(headers, SESSION).is_some_and(|id| sessions.end(id));
    if ended { empty(StatusCode::OK) } else { refused(404, "unknown session") }
}

/// The session of a request, or the status and message of the refusal.
fn session(sessions: &ClientSessions, headers: &HeaderMap) -> Result<Arc<ClientSession>, (u16, String)> {
    let Some(id) = header(headers, SESSION) else {
        return Err((400, "the header `Mcp-Session-Id` is missing: start a session with `initialize`".into()));
    };
    if let Some(version) = header(headers, "mcp-protocol-version").filter(|version| !LEGACY.contains(version)) {
        return Err((400, format!("the protocol revision `{version}` is not supported")));
    }
    sessions.find(id).ok_or_else(|| (404, "unknown session".into()))
}
