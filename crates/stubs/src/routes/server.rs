//! The stub tool server: one for all cases of a suite.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use super::session::{RouteOptions, RouteSession};
use super::{error::RouteError, sessions::RouteSessions};
use agentci_wire::serve::{ClientLimits, Serving};

/// Clients reuse idle connections; closing one too early would make a request fail for no reason.
const LIMITS: ClientLimits = ClientLimits { connections: 1_024, head: Some(Duration::from_mins(5)) };

#[derive(Debug, Clone)]
pub struct RouteServerOptions {
    /// The address to listen on. Default: loopback.
    pub bind: IpAddr,
    /// The port; 0 means any free port. Default: 0.
    pub port: u16,
}

impl Default for RouteServerOptions {
    fn default() -> Self {
        Self { bind: IpAddr::V4(Ipv4Addr::LOCALHOST), port: 0 }
    }
}

/// The stub tool server; it runs until it is dropped.
#[derive(Debug)]
pub struct RouteServer {
    serving: Serving,
    sessions: Arc<RouteSessions>,
}

impl RouteServer {
    /// Starts a server without routes. Requires a Tokio runtime with I/O enabled.
    pub async fn start(options: RouteServerOptions) -> Result<Self, RouteError> {
        let wanted = SocketAddr::new(options.bind, options.port);
        let sessions = Arc::new(RouteSessions::default());
        let serving = Serving::start(wanted, LIMITS, Arc::clone(&sessions)).await;
        let serving = serving.map_err(|error| RouteError::Address(wanted, error))?;
        Ok(Self { serving, sessions })
    }

    /// The address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.serving.address()
    }

    /// The URL of the server on this machine, without a trailing slash: `http://127.0.0.1:41234`.
    pub fn url(&self) -> String {
        let mut address = self.address();
        // The unspecified address cannot be connected to.
        match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        format!("http://{address}")
    }

    /// Serves the routes of a case until the session is dropped: at the root, or below a scope if several cases run
    /// concurrently.
    pub fn open(&self, scope: Option<&str>, options: RouteOptions<'_>) -> Result<RouteSession, RouteError> {
        RouteSession::open(&self.sessions, self.url(), (scope, false), options)
    }

    /// Serves the routes of the only running case below a scope. Calls outside the scope belong to this case too, such
    /// as those of an agent that uses only the host of its base URL; unless an earlier case was served at the root,
    /// whose agent may be late.
    pub fn open_alone(&self, scope: &str, options: RouteOptions<'_>) -> Result<RouteSession, RouteError> {
        RouteSession::open(&self.sessions, self.url(), (Some(scope), true), options)
    }
}
