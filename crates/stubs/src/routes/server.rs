//! The server: one for all cases of a suite.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use super::session::{RouteOptions, RouteSession};
use super::{error::RouteError, sessions::RouteSessions};
use agentci_wire::serve::{ClientLimits, Serving};

/// Clients keep connections for later; one that is closed too early is a request that fails for no reason.
const LIMITS: ClientLimits = ClientLimits { connections: 1_024, head: Some(Duration::from_mins(5)) };

/// How a server is started.
#[derive(Debug, Clone)]
pub struct RouteServerOptions {
    /// The address; loopback by default.
    pub bind: IpAddr,
    /// The port; 0, the default, is any that is free.
    pub port: u16,
}

impl Default for RouteServerOptions {
    fn default() -> Self {
        Self { bind: IpAddr::V4(Ipv4Addr::LOCALHOST), port: 0 }
    }
}

/// Tools over HTTP, served until this is dropped.
#[derive(Debug)]
pub struct RouteServer {
    serving: Serving,
    board: Arc<RouteSessions>,
}

impl RouteServer {
    /// Starts a server that has no routes yet; within a runtime that can do input and output.
    pub async fn start(options: RouteServerOptions) -> Result<Self, RouteError> {
        let wanted = SocketAddr::new(options.bind, options.port);
        let board = Arc::new(RouteSessions::default());
        let serving = Serving::start(wanted, LIMITS, Arc::clone(&board)).await;
        let serving = serving.map_err(|error| RouteError::Address(wanted, error))?;
        Ok(Self { serving, board })
    }

    /// The address it got.
    pub fn address(&self) -> SocketAddr {
        self.serving.address()
    }

    /// Where it is reached from this machine, without a slash at the end: `http://127.0.0.1:41234`.
    pub fn url(&self) -> String {
        let mut address = self.address();
        // Every address is none to go to.
        match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        format!("http://{address}")
    }

    /// Serves the routes of a case until the session is dropped: at the root, or below a scope of their own where several cases
    /// run at once.
    pub fn open(&self, scope: Option<&str>, options: RouteOptions<'_>) -> Result<RouteSession, RouteError> {
        RouteSession::open(&self.board, self.url(), (scope, false), options)
    }

    /// Serves the routes of the only case that runs below a scope of its own. A call outside of it is this case's as well, such as
    /// one of an agent that takes only the host of its base; unless an earlier case was served at the root, whose agent may be late.
    pub fn open_alone(&self, scope: &str, options: RouteOptions<'_>) -> Result<RouteSession, RouteError> {
        RouteSession::open(&self.board, self.url(), (Some(scope), true), options)
    }
}
