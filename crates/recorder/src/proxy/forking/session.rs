//! Sessions with MCP servers over HTTP that continue live after a fork.
//!
//! The live server does not know the recorded session. A new one is started with the client's own `initialize`, and the
//! client's later messages in the recorded session are sent in the new one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method};
use serde_json::Value;

use crate::proxy::forwarding::headers;
use crate::proxy::{OutgoingRequest, ProxyState, ReceivedBody, RequestTarget};
use crate::tap::messages_in;
use crate::{Exchange, RecordedRequest, WarningKind};

pub(crate) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(crate) const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const NO_SESSION: &str = "did not start a session";
/// Maximum number of bytes of an answer to `initialize`.
pub(crate) const LARGEST_HANDSHAKE: usize = 1 << 20;
/// Timeout for starting a session.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(30);

/// The sessions of a fork, by the ids that the client knows.
#[derive(Debug, Default)]
pub(crate) struct ForkSessions {
    opened: Mutex<HashMap<HeaderValue, Arc<RecordedSession>>>,
}

/// A session whose start was answered from the recording.
#[derive(Debug)]
struct RecordedSession {
    target: RequestTarget,
    path: String,
    headers: HeaderMap,
    initialize: Bytes,
    /// The protocol version in the recorded answer.
    version: Value,
    /// The id of the live session, or why there is none.
    live: tokio::sync::OnceCell<Result<HeaderValue, String>>,
}

/// The session in which a request is sent.
pub(crate) enum SessionChoice {
    /// The request is sent unchanged.
    AsItIs,
    /// The live session.
    Renewed(Box<Parts>),
    /// None: it belongs to the recorded session, and does not start a live one.
    Recorded,
    /// None, for this reason.
    Refused(String),
}

impl SessionChoice {
    /// Updates a request with the identifier of the live session, if there is one.
    pub(crate) fn renewed<T>(
        live: Option<&Result<T, String>>,
        parts: &Parts,
        renew: impl FnOnce(&mut Parts, &T),
    ) -> Self {
        match live {
            None => SessionChoice::Recorded,
            Some(Err(reason)) => SessionChoice::Refused(reason.clone()),
            Some(Ok(live)) => {
                let mut renewed = parts.clone();
                renew(&mut renewed, live);
                SessionChoice::Renewed(Box::new(renewed))
            }
        }
    }
}

impl ForkSessions {
    /// Remembers how the client opened a session that the recording answers.
    pub(crate) fn note(&self, outgoing: &OutgoingRequest<'_>, request: &RecordedRequest, exchange: &Exchange) {
        let OutgoingRequest { target, parts, intake } = outgoing;
        let (ReceivedBody::Whole(body), Some(response)) = (intake, &exchange.response) else { return };
        if !is_initialize(request) {
            return;
        }
        let mut ids = response.headers.iter().filter(|(name, _)| name == SESSION.as_str());
        let Some(id) = ids.find_map(|(_, id)| HeaderValue::from_str(id).ok()) else { return };
        let said = response.whole();
        let opened = RecordedSession {
            target: RequestTarget::clone(target),
            path: path(parts),
            headers: headers::to_server(&parts.headers),
            initialize: body.clone(),
            version: version(&said).unwrap_or_default(),
            live: tokio::sync::OnceCell::new(),
        };
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::new(opened));
    }

    /// The session in which a request is sent. A call starts a live one; listening, notifications and the end of a
    /// session do not.
    pub(crate) async fn sent(&self, parts: &Parts, request: &RecordedRequest, shared: &ProxyState) -> SessionChoice {
        let recorded = parts.headers.get(&SESSION);
        let opened = recorded.and_then(|id| {
            let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
            opened.get(id).cloned()
        });
        let Some(opened) = opened else { return SessionChoice::AsItIs };
        let live = if is_call(request) {
            Some(opened.live.get_or_init(|| opened.open(parts.headers.get(&VERSION), shared)).await)
        } else {
            opened.live.get()
        };
        SessionChoice::renewed(live, parts, |parts, id| drop(parts.headers.insert(SESSION, id.clone())))
    }
}

pub(super) fn is_initialize(request: &RecordedRequest) -> bool {
    request.body.as_json().is_some_and(|body| body["method"] == "initialize")
}

pub(crate) fn is_call(request: &RecordedRequest) -> bool {
    request.body.as_json().is_some_and(|body| body.get("method").is_some() && body.get("id").is_some())
}

impl RecordedSession {
    /// Starts a session with the live server.
    async fn open(&self, version: Option<&HeaderValue>, shared: &ProxyState) -> Result<HeaderValue, String> {
        in_time(self.shake_hands(version, shared), NO_SESSION, &self.target, shared).await
    }

    async fn shake_hands(&self, header: Option<&HeaderValue>, shared: &ProxyState) -> Result<HeaderValue, String> {
        let mut answer = self.post(self.headers.clone(), self.initialize.clone(), shared).await?;
        let id = answer.headers().get(&SESSION).cloned().ok_or("its MCP server did not start a session")?;
        let mut said = Vec::new();
        let spoken = loop {
            if let Some(version) = version(&said) {
                break version;
            }
            match answer.chunk().await {
                Ok(Some(chunk)) if said.len() + chunk.len() <= LARGEST_HANDSHAKE => said.extend_from_slice(&chunk),
                _ => return Err("its MCP server did not answer `initialize`".into()),
            }
        };
        other_version(&self.version, &spoken)?;
        let mut headers = self.headers.clone();
        headers.insert(SESSION, id.clone());
        headers.extend(header.map(|version| (VERSION, version.clone())));
        self.post(headers, Bytes::from_static(INITIALIZED), shared).await?;
        Ok(id)
    }

    async fn post(&self, headers: HeaderMap, body: Bytes, shared: &ProxyState) -> Result<reqwest::Response, String> {
        let answer = shared.upstream.send(&self.target, Method::POST, &self.path, headers, Some(body.into())).await;
        accepted(answer, NO_SESSION, shared)
    }
}

/// The result of a handshake with the live server. Fails after a timeout, or if no more requests may be sent.
pub(crate) async fn in_time<T>(
    handshake: impl Future<Output = Result<T, String>>,
    otherwise: &str,
    target: &RequestTarget,
    shared: &ProxyState,
) -> Result<T, String> {
    if let Some(reason) = shared.upstream.closed() {
        return Err(reason);
    }
    let late = |_| Err(format!("its MCP server {otherwise} within {} s", HANDSHAKE_TIMEOUT.as_secs()));
    let opened = tokio::time::timeout(HANDSHAKE_TIMEOUT, handshake).await.unwrap_or_else(late)?;
    shared.ledger.note(WarningKind::SessionAtFork(target.origin()));
    Ok(opened)
}

/// An answer of the live server, or why the session cannot continue.
pub(crate) fn accepted(
    answer: Result<reqwest::Response, String>,
    otherwise: &str,
    shared: &ProxyState,
) -> Result<reqwest::Response, String> {
    let unreachable = |words: String| format!("its MCP server cannot be reached: {}", shared.ledger.clean(&words));
    let answer = answer.map_err(unreachable)?;
    let status = answer.status();
    if status.is_success() { Ok(answer) } else { Err(format!("its MCP server {otherwise}: status {status}")) }
}

/// The client continues with the protocol version of the recorded server, so the live one must use the same.
pub(crate) fn other_version(before: &Value, now: &Value) -> Result<(), String> {
    if before == now {
        return Ok(());
    }
    Err(format!("its MCP server uses protocol version {now}, the recorded one used {before}"))
}

/// The protocol version in the answer to `initialize`, as JSON or as an event.
fn version(said: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(said).ok()?;
    messages_in(text).iter().find_map(|message| message.pointer("/result/protocolVersion").cloned())
}

pub(crate) fn path(parts: &Parts) -> String {
    parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned()
}

#[cfg(test)]
pub(crate) mod tests {
    use tokio::net::TcpListener;

    use super::*;
    use crate::authority::Authority;
    use crate::leaks::ConnectionPrograms;
    use crate::proxy::{ExchangeLog, ReachRules, Upstream};

    /// The state of a session without a recording.
    pub(crate) fn shared() -> ProxyState {
        ProxyState {
            address: ([127, 0, 0, 1], 1).into(),
            authority: Authority::new().unwrap(),
            ledger: Arc::new(ExchangeLog::new(agentci_trace::Redactor::default(), Vec::new(), None, 0)),
            reach: ReachRules::default(),
            upstream: Upstream::new(None, &[]).unwrap(),
            replay: None,
            programs: ConnectionPrograms::default(),
        }
    }

    #[test]
    fn finds_protocol_version_in_json_and_in_event() {
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}"#;
        let found = |text: &str| version(text.as_bytes());
        assert_eq!(found(answer), Some("2025-06-18".into()));
        assert_eq!(found(&format!("event: message\r\ndata: {answer}\r\n\r\n")), Some("2025-06-18".into()));
        assert_eq!(found(&answer[..40]), None);
    }

    #[tokio::test(start_paused = true)]
    async fn session_handshake_has_a_timeout() {
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = silent.local_addr().unwrap().port();
        let opened = RecordedSession {
            target: RequestTarget { tls: false, host: "127.0.0.1".into(), port },
            path: "/mcp".into(),
            headers: HeaderMap::new(),
            initialize: Bytes::from_static(b"{}"),
            version: Value::Null,
            live: tokio::sync::OnceCell::new(),
        };
        let shared = shared();
        let begun = tokio::time::Instant::now();
        let reason = opened.open(None, &shared).await.unwrap_err();
        assert_eq!(reason, "its MCP server did not start a session within 30 s");
        assert_eq!(begun.elapsed().as_secs(), HANDSHAKE_TIMEOUT.as_secs());
        drop(silent);
    }
}
