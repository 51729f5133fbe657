//! The server: a socket on loopback, a task for each connection, and an end when it is dropped.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::ModelScript;
use agentci_trace::Kind;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::{JoinHandle, JoinSet};

use super::exchange::respond;
use super::index::IndexError;
use super::mind::Mind;
use super::observer::WireObserver;

/// How long to wait before trying again when the system has no more sockets to give.
const NO_SOCKETS: Duration = Duration::from_millis(20);

/// How a server is started.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The address; loopback by default.
    pub bind: IpAddr,
    /// The port; 0, the default, is any that is free.
    pub port: u16,
    /// What every draw depends on; the script's own without it.
    pub seed: Option<u64>,
    /// Who is told what is seen on the wire.
    pub observer: Option<UnboundedSender<Kind>>,
    /// Whether that is usage, tool calls and their results, too, and not model calls alone.
    pub observe_tools: bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self { bind: IpAddr::V4(Ipv4Addr::LOCALHOST), port: 0, seed: None, observer: None, observe_tools: true }
    }
}

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address can not be had.
    #[error("the address {0} can not be used: {1}")]
    Address(SocketAddr, std::io::Error),
    /// The script's patterns can not be used together.
    #[error(transparent)]
    Patterns(#[from] IndexError),
}

/// A model that is a script, served over HTTP until this is dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    mind: Arc<Mind>,
    accepting: JoinHandle<()>,
}

impl ModelServer {
    /// Starts a server; within a runtime that can do input and output.
    pub async fn start(script: Arc<ModelScript>, options: ServerOptions) -> Result<Self, ServerError> {
        let observer = options.observer.map(|sender| WireObserver::new(sender, options.observe_tools));
        let mind = Arc::new(Mind::new(script, options.seed, observer)?);
        let wanted = SocketAddr::new(options.bind, options.port);
        let bound = async {
            let listener = TcpListener::bind(wanted).await?;
            Ok((listener.local_addr()?, listener))
        };
        let (address, listener) = bound.await.map_err(|error| ServerError::Address(wanted, error))?;
        let accepting = tokio::spawn(accept(listener, Arc::clone(&mind)));
        Ok(Self { address, mind, accepting })
    }

    /// The address it got.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What an Anthropic SDK is given as its base: `http://127.0.0.1:41234`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What an OpenAI SDK is given as its base: the same with `/v1`.
    pub fn openai_url(&self) -> String {
        format!("{}/v1", self.url())
    }

    /// The requests so far, as `GET /__agentci/journal` tells them.
    pub fn journal(&self) -> serde_json::Value {
        self.mind.state().journal.value()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        // The connections are in a set that goes with the task.
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, mind: Arc<Mind>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(stream, Arc::clone(&mind)));
                }
                Err(_) => tokio::time::sleep(NO_SOCKETS).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(stream: TcpStream, mind: Arc<Mind>) {
    // A token must not wait for the next one.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let mind = Arc::clone(&mind);
        async move { Ok::<_, Infallible>(respond(&mind, request).await) }
    });
    // A timer for the head of each request would cost as much as reading it. A connection that says nothing is a task that
    // waits, and ends with the server.
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // A connection that breaks is the client's affair.
    let _ = connection.await;
}
