//! Connects to a server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::client::McpClient;
use super::error::McpError;
use super::frame::FrameWatch;
use super::http::{Http, McpEndpoint};
use super::link::{Link, McpLink};
use super::revision::{self, Era};
use super::router::Router;
use super::stdio::StdioServer;
use agentci_process::ProcessCommand;
use agentci_protocols::mcp::ServerMessages;
use agentci_wire::FetchedSecrets;

/// Default of [`ConnectOptions::silence`].
const SILENCE: Duration = Duration::from_secs(2);
/// Longer than any real timeout, but within the range of the clock.
const FAR: Duration = Duration::from_hours(24 * 365);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerAddress {
    /// A program to start; it ends with the client, and so do all its descendants.
    Stdio(ProcessCommand),
    /// A server over HTTP.
    Http(McpEndpoint),
}

/// Options of a connection.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// The name of the client.
    pub name: String,
    /// The version of the client.
    pub version: String,
    /// The era of the protocol. If absent, it is detected.
    pub era: Option<Era>,
    /// The minimum level of log messages to request, such as `debug` or `warning`. If absent, the server decides.
    pub log_level: Option<String>,
    /// How long to wait for a process to answer in the modern way before the legacy handshake is sent too.
    pub silence: Duration,
    /// Receives every message.
    pub watch: FrameWatch,
    /// Receives access tokens before they are used, so that they can be redacted.
    pub fetched: FetchedSecrets,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            name: "agentci".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            era: None,
            log_level: None,
            silence: SILENCE,
            watch: FrameWatch::default(),
            fetched: FetchedSecrets::default(),
        }
    }
}

impl McpClient {
    /// Connects to a server and detects its protocol version, all within the limit.
    pub async fn connect(server: ServerAddress, options: ConnectOptions, limit: Duration) -> Result<Self, McpError> {
        let deadline = (Instant::now() + limit.min(FAR), limit);
        match attempt(&server, &options, options.era, deadline).await {
            // Some legacy servers exit if the first message is not `initialize`.
            Err(McpError::Died { .. }) if options.era.is_none() => {
                attempt(&server, &options, Some(Era::Legacy), deadline).await
            }
            outcome => outcome,
        }
    }
}

async fn attempt(
    server: &ServerAddress,
    options: &ConnectOptions,
    era: Option<Era>,
    (deadline, limit): (Instant, Duration),
) -> Result<McpClient, McpError> {
    let router = Arc::new(Router::new(options.watch.clone()));
    let transport = match server {
        ServerAddress::Stdio(command) => McpLink::Stdio(StdioServer::start(command, Arc::clone(&router))?),
        ServerAddress::Http(endpoint) => {
            McpLink::Http(Arc::new(Http::new(endpoint.clone(), Arc::clone(&router), options.fetched.clone())?))
        }
    };
    let link = Link { router, transport };
    let mut received = ServerMessages::default();
    let Ok(facts) = timeout_at(deadline, Box::pin(revision::negotiate(&link, options, era, &mut received))).await
    else {
        let stderr_tail = match link.transport {
            McpLink::Stdio(stdio) => stdio.close().await.stderr_tail,
            McpLink::Http(_) => Vec::new(),
        };
        return Err(McpError::TimedOut { method: "initialize".into(), limit, noise: link.router.noise(), stderr_tail });
    };
    link.router.keep(received.notifications);
    let (facts, options) = (facts?, options.clone());
    Ok(McpClient { link, options, facts, renewal: tokio::sync::Mutex::default(), mirrored: Mutex::default() })
}
