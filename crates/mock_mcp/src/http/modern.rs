//! The revision without a handshake: headers repeat parts of the request, and there are no sessions.

use std::sync::Arc;

use agentci_protocols::jsonrpc::{METHOD_NOT_FOUND, RpcError};
use agentci_protocols::mcp::headers::{decode, of_call};
use agentci_protocols::mcp::versions::{HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION};
use hyper::{HeaderMap, Response};
use serde_json::{Map, Value};
use tokio::sync::mpsc::unbounded_channel;

use super::reply::{events, half, message, refused, rpc_error};
use super::streams::{event, pass};
use super::{answer_body::McpAnswerBody, header};
use crate::answer::{AnswerEra, ServerRequest};
use crate::client::{ClientLine, Outgoing};
use crate::{modern::Meta, server_state::ServerState};

/// Answers a request.
pub(super) async fn answer(
    state: &Arc<ServerState>,
    headers: &HeaderMap,
    id: Value,
    method: String,
    params: Map<String, Value>,
) -> Response<McpAnswerBody> {
    let client = Meta::of(&params).and_then(|meta| {
        repeats(state, headers, meta.version, &method, &params)?;
        meta.client()
    });
    let client = match client {
        Ok(client) => client,
        Err(error) => return rpc_error(400, &id, error),
    };
    let (to, mut out) = unbounded_channel();
    let asked =
        ServerRequest { id, method, params, era: AnswerEra::Modern, client: Arc::new(client), line: ClientLine(to) };
    tokio::spawn(Arc::clone(state).respond(asked));
    loop {
        match out.recv().await {
            Some(Outgoing::Message(only)) if only.get("method").is_none() => return message(status(&only), &only),
            Some(Outgoing::Message(first)) => {
                let (to, body) = unbounded_channel();
                let _ = to.send(event(None, &first));
                tokio::spawn(pass(out, to));
                return events(McpAnswerBody::Stream(body));
            }
            Some(Outgoing::Spoilt { text, spoilt }) => return half(text, spoilt),
            // There is no stream yet, and this revision cannot resume one.
            Some(Outgoing::Close) => {}
            None => return refused(500, "the request was aborted"),
        }
    }
}

/// The HTTP status for an answer.
fn status(answer: &Value) -> u16 {
    match answer["error"]["code"].as_i64() {
        Some(METHOD_NOT_FOUND) => 404,
        Some(HEADER_MISMATCH | MISSING_CAPABILITY | UNSUPPORTED_VERSION) => 400,
        _ => 200,
    }
}

/// Checks that the headers of a request match its body.
fn repeats(
    state: &ServerState,
    headers: &HeaderMap,
    version: &str,
    method: &str,
    params: &Map<String, Value>,
) -> Result<(), RpcError> {
    let mut wanted =
        vec![("mcp-protocol-version".to_owned(), version.to_owned()), ("mcp-method".to_owned(), method.to_owned())];
    wanted.extend(of_call(params));
    if method == "tools/call" {
        wanted.extend(state.mirrored.headers(params));
    }
    for (name, value) in wanted {
        let found = header(headers, &name).map(decode);
        if found != Some(decode(&value)) || found == Some(None) {
            let message = format!("the header `{name}` does not match the request");
            return Err(RpcError::new(HEADER_MISMATCH, message));
        }
    }
    Ok(())
}
