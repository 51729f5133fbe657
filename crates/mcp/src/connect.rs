//! Reaching a server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::client::McpClient;
use super::error::Error;
use super::frame::FrameWatch;
use super::http::{Http, McpEndpoint};
use super::link::{Link, McpLink};
use super::revision::{self, Era};
use super::router::Router;
use super::stdio::StdioServer;
use agentci_process::ProcessCommand;
use agentci_protocols::mcp::Heard;
use agentci_wire::FetchedSecrets;

/// How long a server may be silent about what it speaks.
const SILENCE: Duration = Duration::from_secs(2);
/// Longer than anything is waited for, and not longer than clocks go.
const FAR: Duration = Duration::from_hours(24 * 365);

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerAddress {
    /// A program to start; it ends with the client, and everything it started with it.
    Stdio(ProcessCommand),
    /// An address.
    Http(McpEndpoint),
}

/// How to talk to a server.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// The name that the client gives itself.
    pub name: String,
    /// The version that the client gives itself.
    pub version: String,
    /// The kind of revision to speak; found out when absent.
    pub era: Option<Era>,
    /// Log messages at least this important are asked for, as in `debug` and `warning`; whatever the server sends when absent.
    pub log_level: Option<String>,
    /// How long a process may be silent about what it speaks before it is greeted in the legacy way too.
    pub silence: Duration,
    /// Is shown every message.
    pub watch: FrameWatch,
    /// Where access tokens are made known before they are used.
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
    /// Reaches a server and finds out what it speaks, all within the limit.
    pub async fn connect(server: ServerAddress, options: ConnectOptions, limit: Duration) -> Result<Self, Error> {
        let deadline = (Instant::now() + limit.min(FAR), limit);
        match attempt(&server, &options, options.era, deadline).await {
            // Some servers of the legacy era leave when the first thing they hear is no greeting.
            Err(Error::Died { .. }) if options.era.is_none() => {
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
) -> Result<McpClient, Error> {
    let router = Arc::new(Router::new(options.watch.clone()));
    let transport = match server {
        ServerAddress::Stdio(command) => McpLink::Stdio(StdioServer::start(command, Arc::clone(&router))?),
        ServerAddress::Http(endpoint) => {
            McpLink::Http(Arc::new(Http::new(endpoint.clone(), Arc::clone(&router), options.fetched.clone())?))
        }
    };
    let link = Link { router, transport };
    let mut heard = Heard::default();
    let Ok(facts) = timeout_at(deadline, Box::pin(revision::negotiate(&link, options, era, &mut heard))).await else {
        let stderr_tail = match link.transport {
            McpLink::Stdio(stdio) => stdio.close().await.stderr_tail,
            McpLink::Http(_) => Vec::new(),
        };
        return Err(Error::TimedOut { method: "initialize".into(), limit, noise: link.router.noise(), stderr_tail });
    };
    link.router.keep(heard.notifications);
    let (facts, options) = (facts?, options.clone());
    Ok(McpClient { link, options, facts, renewal: tokio::sync::Mutex::default(), mirrored: Mutex::default() })
}
