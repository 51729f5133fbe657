//! Extracts the requests to one server and their answers from a recording.

use agentci_protocols::jsonrpc::{self, JsonRpcMessage, RpcError};
use agentci_recorder::{Exchange, RecordedBody, Recording, messages_in};
use serde_json::{Map, Value};

use super::McpTapeError;
use super::play::{McpTape, TapedExchange, stripped};
use super::server::{address, choose};

impl McpTape {
    /// Reads the server whose address or command contains `server`. Default: the only server of the recording.
    pub fn of(recording: &Recording, server: Option<&str>) -> Result<Self, McpTapeError> {
        let chosen = choose(recording, server)?;
        let of_server = recording.exchanges.iter().filter(|exchange| chosen.contains(&address(exchange)));
        let asked = of_server.flat_map(|exchange| requests(exchange).into_iter().map(move |asked| (exchange, asked)));
        let mut streamed = streamed(recording, &chosen);
        let (mut greeting, mut entries) = (Value::Null, Vec::new());
        for (exchange, TapedRequest { id, method, params }) in asked {
            let Some(outcome) = take(&mut replies(exchange), &id).or_else(|| take(&mut streamed, &id)) else {
                continue;
            };
            match (method.as_str(), outcome) {
                ("initialize" | "server/discover", Ok(result)) if greeting.is_null() => greeting = result,
                ("initialize" | "server/discover", _) => {}
                // The client repeated this request with its input; the replay gives that answer at once.
                (_, Ok(result)) if result["resultType"] == "input_required" => {}
                (_, outcome) => entries.push(TapedExchange { params: stripped(&params), method, outcome }),
            }
        }
        Ok(Self::new(greeting, entries))
    }
}

/// A request of a client.
pub(super) struct TapedRequest {
    id: Value,
    pub(super) method: String,
    params: Map<String, Value>,
}

/// The requests that a client sent in an exchange.
pub(super) fn requests(exchange: &Exchange) -> Vec<TapedRequest> {
    let RecordedBody::Json(body) = &exchange.request.body else { return Vec::new() };
    let messages = jsonrpc::read(body.to_string().as_bytes()).unwrap_or_default();
    let asked = messages.into_iter().filter_map(|message| match message {
        JsonRpcMessage::Request { id, method, params } => {
            Some(TapedRequest { id, method, params: params.as_object().cloned().unwrap_or_default() })
        }
        JsonRpcMessage::Notification { .. } | JsonRpcMessage::Reply { .. } => None,
    });
    asked.collect()
}

/// The answers in an exchange: JSON, JSON lines, or events of a stream.
fn replies(exchange: &Exchange) -> Vec<(Value, Result<Value, RpcError>)> {
    let Some(response) = &exchange.response else { return Vec::new() };
    let messages = messages_in(&String::from_utf8_lossy(&response.whole())).into_iter().map(jsonrpc::read_value);
    let replies = messages.flatten().filter_map(|message| match message {
        JsonRpcMessage::Reply { id, outcome } => Some((id, outcome)),
        JsonRpcMessage::Request { .. } | JsonRpcMessage::Notification { .. } => None,
    });
    replies.collect()
}

/// Answers in another exchange than their requests: over the SSE transport of 2024, or over a resumed stream.
fn streamed(recording: &Recording, chosen: &[String]) -> Vec<(Value, Result<Value, RpcError>)> {
    let origins = recording.exchanges.iter().filter(|exchange| chosen.contains(&address(exchange)));
    let origins: Vec<&str> = origins.map(|exchange| exchange.request.origin.as_str()).collect();
    let listens =
        |exchange: &&Exchange| exchange.request.method == "GET" && origins.contains(&exchange.request.origin.as_str());
    recording.exchanges.iter().filter(listens).flat_map(replies).collect()
}

/// Removes and returns the answer to a request.
fn take(replies: &mut Vec<(Value, Result<Value, RpcError>)>, id: &Value) -> Option<Result<Value, RpcError>> {
    let at = replies.iter().position(|(of, _)| of == id)?;
    Some(replies.remove(at).1)
}
