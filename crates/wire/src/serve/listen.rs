//! A server with one task per connection, which stops when it is dropped.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use super::body::BrokenOffError;

/// The wait before the next `accept` if the system is out of sockets.
const NO_SOCKETS: Duration = Duration::from_millis(20);

/// Answers requests.
pub trait Handler: Send + Sync + 'static {
    /// The body of its answers.
    type Body: Body<Data = Bytes, Error = BrokenOffError> + Send + 'static;

    /// Answers a request; an error closes the connection early.
    fn respond(
        &self,
        request: Request<Incoming>,
    ) -> impl Future<Output = Result<Response<Self::Body>, BrokenOffError>> + Send + '_;
}

#[derive(Debug, Clone, Copy)]
pub struct ClientLimits {
    /// The maximum number of connections; further ones wait.
    pub connections: usize,
    /// The timeout of an idle connection, and of the head of a request.
    pub head: Option<Duration>,
}

/// A running server; it stops when this is dropped.
#[derive(Debug)]
pub struct Serving {
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl Serving {
    /// Binds a socket and starts the server.
    pub async fn start<H: Handler>(address: SocketAddr, limits: ClientLimits, handler: Arc<H>) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let accepting = tokio::spawn(accept(listener, limits, handler));
        Ok(Self { address, accepting })
    }

    /// The bound address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // The connections are in a set that is dropped with the task.
        self.accepting.abort();
    }
}

async fn accept<H: Handler>(listener: TcpListener, limits: ClientLimits, handler: Arc<H>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < limits.connections => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(stream, limits, Arc::clone(&handler)));
                }
                Err(_) => tokio::time::sleep(NO_SOCKETS).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve<H: Handler>(stream: TcpStream, limits: ClientLimits, handler: Arc<H>) {
    // Send each token immediately.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let handler = Arc::clone(&handler);
        async move { handler.respond(request).await }
    });
    let mut builder = http1::Builder::new();
    if let Some(time) = limits.head {
        builder.timer(TokioTimer::new()).header_read_timeout(time);
    }
    // Errors of a connection concern only its client.
    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;
    use crate::serve::ServedBody;

    struct Fine;

    impl Handler for Fine {
        type Body = ServedBody;

        async fn respond(&self, _request: Request<Incoming>) -> Result<Response<ServedBody>, BrokenOffError> {
            Ok(Response::new(ServedBody::whole("fine")))
        }
    }

    async fn start(limits: ClientLimits) -> Serving {
        Serving::start((Ipv4Addr::LOCALHOST, 0).into(), limits, Arc::new(Fine)).await.unwrap()
    }

    async fn rest(mut stream: TcpStream) -> String {
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text).await;
        text
    }

    #[tokio::test]
    async fn incomplete_request_head_times_out() {
        let server = start(ClientLimits { connections: 8, head: Some(Duration::from_millis(20)) }).await;
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nx-slow: ").await.unwrap();
        assert!(!rest(stream).await.contains("fine"));
    }

    #[tokio::test]
    async fn excess_connection_waits_for_free_slot() {
        let server = start(ClientLimits { connections: 1, head: None }).await;
        let first = TcpStream::connect(server.address()).await.unwrap();
        let mut second = TcpStream::connect(server.address()).await.unwrap();
        second.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
        drop(first);
        assert!(rest(second).await.ends_with("fine"));
    }
}
