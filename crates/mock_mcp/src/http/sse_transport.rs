//! The SSE transport of 2024: one stream for all answers, and an endpoint that messages are posted to.

use std::sync::Arc;

use agentci_plan::mcp_script::LogLevel;
use agentci_protocols::jsonrpc::{self, JsonRpcMessage, reply_value};
use bytes::Bytes;
use hyper::Response;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::answer_body::McpAnswerBody;
use super::reply::{accepted, events, refused};
use super::sessions::{ClientSession, ClientSessions};
use super::streams::{event, pass};
use crate::answer::{AnswerEra, ServerRequest};
use crate::client::{ClientLine, ServedClient};
use crate::server_state::ServerState;

const VERSION: &str = "2024-11-05";

/// Opens the stream; its first event has the endpoint for messages.
pub(super) fn open(sessions: &ClientSessions) -> Response<McpAnswerBody> {
    let (to, body) = unbounded_channel();
    let session = ClientSession::new(ServedClient::new(VERSION, json!({}), Some(LogLevel::Debug)));
    session.hold(to.clone());
    let Some(id) = sessions.begin(session) else { return refused(503, "too many sessions") };
    let _ = to.send(Bytes::from(format!("event: endpoint\ndata: /messages?session_id={id}\n\n")));
    events(McpAnswerBody::Stream(body))
}

/// Accepts messages; the answers are sent over the stream.
pub(super) fn post(
    state: &Arc<ServerState>,
    sessions: &ClientSessions,
    query: &str,
    bytes: &[u8],
) -> Response<McpAnswerBody> {
    let id = query.split('&').find_map(|pair| pair.strip_prefix("session_id="));
    let Some((id, session)) = id.and_then(|id| Some((id, sessions.find(id)?))) else {
        return refused(404, "unknown session");
    };
    let messages = match jsonrpc::read(bytes) {
        Ok(messages) => messages,
        Err(error) => return refused(400, &error.to_string()),
    };
    let Some(stream) = session.stream() else { return refused(409, "the stream of this session is closed") };
    for message in messages {
        match message {
            JsonRpcMessage::Reply { id, outcome } => session.client.answered(&id, outcome),
            JsonRpcMessage::Notification { .. } => {}
            JsonRpcMessage::Request { id: request, method, params } => {
                let params = params.as_object().cloned().unwrap_or_default();
                if method == "initialize" {
                    let (client, greeting) = state.greet(&params);
                    let begun = ClientSession::new(client);
                    begun.hold(stream.clone());
                    sessions.replace(id, begun);
                    let _ = stream.send(event(None, &reply_value(&request, Ok(greeting))));
                    continue;
                }
                let (client, line) = (Arc::clone(&session.client), line(stream.clone()));
                let asked = ServerRequest { id: request, method, params, era: AnswerEra::Legacy, client, line };
                tokio::spawn(Arc::clone(state).respond(asked));
            }
        }
    }
    accepted()
}

/// A channel to the client over the stream.
fn line(stream: UnboundedSender<Bytes>) -> ClientLine {
    let (to, out) = unbounded_channel();
    tokio::spawn(pass(out, stream));
    ClientLine(to)
}
