//! Detects the protocol in a tunnel by its first bytes.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Timeout of the detection after the first byte.
const REST_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest name of an HTTP method.
const LONGEST_METHOD: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TunnelProtocol {
    Tls,
    /// HTTP/1.
    Http,
    /// HTTP/2 without TLS.
    Http2,
    /// Something else.
    Other,
    /// Nothing: the client waits for the server to send first.
    Nothing,
}

/// Reads until the protocol is clear; `None` if the client disconnected. The returned bytes belong to the stream.
pub(crate) async fn sniff(io: &mut (impl AsyncRead + Unpin), patience: Duration) -> Option<(TunnelProtocol, Bytes)> {
    let mut read = BytesMut::with_capacity(64);
    match tokio::time::timeout(patience, io.read_buf(&mut read)).await {
        Ok(Ok(0) | Err(_)) => return None,
        Ok(Ok(_)) => {}
        Err(_) => return Some((TunnelProtocol::Nothing, Bytes::new())),
    }
    let more = async {
        loop {
            if let Some(spoken) = judge(&read) {
                return Some(spoken);
            }
            if !matches!(io.read_buf(&mut read).await, Ok(1..)) {
                return None;
            }
        }
    };
    let spoken = tokio::time::timeout(REST_TIMEOUT, more).await.unwrap_or(Some(TunnelProtocol::Other))?;
    Some((spoken, read.freeze()))
}

/// The protocol of these first bytes; `None` if it is not clear yet.
fn judge(bytes: &[u8]) -> Option<TunnelProtocol> {
    if bytes.first()? == &0x16 {
        return Some(TunnelProtocol::Tls);
    }
    let method = bytes.iter().take_while(|byte| byte.is_ascii_uppercase() || **byte == b'-').count();
    match bytes.get(method) {
        Some(b' ') if method > 0 => {
            // A line that begins like this is HTTP/2, whatever follows.
            Some(if bytes.starts_with(b"PRI ") { TunnelProtocol::Http2 } else { TunnelProtocol::Http })
        }
        None if method <= LONGEST_METHOD => None,
        _ => Some(TunnelProtocol::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_protocol_from_first_bytes() {
        assert_eq!(judge(&[0x16, 3, 1]), Some(TunnelProtocol::Tls));
        assert_eq!(judge(b"GET / HTTP/1.1"), Some(TunnelProtocol::Http));
        assert_eq!(judge(b"M-SEARCH * "), Some(TunnelProtocol::Http));
        assert_eq!(judge(b"PRI * HTTP/2.0"), Some(TunnelProtocol::Http2));
        assert_eq!(judge(b"PO"), None);
        assert_eq!(judge(b""), None);
        for other in [&b"SSH-2.0-x"[..], b"\0\0\0\x08", b" GET", b"AAAAAAAAAAAAAAAAAAAAAAAA", b"get /"] {
            assert_eq!(judge(other), Some(TunnelProtocol::Other), "{other:?}");
        }
    }

    #[tokio::test]
    async fn reports_silent_client_after_timeout() {
        let (_near, mut far) = tokio::io::duplex(64);
        let (spoken, bytes) = sniff(&mut far, Duration::from_millis(10)).await.unwrap();
        assert_eq!((spoken, bytes.len()), (TunnelProtocol::Nothing, 0));
    }

    #[tokio::test]
    async fn returns_none_when_client_disconnects() {
        let (near, mut far) = tokio::io::duplex(64);
        drop(near);
        assert!(sniff(&mut far, Duration::from_secs(5)).await.is_none());
    }
}
