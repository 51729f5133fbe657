//! Serves one connection of the agent: HTTP/1.1 until it ends or is upgraded.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::authority::Authority;
use crate::leaks::ConnectionPrograms;
use crate::proxy::accepting::tunnel;
use crate::proxy::accepting::websocket;
use crate::proxy::answer;
use crate::proxy::{ClientProgram, ExchangeLog, ReachRules, RecordingReplay, RequestTarget, Upstream};

/// Maximum number of headers of a request.
const MOST_HEADERS: usize = 500;

/// The shared state of all connections of a session.
pub(crate) struct ProxyState {
    /// The address of the proxy.
    pub(crate) address: SocketAddr,
    pub(crate) authority: Authority,
    pub(crate) ledger: Arc<ExchangeLog>,
    pub(crate) reach: ReachRules,
    pub(crate) upstream: Upstream,
    /// The recording that answers; `None` while recording.
    pub(crate) replay: Option<RecordingReplay>,
    /// Finds the program at the other end of a connection.
    pub(crate) programs: ConnectionPrograms,
}

/// The two ends of a connection.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionEnds {
    /// The program of the agent.
    pub(crate) program: ClientProgram,
    /// The far end of the tunnel; `None` for a connection to the proxy itself.
    pub(crate) target: Option<RequestTarget>,
}

/// What a connection becomes after an answer.
#[derive(Debug)]
pub(crate) enum Upgrade {
    Tunnel(OnUpgrade, tunnel::Tunnel),
    /// A WebSocket with this far end.
    Socket(OnUpgrade, reqwest::Upgraded),
}

/// Passes the upgrade of a connection from the answer to the connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct UpgradeSlot(Arc<Mutex<Option<Upgrade>>>);

impl UpgradeSlot {
    pub(crate) fn leave(&self, becomes: Upgrade) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(becomes);
    }

    fn take(&self) -> Option<Upgrade> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Serves a connection to the proxy.
pub(crate) async fn serve(stream: TcpStream, peer: SocketAddr, shared: Arc<ProxyState>) {
    // A token must not wait for the next one.
    let _ = stream.set_nodelay(true);
    let program = ClientProgram::of(peer, shared.address, shared.programs.clone());
    if shared.replay.is_none() {
        program.look();
    }
    let ends = ConnectionEnds { program: program.clone(), target: None };
    match speak(stream, ends, &shared).await {
        Some(Upgrade::Tunnel(upgrade, tunnel)) => {
            if let Ok(upgraded) = upgrade.await {
                tunnel::run(TokioIo::new(upgraded), tunnel, program, &shared).await;
            }
        }
        Some(Upgrade::Socket(upgrade, far)) => websocket::run(upgrade, far).await,
        None => {}
    }
}

/// Answers requests until the connection ends or is upgraded.
pub(crate) async fn speak<I>(io: I, ends: ConnectionEnds, shared: &Arc<ProxyState>) -> Option<Upgrade>
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let handover = UpgradeSlot::default();
    let service = service_fn(|request| {
        let (ends, shared, handover) = (ends.clone(), Arc::clone(shared), handover.clone());
        async move { answer::answer(request, &ends, &shared, &handover).await }
    });
    let mut builder = http1::Builder::new();
    builder.max_headers(MOST_HEADERS).half_close(false);
    // A broken connection is not our error, and its open exchanges have been reported.
    let _ = builder.serve_connection(TokioIo::new(io), service).with_upgrades().await;
    handover.take()
}
