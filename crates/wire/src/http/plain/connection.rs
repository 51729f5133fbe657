//! A connection, and one request over it.

use std::io;
use std::net::SocketAddr;

use bytes::{Bytes, BytesMut};
use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_LENGTH, HOST, HeaderMap, LOCATION, USER_AGENT};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{Body, Head, pool};
use crate::http::HttpError;
use crate::http::client::{REDIRECTS, is_plain};
use crate::http::error::{refused, server, unknown_name};

/// How much is read at a time.
const READ: usize = 32 << 10;

/// A connection to a server.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    /// What was read and not taken yet.
    pub(super) unread: BytesMut,
    /// Whom it leads to.
    pub(super) server: String,
}

impl Connection {
    async fn open(url: &Url, server: String) -> Result<Self, HttpError> {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let port = url.port_or_known_default().unwrap_or(80);
        let unreachable = |reason: String| HttpError::Connect { server: server.clone(), reason };
        let found = tokio::net::lookup_host((host, port)).await;
        let found: Vec<SocketAddr> = found.map_err(|error| unreachable(unknown_name(&error)))?.collect();
        let stream = TcpStream::connect(&found[..]).await.map_err(|error| unreachable(refused(&error)))?;
        let _ = stream.set_nodelay(true);
        Ok(Self { stream, unread: BytesMut::new(), server })
    }

    /// Reads what there is; 0 at the end.
    pub(super) async fn read(&mut self) -> io::Result<usize> {
        self.unread.reserve(READ);
        self.stream.read_buf(&mut self.unread).await
    }

    /// Whether nothing came since it was last used: neither bytes that nobody asked for nor its end.
    pub(super) fn is_quiet(&self) -> bool {
        self.unread.is_empty()
            && matches!(self.stream.try_read(&mut [0; 1]), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}

/// What is sent.
pub(crate) struct Request<'r> {
    pub(crate) url: Url,
    pub(crate) method: &'static str,
    pub(crate) headers: HeaderMap,
    pub(crate) body: &'r Bytes,
    /// Who we are.
    pub(crate) agent: &'r str,
}

/// Sends a request and waits until the head of the answer is there.
///
/// Where the server sends us to another place of its own, the request goes there. Elsewhere it does not go, with all that it
/// tells of us: the answer is the redirection itself.
pub(crate) async fn send(request: Request<'_>) -> Result<(Head, Body), HttpError> {
    let Request { mut url, mut method, headers, mut body, agent } = request;
    let none = Bytes::new();
    for _ in 0..=REDIRECTS {
        let (head, answer) = once(&url, method, &headers, body, agent).await?;
        let place = head.headers.get(LOCATION).filter(|_| matches!(head.status, 301 | 302 | 303 | 307 | 308));
        let next = place.and_then(|place| url.join(place.to_str().ok()?).ok());
        let Some(next) = next.filter(|next| is_plain(next) && server(next) == server(&url)) else {
            return Ok((head, answer));
        };
        url = next;
        // Since the first browsers these have meant: look there for what came of it.
        if matches!(head.status, 301..=303) && method == "POST" {
            (method, body) = ("GET", &none);
        }
    }
    Err(HttpError::Redirects)
}

async fn once(
    url: &Url,
    method: &str,
    headers: &HeaderMap,
    body: &Bytes,
    agent: &str,
) -> Result<(Head, Body), HttpError> {
    let server = server(url);
    let request = written(url, method, headers, body, agent);
    if let Some(kept) = pool::take(&server) {
        // A connection that the server gave up meanwhile is no failure; the request was not looked at.
        match exchange(kept, &request).await {
            Err(Trouble::Unanswered(_)) => {}
            other => return other.map_err(Trouble::into_error),
        }
    }
    let fresh = Connection::open(url, server).await?;
    exchange(fresh, &request).await.map_err(Trouble::into_error)
}

enum Trouble {
    /// Not a byte came back.
    Unanswered(io::Error),
    Other(HttpError),
}

impl Trouble {
    fn into_error(self) -> HttpError {
        match self {
            Trouble::Other(error) => error,
            Trouble::Unanswered(error) => HttpError::Broken(match error.kind() {
                io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
                    "the connection was closed before an answer came".into()
                }
                _ => format!("no answer came: {error}"),
            }),
        }
    }
}

async fn exchange(mut connection: Connection, request: &[u8]) -> Result<(Head, Body), Trouble> {
    // A server may answer, and close, before it has read everything.
    let sent = connection.stream.write_all(request).await;
    let broken = |reason: String| Trouble::Other(HttpError::Broken(format!("no answer came: {reason}")));
    loop {
        let Some((head, length)) = Head::read(&connection.unread).map_err(broken)? else {
            match connection.read().await {
                Ok(0) if connection.unread.is_empty() => {
                    return Err(Trouble::Unanswered(sent.err().unwrap_or_else(|| io::ErrorKind::UnexpectedEof.into())));
                }
                Ok(0) => return Err(broken("it breaks off in its head".into())),
                Ok(_) => continue,
                Err(error) if connection.unread.is_empty() => return Err(Trouble::Unanswered(error)),
                Err(error) => return Err(broken(error.to_string())),
            }
        };
        let _ = connection.unread.split_to(length);
        match head.status {
            // Something to know before the answer itself.
            100 | 102..200 => continue,
            101 => return Err(broken("the server speaks another protocol".into())),
            _ => {}
        }
        let framing = head.framing().map_err(|reason| Trouble::Other(HttpError::Broken(reason)))?;
        let keep = head.keep && sent.is_ok();
        return Ok((head, Body::new(connection, framing, keep)));
    }
}

fn written(url: &Url, method: &str, headers: &HeaderMap, body: &Bytes, agent: &str) -> Vec<u8> {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut request = format!("{method} {}{query} HTTP/1.1\r\n", url.path()).into_bytes();
    let mut line = |name: &str, value: &[u8]| {
        request.extend_from_slice(name.as_bytes());
        request.extend_from_slice(b": ");
        request.extend_from_slice(value);
        request.extend_from_slice(b"\r\n");
    };
    if !headers.contains_key(HOST) {
        line("host", format!("{host}{port}").as_bytes());
    }
    if !headers.contains_key(ACCEPT) {
        line("accept", b"*/*");
    }
    if !headers.contains_key(USER_AGENT) {
        line("user-agent", agent.as_bytes());
    }
    for (name, value) in headers.iter().filter(|(name, _)| **name != CONTENT_LENGTH) {
        line(name.as_str(), value.as_bytes());
    }
    if !body.is_empty() || method == "POST" {
        line("content-length", body.len().to_string().as_bytes());
    }
    request.extend_from_slice(b"\r\n");
    request.extend_from_slice(body);
    request
}
