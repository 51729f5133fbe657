//! The server over HTTP: `POST`, `GET` and `DELETE` at `/mcp`, and the SSE transport of 2024 at `/sse`.

mod answer_body;
mod guard;
mod legacy;
mod modern;
mod reply;
mod sessions;
mod sse_transport;
mod streams;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use agentci_protocols::jsonrpc::{self, INVALID_REQUEST, JsonRpcMessage, PARSE_ERROR, RpcError};
use agentci_protocols::mcp::versions::MODERN;
use agentci_wire::serve::{BrokenOffError, ClientLimits, Handler, Serving, collect};
use hyper::body::Incoming;
use hyper::{HeaderMap, Method, Request, Response};
use serde_json::Value;

use crate::{modern::is_modern, server_state::ServerState};
use answer_body::McpAnswerBody;
use reply::{accepted, refused, rpc_error};
use sessions::ClientSessions;

const LIMITS: ClientLimits = ClientLimits { connections: 1_000, head: None };

#[derive(Debug, Clone)]
pub struct McpServerOptions {
    /// The address to listen on. Default: loopback.
    pub bind: IpAddr,
    /// The port. Default: 0, any free port.
    pub port: u16,
}

impl Default for McpServerOptions {
    fn default() -> Self {
        Self { bind: IpAddr::V4(Ipv4Addr::LOCALHOST), port: 0 }
    }
}

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
#[error("the address {0} cannot be used: {1}")]
pub struct McpServerError(SocketAddr, std::io::Error);

/// A scripted MCP server, served over HTTP until this is dropped.
#[derive(Debug)]
pub struct McpServer {
    serving: Serving,
}

impl McpServer {
    /// Starts a server. Needs a Tokio runtime with I/O enabled.
    pub async fn start(state: Arc<ServerState>, options: McpServerOptions) -> Result<Self, McpServerError> {
        let wanted = SocketAddr::new(options.bind, options.port);
        let handler = McpHandler { state, sessions: Arc::default(), local: options.bind.is_loopback() };
        let serving = Serving::start(wanted, LIMITS, Arc::new(handler)).await;
        Ok(Self { serving: serving.map_err(|error| McpServerError(wanted, error))? })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.serving.address()
    }

    /// The URL for clients that use Streamable HTTP.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address())
    }

    /// The URL for clients that use the SSE transport of 2024.
    pub fn sse_url(&self) -> String {
        format!("http://{}/sse", self.address())
    }
}

/// Handles incoming requests.
struct McpHandler {
    state: Arc<ServerState>,
    sessions: Arc<ClientSessions>,
    /// Whether the server is on loopback, so that web pages must be refused.
    local: bool,
}

impl Handler for McpHandler {
    type Body = McpAnswerBody;

    async fn respond(&self, request: Request<Incoming>) -> Result<Response<McpAnswerBody>, BrokenOffError> {
        if self.local && !guard::is_local(request.headers()) {
            return Ok(refused(
                403,
                "only requests to this machine are accepted, but `Host` or `Origin` names another",
            ));
        }
        let (parts, body) = request.into_parts();
        let path = parts.uri.path();
        Ok(match (&parts.method, path) {
            (&Method::POST, "/mcp" | "/" | "/messages") => match collect(body).await {
                Err(unread) => refused(unread.status(), &unread.to_string()),
                Ok(bytes) if path == "/messages" => {
                    sse_transport::post(&self.state, &self.sessions, parts.uri.query().unwrap_or_default(), &bytes)
                }
                Ok(bytes) => self.post(&parts.headers, &bytes).await,
            },
            (&Method::GET, "/mcp" | "/") => legacy::listen(&self.sessions, &parts.headers),
            (&Method::DELETE, "/mcp" | "/") => legacy::end(&self.sessions, &parts.headers),
            (&Method::GET, "/sse") => sse_transport::open(&self.sessions),
            (_, "/mcp" | "/") => refused(405, "use POST, GET or DELETE"),
            _ => refused(404, "MCP is at `/mcp`, and the SSE transport of 2024 at `/sse`"),
        })
    }
}

impl McpHandler {
    async fn post(&self, headers: &HeaderMap, bytes: &[u8]) -> Response<McpAnswerBody> {
        let message = match jsonrpc::read(bytes) {
            Ok(mut messages) if messages.len() == 1 => messages.remove(0),
            Ok(_) => return rpc_error(400, &Value::Null, RpcError::new(INVALID_REQUEST, "batches are not supported")),
            Err(error) => return rpc_error(400, &Value::Null, RpcError::new(PARSE_ERROR, error.to_string())),
        };
        let says_modern = header(headers, "mcp-protocol-version") == Some(MODERN);
        match message {
            JsonRpcMessage::Request { id, method, params } => {
                let params = params.as_object().cloned().unwrap_or_default();
                if says_modern || is_modern(&method, &params) {
                    return modern::answer(&self.state, headers, id, method, params).await;
                }
                legacy::answer(&self.state, &self.sessions, headers, id, method, params).await
            }
            // This revision has no sessions that it could belong to.
            JsonRpcMessage::Notification { .. } | JsonRpcMessage::Reply { .. } if says_modern => accepted(),
            message => legacy::take(&self.sessions, headers, message),
        }
    }
}

/// The value of a header, trimmed.
fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}
