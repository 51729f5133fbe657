//! Streams of MCP servers after a fork: events of the live server are sent on the recorded stream that the client
//! listens to.
//!
//! The live server does not know that stream, so a new one is opened for the client. With the SSE transport of 2024,
//! that starts a session, which is initialized with the client's own `initialize`; messages that the client posts to
//! the recorded endpoint are posted to the live one. With Streamable HTTP, the stream belongs to an existing session.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hyper::header::HeaderValue;
use hyper::http::Uri;
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method};
use reqwest::Url;
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::proxy::forking::session::{
    INITIALIZED, LARGEST_HANDSHAKE, SESSION, accepted, in_time, is_call, is_initialize, other_version, path,
};
use crate::proxy::forwarding::headers;
use crate::proxy::streams::mcp_stream::{endpoint_in, message};
use crate::proxy::{Listening, PostEndpoint, ProxyState, ReceivedBody, RequestTarget, SessionChoice, Splitter, words};
use crate::{EndKind, Exchange, RecordedRequest};

/// Maximum number of bytes of an event.
const LARGEST_EVENT: usize = 64 * 1024 * 1024;
/// Timeout for opening a stream of a live session.
const LISTEN_TIMEOUT: Duration = Duration::from_secs(5);
const NO_STREAM: &str = "did not open a stream";
/// The reason if the client has closed the stream.
const NOBODY_LISTENS: &str = "its client no longer listens to its MCP server";

/// An event of a live server on a recorded stream, or the end of the stream.
pub(crate) type LiveEvent = Result<Bytes, EndKind>;

/// The streams of a fork that the recording answers, in the order in which they were opened.
#[derive(Debug, Default)]
pub(crate) struct ForkStreams {
    /// With the SSE transport of 2024.
    opened: Mutex<Vec<Arc<RecordedStream>>>,
    /// With Streamable HTTP.
    sessions: Mutex<Vec<Arc<SessionStream>>>,
}

/// A stream that belongs to a session.
#[derive(Debug)]
struct SessionStream {
    target: RequestTarget,
    /// The request that opened it, with the recorded session.
    parts: Parts,
    client: Sender<LiveEvent>,
    followed: tokio::sync::OnceCell<()>,
}

/// A stream that the client listens to.
#[derive(Debug)]
struct RecordedStream {
    target: RequestTarget,
    path: String,
    headers: HeaderMap,
    /// Where the client posts the messages that are answered on it.
    endpoint: PostEndpoint,
    /// The client's `initialize`.
    introduced: OnceLock<Introduction>,
    /// The protocol version in the recorded answer.
    version: Value,
    client: Sender<LiveEvent>,
    /// The endpoint of the live server for messages, or why there is none.
    live: tokio::sync::OnceCell<Result<Uri, String>>,
}

#[derive(Debug)]
struct Introduction {
    initialize: Bytes,
    /// The JSON-RPC id, which the answer repeats.
    id: Value,
    headers: HeaderMap,
}

impl ForkStreams {
    /// Remembers a stream that the client opens and the recording answers. Live events for it arrive through the
    /// returned receiver.
    pub(crate) fn open(
        &self,
        target: &RequestTarget,
        parts: &Parts,
        request: &RecordedRequest,
        exchange: &Exchange,
    ) -> Option<Receiver<LiveEvent>> {
        let response = exchange.response.as_ref()?;
        let mut listening = Listening::to(request, response)?;
        let (client, live) = channel(1);
        if parts.headers.contains_key(&SESSION) {
            let followed = tokio::sync::OnceCell::new();
            let listener = SessionStream { target: target.clone(), parts: parts.clone(), client, followed };
            self.sessions.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(listener));
            return Some(live);
        }
        let frames = || response.frames.iter().map(|frame| frame.bytes.as_ref());
        frames().find(|event| endpoint_in(event).is_some())?;
        for event in frames() {
            listening.hear(event);
        }
        let version = |message: Value| message.pointer("/result/protocolVersion").cloned();
        let opened = RecordedStream {
            target: target.clone(),
            path: path(parts),
            headers: headers::to_server(&parts.headers),
            endpoint: listening.endpoint.clone(),
            introduced: OnceLock::new(),
            version: frames().filter_map(message).find_map(version).unwrap_or_default(),
            client,
            live: tokio::sync::OnceCell::new(),
        };
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(opened));
        Some(live)
    }

    /// Remembers the client's `initialize` to a server that the recording answers.
    pub(crate) fn note(&self, parts: &Parts, request: &RecordedRequest, intake: &ReceivedBody) {
        if let (Some(opened), ReceivedBody::Whole(body)) = (self.of(request), intake)
            && is_initialize(request)
            && let Some(message) = request.body.as_json()
        {
            let (id, headers) = (message["id"].clone(), headers::to_server(&parts.headers));
            let _ = opened.introduced.set(Introduction { initialize: body.clone(), id, headers });
        }
    }

    /// The client continues in a live session: events that its server sends by itself are passed on too.
    pub(crate) async fn follow(&self, recorded: &HeaderValue, live: &HeaderValue, shared: &ProxyState) {
        let listener = {
            let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            let belongs = |it: &&Arc<SessionStream>| it.parts.headers.get(&SESSION) == Some(recorded);
            sessions.iter().rev().find(belongs).cloned()
        };
        if let Some(listener) = listener {
            listener.followed.get_or_init(|| listener.follow(live, shared)).await;
        }
    }

    /// Where a request is sent. A call opens a live stream; with `begins`, any request does.
    pub(crate) async fn sent(
        &self,
        parts: &Parts,
        request: &RecordedRequest,
        begins: bool,
        shared: &ProxyState,
    ) -> SessionChoice {
        let Some(opened) = self.of(request) else { return SessionChoice::AsItIs };
        let live = if begins || is_call(request) {
            Some(opened.live.get_or_init(|| opened.connect(is_initialize(request), shared)).await)
        } else {
            opened.live.get()
        };
        SessionChoice::renewed(live, parts, |parts, uri| parts.uri = uri.clone())
    }

    /// The stream over which a request is answered.
    fn of(&self, request: &RecordedRequest) -> Option<Arc<RecordedStream>> {
        let endpoint = PostEndpoint::of(request);
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.iter().rev().find(|opened| opened.endpoint == endpoint && !opened.client.is_closed()).cloned()
    }
}

impl SessionStream {
    /// Opens the same stream in the live session. A server without such a stream sends nothing on it.
    async fn follow(&self, session: &HeaderValue, shared: &ProxyState) {
        let mut headers = headers::to_server(&self.parts.headers);
        headers.insert(SESSION, session.clone());
        let path = path(&self.parts);
        let opening = shared.upstream.send(&self.target, Method::GET, &path, headers, None);
        let is_closed = shared.upstream.closed().is_some();
        if !is_closed
            && let Ok(Ok(answer)) = tokio::time::timeout(LISTEN_TIMEOUT, opening).await
            && opens_stream(&answer)
        {
            tokio::spawn(LiveEvents::new(answer, LARGEST_EVENT).pass_on(self.client.clone()));
        }
    }
}

fn opens_stream(answer: &reqwest::Response) -> bool {
    let kind = answer.headers().get(hyper::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    answer.status().is_success() && kind.is_some_and(agentci_text::is_event_stream)
}

impl RecordedStream {
    /// Opens a stream with the live server, and initializes it, unless the client is about to do so itself.
    async fn connect(&self, introduces_itself: bool, shared: &ProxyState) -> Result<Uri, String> {
        let connecting = self.shake_hands(introduces_itself, shared);
        let (endpoint, stream) = in_time(connecting, NO_STREAM, &self.target, shared).await?;
        tokio::spawn(stream.pass_on(self.client.clone()));
        Ok(endpoint)
    }

    async fn shake_hands(&self, introduces_itself: bool, shared: &ProxyState) -> Result<(Uri, LiveEvents), String> {
        let answer = self.send(Method::GET, &self.path, self.headers.clone(), None, shared).await?;
        if !opens_stream(&answer) {
            return Err("its MCP server did not open an event stream".into());
        }
        let mut stream = LiveEvents::new(answer, LARGEST_HANDSHAKE);
        let endpoint = loop {
            let event = stream.next_of_handshake("its MCP server did not name an endpoint").await?;
            if let Some(named) = endpoint_in(&event) {
                break self.resolved(&named)?;
            }
        };
        if let Some(introduced) = self.introduced.get().filter(|_| !introduces_itself) {
            let path = endpoint.path_and_query().map_or("/", |path| path.as_str());
            let post =
                async |body: Bytes| self.send(Method::POST, path, introduced.headers.clone(), Some(body), shared).await;
            post(introduced.initialize.clone()).await?;
            loop {
                let event = stream.next_of_handshake("its MCP server did not answer `initialize`").await?;
                let is_answer = |message: &Value| message.get("method").is_none() && message["id"] == introduced.id;
                match message(&event).filter(is_answer) {
                    Some(answer) => break other_version(&self.version, &answer["result"]["protocolVersion"])?,
                    None => self.client.send(Ok(event)).await.map_err(|_| NOBODY_LISTENS)?,
                }
            }
            post(Bytes::from_static(INITIALIZED)).await?;
        }
        stream.largest = LARGEST_EVENT;
        Ok((endpoint, stream))
    }

    /// The URL of the endpoint that the live server names.
    fn resolved(&self, named: &str) -> Result<Uri, String> {
        let base = Url::parse(&format!("{}{}", self.target.origin(), self.path)).map_err(|error| error.to_string())?;
        let elsewhere = || "its MCP server names an endpoint on another host".to_owned();
        let url = base.join(named.trim()).ok().filter(|url| url.origin() == base.origin()).ok_or_else(elsewhere)?;
        url.as_str().parse().map_err(|_| elsewhere())
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Option<Bytes>,
        shared: &ProxyState,
    ) -> Result<reqwest::Response, String> {
        let answer = shared.upstream.send(&self.target, method, path, headers, body.map(Into::into)).await;
        accepted(answer, NO_STREAM, shared)
    }
}

/// The stream of a live server, event by event.
#[derive(Debug)]
struct LiveEvents {
    answer: reqwest::Response,
    splitter: Splitter,
    events: VecDeque<Bytes>,
    /// Maximum number of bytes of an event.
    largest: usize,
}

impl LiveEvents {
    fn new(answer: reqwest::Response, largest: usize) -> Self {
        let splitter = Splitter::new("text/event-stream", "");
        Self { answer, splitter, events: VecDeque::new(), largest }
    }

    /// The next event, or the end of the stream.
    async fn next(&mut self) -> LiveEvent {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(event);
            }
            let chunk =
                self.answer.chunk().await.map_err(|error| EndKind::Broken(words(error)))?.ok_or(EndKind::Closed)?;
            self.events.extend(self.splitter.push(&chunk));
            if self.splitter.open() > self.largest {
                return Err(EndKind::Broken("an event is too large".into()));
            }
        }
    }

    async fn next_of_handshake(&mut self, otherwise: &str) -> Result<Bytes, String> {
        self.next().await.map_err(|_| otherwise.to_owned())
    }

    /// Passes all events on to the client, as long as it listens.
    async fn pass_on(mut self, client: Sender<LiveEvent>) {
        loop {
            let live = tokio::select! {
                () = client.closed() => return,
                event = self.next() => event,
            };
            let is_last = live.is_err();
            if client.send(live).await.is_err() || is_last {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hyper::Request as Asked;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;
    use crate::proxy::forking::session::tests::shared;

    /// A server that answers one request with this, and then keeps the connection open.
    async fn server(answer: Vec<u8>) -> RequestTarget {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut read = [0; 4096];
            let _ = stream.read(&mut read).await;
            let _ = stream.write_all(&answer).await;
            let _ = stream.read(&mut read).await;
        });
        RequestTarget { tls: false, host: "127.0.0.1".into(), port }
    }

    fn listener(target: RequestTarget) -> (SessionStream, Receiver<LiveEvent>) {
        let (client, live) = channel(1);
        let (parts, ()) = Asked::get("/mcp").header(SESSION, "recorded").body(()).unwrap().into_parts();
        (SessionStream { target, parts, client, followed: tokio::sync::OnceCell::new() }, live)
    }

    #[tokio::test]
    async fn opening_a_stream_has_a_timeout() {
        let (listener, live) = listener(server(Vec::new()).await);
        let shared = shared();
        tokio::time::pause();
        let began = tokio::time::Instant::now();
        listener.follow(&HeaderValue::from_static("live"), &shared).await;
        assert_eq!(began.elapsed().as_secs(), LISTEN_TIMEOUT.as_secs());
        assert!(live.is_empty());
    }

    #[tokio::test]
    async fn oversized_event_ends_the_stream() {
        let mut said = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: first\n\ndata: ".to_vec();
        said.resize(said.len() + LARGEST_EVENT + 1, b'x');
        let (listener, mut live) = listener(server(said).await);
        listener.follow(&HeaderValue::from_static("live"), &shared()).await;
        assert!(matches!(live.recv().await, Some(Ok(event)) if event == "data: first\n\n"));
        let over = live.recv().await;
        assert!(matches!(&over, Some(Err(EndKind::Broken(words))) if words == "an event is too large"), "{over:?}");
    }
}
