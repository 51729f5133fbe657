//! Reaching a server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::client::Client;
use super::era::{self, Era};
use super::error::Error;
use super::frame::Watch;
use super::http::{Endpoint, Http};
use super::link::{Link, Transport};
use super::router::Router;
use super::stdio::Stdio;
use agentci_process::Command;
use agentci_protocols::mcp::Heard;
use agentci_wire::FetchedSecrets;

/// How long a server may be silent about what it speaks.
const SILENCE: Duration = Duration::from_secs(2);
/// Longer than anything is waited for, and not longer than clocks go.
const FAR: Duration = Duration::from_hours(24 * 365);

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    /// A program to start; it ends with the client, and everything it started with it.
    Stdio(Command),
    /// An address.
    Http(Endpoint),
}

/// How to talk to a server.
#[derive(Debug, Clone)]
pub struct Options {
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
    pub watch: Watch,
    /// Where access tokens are made known before they are used.
    pub fetched: FetchedSecrets,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: "agentci".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            era: None,
            log_level: None,
            silence: SILENCE,
            watch: Watch::default(),
            fetched: FetchedSecrets::default(),
        }
    }
}

impl Client {
    /// Reaches a server and finds out what it speaks, all within the limit.
    pub async fn connect(server: Server, options: Options, limit: Duration) -> Result<Self, Error> {
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
    server: &Server,
    options: &Options,
    era: Option<Era>,
    (deadline, limit): (Instant, Duration),
) -> Result<Client, Error> {
    let router = Arc::new(Router::new(options.watch.clone()));
    let transport = match server {
        Server::Stdio(command) => Transport::Stdio(Stdio::start(command, Arc::clone(&router))?),
        Server::Http(endpoint) => {
            Transport::Http(Arc::new(Http::new(endpoint.clone(), Arc::clone(&router), options.fetched.clone())?))
        }
    };
    let link = Link { router, transport };
    let mut heard = Heard::default();
    let Ok(facts) = timeout_at(deadline, Box::pin(era::negotiate(&link, options, era, &mut heard))).await else {
        let stderr_tail = match link.transport {
            Transport::Stdio(stdio) => stdio.close().await.stderr_tail,
            Transport::Http(_) => Vec::new(),
        };
        return Err(Error::TimedOut { method: "initialize".into(), limit, noise: link.router.noise(), stderr_tail });
    };
    link.router.keep(heard.notifications);
    let (facts, options) = (facts?, options.clone());
    Ok(Client { link, options, facts, renewal: tokio::sync::Mutex::default(), mirrored: Mutex::default() })
}
