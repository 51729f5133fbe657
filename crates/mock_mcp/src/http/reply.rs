//! HTTP responses.

use agentci_protocols::jsonrpc::{RpcError, reply_value};
use agentci_wire::serve::ServedBody;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

use super::answer_body::McpAnswerBody;
use crate::faults::{SpoiltMessage, remains};

/// A message as JSON.
pub(super) fn message(status: u16, message: &Value) -> Response<McpAnswerBody> {
    response(status, "application/json", McpAnswerBody::whole(message.to_string()))
}

/// A message with a fault.
pub(super) fn half(text: String, spoilt: SpoiltMessage) -> Response<McpAnswerBody> {
    let body = match spoilt {
        SpoiltMessage::Malformed => McpAnswerBody::whole(remains(&text, spoilt)),
        SpoiltMessage::Truncated => McpAnswerBody::Whole(ServedBody::halved(text.into())),
    };
    response(200, "application/json", body)
}

fn response(status: u16, content: &'static str, body: McpAnswerBody) -> Response<McpAnswerBody> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).expect("every caller gives an HTTP status");
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content));
    response
}

/// A JSON-RPC error.
pub(super) fn rpc_error(status: u16, id: &Value, error: RpcError) -> Response<McpAnswerBody> {
    message(status, &reply_value(id, Err(error)))
}

/// A refusal that does not answer a JSON-RPC request.
pub(super) fn refused(status: u16, words: &str) -> Response<McpAnswerBody> {
    message(status, &json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32000, "message": words } }))
}

/// The response to a notification or an answer.
pub(super) fn accepted() -> Response<McpAnswerBody> {
    empty(StatusCode::ACCEPTED)
}

pub(super) fn empty(status: StatusCode) -> Response<McpAnswerBody> {
    let mut response = Response::new(McpAnswerBody::whole(""));
    *response.status_mut() = status;
    response
}

/// A stream of events.
pub(super) fn events(body: McpAnswerBody) -> Response<McpAnswerBody> {
    let mut response = response(200, "text/event-stream", body);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
