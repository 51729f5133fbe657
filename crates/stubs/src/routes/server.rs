//! The server: one for all cases of a suite.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use tokio::net::TcpListener;

use super::error::RouteError;
use super::session::{RouteOptions, RouteSession};

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
    address: SocketAddr,
}

impl RouteServer {
    /// Starts a server that has no routes yet; within a runtime that can do input and output.
    pub async fn start(options: RouteServerOptions) -> Result<Self, RouteError> {
        let wanted = SocketAddr::new(options.bind, options.port);
        let bound = async { TcpListener::bind(wanted).await?.local_addr() };
        let address = bound.await.map_err(|error| RouteError::Address(wanted, error))?;
        Ok(Self { address })
    }

    /// The address it got.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it is reached from this machine, without a slash at the end: `http://127.0.0.1:41234`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Serves the routes of a case until the session is dropped: at the root, or below a scope of their own where several cases
    /// run at once.
    pub fn open(&self, scope: Option<&str>, options: RouteOptions<'_>) -> Result<RouteSession, RouteError> {
        Ok(RouteSession::new(self.url(), scope, options))
    }
}
