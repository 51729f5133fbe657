//! Waits until a server is ready.

use std::time::Duration;

use agentci_wire::http::{HttpMethod, StreamRequest, send};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The timeout of one try.
const TRY: Duration = Duration::from_secs(2);
/// The pause between two tries.
const BETWEEN: Duration = Duration::from_millis(50);

/// The sign that a server is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReadySign {
    /// This address answers, with any status.
    Answer(String),
    /// This host and port accept connections.
    Connection(String),
}

impl ReadySign {
    /// Waits for the sign.
    pub(super) async fn wait(&self) {
        while !self.is_there().await {
            tokio::time::sleep(BETWEEN).await;
        }
    }

    /// Whether the sign is present now.
    pub(super) async fn is_there(&self) -> bool {
        match self {
            ReadySign::Answer(url) => {
                let headers = vec![("accept".to_owned(), "*/*".to_owned())];
                let request =
                    StreamRequest { url: url.clone(), method: HttpMethod::Get, headers, body: Vec::new().into() };
                matches!(timeout(TRY, send(request)).await, Ok(Ok(_)))
            }
            ReadySign::Connection(address) => matches!(timeout(TRY, TcpStream::connect(address)).await, Ok(Ok(_))),
        }
    }
}

impl std::fmt::Display for ReadySign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReadySign::Answer(url) => write!(f, "`{url}` did not answer"),
            ReadySign::Connection(address) => write!(f, "nothing listened on `{address}`"),
        }
    }
}

/// The host and port of an HTTP address; `None` for any other address.
pub(crate) fn host_and_port(url: &str) -> Option<String> {
    let (rest, usual) = match url.strip_prefix("http://") {
        Some(rest) => (rest, 80),
        None => (url.strip_prefix("https://")?, 443),
    };
    let authority = rest.split(['/', '?', '#']).next().expect("a split has a first part");
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    // The last colon of an IPv6 address in brackets may be part of the address.
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    match (host.is_empty(), has_port) {
        (true, _) => None,
        (false, true) => Some(host.to_owned()),
        (false, false) => Some(format!("{host}:{usual}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extracts_host_and_port() {
        for (url, expected) in [
            ("http://127.0.0.1:8081/ask?x=1", Some("127.0.0.1:8081")),
            ("http://localhost", Some("localhost:80")),
            ("https://user:word@agent.test/a:1", Some("agent.test:443")),
            ("http://[::1]:80/", Some("[::1]:80")),
            ("http://[::1]/", Some("[::1]:80")),
            ("ftp://agent.test", None),
            ("http:///x", None),
        ] {
            assert_eq!(host_and_port(url).as_deref(), expected, "{url}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn unresponsive_server_is_not_ready() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let sign = ReadySign::Answer(format!("http://{}/", listener.local_addr().unwrap()));
        let begun = tokio::time::Instant::now();
        assert!(!sign.is_there().await);
        assert_eq!(begun.elapsed().as_secs(), 2);
    }

    #[tokio::test]
    async fn detects_presence_and_absence_of_a_listener() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let sign = ReadySign::Connection(address.clone());
        assert!(sign.is_there().await);
        sign.wait().await;
        drop(listener);
        assert!(!sign.is_there().await);
        assert!(!ReadySign::Answer(format!("http://{address}/")).is_there().await);
    }
}
