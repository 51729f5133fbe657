//! Serves a tunnel that a client opened with `CONNECT`, whatever its protocol.

use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use rustls::AlertDescription;
use tokio::io::{AsyncReadExt as _, Chain, Join, ReadHalf, WriteHalf, copy_bidirectional};
use tokio::net::TcpStream;
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::server::TlsStream;

use crate::proxy::accepting::connection::speak;
use crate::proxy::accepting::sniff::sniff;
use crate::proxy::accepting::websocket;
use crate::proxy::{ClientProgram, ConnectionEnds, ProxyState, RequestTarget, TunnelProtocol, Upgrade};
use crate::{Bypass, WarningKind};

/// Timeout of a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a client may be silent if it is known to send first.
const IDLE_TIMEOUT: Duration = Duration::from_mins(10);
/// How long it may be silent otherwise: the server may send first.
const SPEAK_TIMEOUT: Duration = Duration::from_secs(3);
/// The same in a replay, where no server sends anything.
const REPLAY_SPEAK_TIMEOUT: Duration = Duration::from_secs(1);

/// How a tunnel is handled.
#[derive(Debug)]
pub(crate) enum Tunnel {
    Read(RequestTarget),
    /// Passed through unread to this server; counted if it has a host name.
    Raw(TcpStream, Option<String>),
}

type Io = TokioIo<Upgraded>;
/// A connection whose first bytes were read, and are returned again.
type Sniffed = Join<Chain<Cursor<Bytes>, ReadHalf<Io>>, WriteHalf<Io>>;

/// Runs a tunnel to its end.
pub(crate) async fn run(mut io: Io, tunnel: Tunnel, program: ClientProgram, shared: &Arc<ProxyState>) {
    let target = match tunnel {
        Tunnel::Raw(mut far, counted) => {
            if let Some(host) = &counted {
                shared.ledger.note_unread(host, 1, 0);
            }
            let copied = copy_bidirectional(&mut io, &mut far).await;
            if let (Some(host), Ok((up, down))) = (&counted, copied) {
                shared.ledger.note_unread(host, 0, up.saturating_add(down));
            }
            return;
        }
        Tunnel::Read(target) => target,
    };
    let patience = match &shared.replay {
        _ if matches!(target.port, 80 | 443) || shared.reach.is_recorded(&target) => IDLE_TIMEOUT,
        Some(_) => REPLAY_SPEAK_TIMEOUT,
        None => SPEAK_TIMEOUT,
    };
    let Some((spoken, prefix)) = sniff(&mut io, patience).await else { return };
    let (read, write) = tokio::io::split(io);
    let io = tokio::io::join(Cursor::new(prefix).chain(read), write);
    let becomes = match spoken {
        TunnelProtocol::Tls => {
            let Some((stream, target)) = shake_hands(io, target, &program, shared).await else { return };
            speak(stream, ConnectionEnds { program, target: Some(target) }, shared).await
        }
        TunnelProtocol::Http => speak(io, ConnectionEnds { program, target: Some(target) }, shared).await,
        TunnelProtocol::Http2 => return unread(io, &target, "HTTP/2 without TLS", shared).await,
        TunnelProtocol::Other => return unread(io, &target, "a protocol other than HTTP", shared).await,
        TunnelProtocol::Nothing => {
            return unread(io, &target, "a protocol in which the server speaks first", shared).await;
        }
    };
    if let Some(Upgrade::Socket(upgrade, far)) = becomes {
        websocket::run(upgrade, far).await;
    }
}

/// Terminates the client's TLS with our certificate.
async fn shake_hands(
    io: Sniffed,
    mut target: RequestTarget,
    program: &ClientProgram,
    shared: &ProxyState,
) -> Option<(TlsStream<Sniffed>, RequestTarget)> {
    let acceptor = LazyConfigAcceptor::new(rustls::server::Acceptor::default(), io);
    let start = tokio::time::timeout(HANDSHAKE_TIMEOUT, acceptor).await.ok()?.ok()?;
    let hello = start.client_hello();
    // A client that disconnects would be gone before it could be identified.
    program.look();
    target.tls = true;
    // A client that resolved the name itself connects to an address, and names the host here.
    if target.address().is_some()
        && let Some(name) = hello.server_name()
    {
        target.host = name.to_ascii_lowercase();
    }
    let offered: Vec<Vec<u8>> = hello.alpn().into_iter().flatten().map(<[u8]>::to_vec).collect();
    let http1 = offered.is_empty() || offered.iter().any(|protocol| protocol == b"http/1.1");
    let config = shared.authority.server_config(&target.host).ok()?;
    let handshake = tokio::time::timeout(HANDSHAKE_TIMEOUT, start.into_stream(config)).await;
    match handshake {
        Ok(Ok(mut stream)) => {
            stream.get_mut().1.set_buffer_limit(Some(64 * 1024));
            Some((stream, target))
        }
        _ if !http1 => {
            let reason = format!("uses only HTTP/2 for {}, which is not recorded", target.host);
            bypass(shared, program, &target, reason).await;
            None
        }
        Ok(Err(error)) => {
            if let Some(reason) = distrust(&error, &target.host) {
                bypass(shared, program, &target, reason).await;
            }
            None
        }
        Err(_) => None,
    }
}

/// Why a client aborted a handshake, if it was because of our certificate.
fn distrust(error: &std::io::Error, host: &str) -> Option<String> {
    let alert = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match alert {
        Some(rustls::Error::AlertReceived(AlertDescription::UserCanceled | AlertDescription::CloseNotify)) => None,
        Some(rustls::Error::AlertReceived(_)) => Some(format!("does not trust the recorder for {host}")),
        Some(_) => Some(format!("could not agree with the recorder on TLS for {host}")),
        None => Some(format!("disconnected when it got the recorder's certificate for {host}; it may not trust it")),
    }
}

async fn bypass(shared: &ProxyState, program: &ClientProgram, target: &RequestTarget, reason: String) {
    let found = program.found().await;
    let (pid, program) = found.map_or((0, "a program".into()), |named| (named.pid, named.name));
    shared.ledger.bypass(Bypass { program, pid, to: target.authority(), reason });
}

/// Passes through a protocol that cannot be read; in a replay it is a miss.
async fn unread(mut io: Sniffed, target: &RequestTarget, what: &str, shared: &ProxyState) {
    let authority = target.authority();
    if let Some(replay) = &shared.replay {
        let reason = format!("it uses {what}, which is not recorded");
        shared.ledger.miss(replay.unrecordable(format!("CONNECT {authority}"), &reason, target));
        return;
    }
    if shared.upstream.closed().is_some() {
        return;
    }
    match shared.upstream.dial(target).await {
        Ok(mut far) => {
            shared.ledger.note(WarningKind::NotHttp { to: authority, what: what.to_owned() });
            let _ = copy_bidirectional(&mut io, &mut far).await;
        }
        Err(words) => {
            let what = format!("{authority} cannot be reached: {}", shared.ledger.clean(&words));
            shared.ledger.note(WarningKind::Unreachable(what));
        }
    }
}
