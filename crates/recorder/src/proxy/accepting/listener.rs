//! Accepts the connections of the proxy, and ends them with the session.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::proxy::ProxyState;
use crate::proxy::accepting::connection;

/// Maximum number of concurrent connections; further ones wait.
const MOST_CONNECTIONS: usize = 1_000;
/// The pause before a retry if the system is out of sockets.
const NO_SOCKETS: Duration = Duration::from_millis(20);
/// Timeout for connections to end by themselves.
const FAREWELL: Duration = Duration::from_millis(200);
/// Timeout for the tasks of connections to stop.
const GRACE: Duration = Duration::from_secs(2);

/// A running proxy. It stops on drop.
#[derive(Debug)]
pub(crate) struct ProxyListener {
    accepting: JoinHandle<()>,
    stop: watch::Sender<bool>,
}

impl ProxyListener {
    /// Binds a socket without accepting connections.
    pub(crate) async fn bind(address: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    }

    /// Starts accepting connections.
    pub(crate) fn start(listener: TcpListener, shared: Arc<ProxyState>) -> Self {
        let (stop, stopped) = watch::channel(false);
        let serve = move |stream, peer| connection::serve(stream, peer, Arc::clone(&shared));
        Self { accepting: tokio::spawn(accept(listener, JoinSet::new(), stopped, serve)), stop }
    }

    /// Ends all connections, and waits for their tasks.
    pub(crate) async fn stop(mut self) {
        let _ = self.stop.send(true);
        let _ = tokio::time::timeout(GRACE, &mut self.accepting).await;
    }
}

impl Drop for ProxyListener {
    fn drop(&mut self) {
        // The connections are in a set that is dropped with the task.
        self.accepting.abort();
    }
}

async fn accept<F, S>(listener: TcpListener, mut connections: JoinSet<()>, mut stopped: watch::Receiver<bool>, serve: F)
where
    F: Fn(TcpStream, SocketAddr) -> S + Send,
    S: Future<Output = ()> + Send + 'static,
{
    loop {
        tokio::select! {
            _ = stopped.changed() => break,
            accepted = listener.accept(), if connections.len() < MOST_CONNECTIONS => match accepted {
                Ok((stream, peer)) => {
                    connections.spawn(serve(stream, peer));
                }
                Err(_) => tokio::time::sleep(NO_SOCKETS).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    // An agent that has exited has closed its connections, but its last data may still be unread.
    let empty = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(FAREWELL, empty).await;
    connections.shutdown().await;
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::sync::oneshot;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test]
    async fn connections_above_the_limit_wait() {
        let (socket, address) = ProxyListener::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let mut connections = JoinSet::new();
        for _ in 1..MOST_CONNECTIONS {
            connections.spawn(pending());
        }
        let (leave, left) = oneshot::channel::<()>();
        connections.spawn(async move {
            let _ = left.await;
        });
        let (served, mut seen) = tokio::sync::mpsc::unbounded_channel();
        let (stop, stopped) = watch::channel(false);
        let accepting = tokio::spawn(accept(socket, connections, stopped, move |_, peer| {
            served.send(peer).unwrap();
            pending()
        }));
        let client = TcpStream::connect(address).await.unwrap();
        let waited = tokio::time::timeout(Duration::from_millis(50), seen.recv()).await;
        assert!(waited.is_err(), "one too many was served");
        drop(leave);
        assert_eq!(seen.recv().await, Some(client.local_addr().unwrap()));
        drop(ProxyListener { accepting, stop });
    }

    #[tokio::test(start_paused = true)]
    async fn stop_abandons_open_connections_after_grace_period() {
        let listener = ProxyListener { accepting: tokio::spawn(pending()), stop: watch::channel(false).0 };
        let began = Instant::now();
        listener.stop().await;
        assert_eq!(began.elapsed().as_secs(), GRACE.as_secs());
    }
}
