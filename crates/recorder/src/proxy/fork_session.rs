//! Sessions with MCP servers over HTTP that go on live after a fork.
//!
//! The live server does not know the recorded session. So one is begun for the client, with the `initialize` that it sent itself, and
//! what it says in the recorded session is said in the new one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method};
use serde_json::Value;

use super::intake::Intake;
use super::target::Target;
use super::{Shared, headers};
use crate::{Exchange, WarningKind};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
/// How long the beginning of a session may take.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(30);

/// The sessions of a fork, by the ids that the client has for them.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    opened: Mutex<HashMap<HeaderValue, Arc<Opened>>>,
}

/// A session that a recording answered the beginning of.
#[derive(Debug)]
struct Opened {
    target: Target,
    path: String,
    headers: HeaderMap,
    initialize: Bytes,
    /// The id of the live session; none where the server refused one.
    live: tokio::sync::OnceCell<Option<HeaderValue>>,
}

impl Sessions {
    /// Remembers how the client opened a session that the recording answers.
    pub(super) fn note(&self, target: &Target, parts: &Parts, intake: &Intake, exchange: &Exchange) {
        let Intake::Whole(body) = intake else { return };
        let message: Value = serde_json::from_slice(body).unwrap_or_default();
        let answered = exchange.response.iter().flat_map(|response| &response.headers);
        let id =
            answered.filter(|(name, _)| name == SESSION.as_str()).find_map(|(_, id)| HeaderValue::from_str(id).ok());
        let Some(id) = id.filter(|_| message["method"] == "initialize") else { return };
        let opened = Opened {
            target: target.clone(),
            path: path(parts),
            headers: headers::to_server(&parts.headers),
            initialize: body.clone(),
            live: tokio::sync::OnceCell::new(),
        };
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::new(opened));
    }

    /// The head of a request in the live session, where it is one of a recorded session. A server that begins no session gets the
    /// request as it is, and answers it as it likes.
    pub(super) async fn renewed(&self, parts: &Parts, shared: &Shared) -> Option<Parts> {
        let recorded = parts.headers.get(&SESSION)?;
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner).get(recorded).cloned()?;
        let live = opened.live.get_or_init(|| opened.open(parts.headers.get(&VERSION), shared)).await;
        let mut renewed = parts.clone();
        renewed.headers.insert(SESSION, live.clone()?);
        Some(renewed)
    }
}

impl Opened {
    /// Begins a session with the live server.
    async fn open(&self, version: Option<&HeaderValue>, shared: &Shared) -> Option<HeaderValue> {
        let id = tokio::time::timeout(HANDSHAKE_TIMEOUT, self.shake_hands(version, shared)).await.ok()??;
        shared.ledger.note(WarningKind::SessionAtFork { server: self.target.origin() });
        Some(id)
    }

    async fn shake_hands(&self, version: Option<&HeaderValue>, shared: &Shared) -> Option<HeaderValue> {
        let answer = self.post(self.headers.clone(), self.initialize.clone(), shared).await?;
        let id = answer.headers().get(&SESSION)?.clone();
        answer.bytes().await.ok()?;
        let mut headers = self.headers.clone();
        headers.insert(SESSION, id.clone());
        headers.extend(version.map(|version| (VERSION, version.clone())));
        self.post(headers, Bytes::from_static(INITIALIZED), shared).await?;
        Some(id)
    }

    async fn post(&self, headers: HeaderMap, body: Bytes, shared: &Shared) -> Option<reqwest::Response> {
        let answer = shared.upstream.send(&self.target, Method::POST, &self.path, headers, Some(body.into())).await;
        answer.ok().filter(|answer| answer.status().is_success())
    }
}

fn path(parts: &Parts) -> String {
    parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned()
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;
    use crate::authority::Authority;
    use crate::leaks::Programs;
    use crate::proxy::{Ledger, Reach, Upstream};

    #[tokio::test(start_paused = true)]
    async fn a_server_that_does_not_begin_a_session_is_not_waited_for() {
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = silent.local_addr().unwrap().port();
        let opened = Opened {
            target: Target { tls: false, host: "127.0.0.1".into(), port },
            path: "/mcp".into(),
            headers: HeaderMap::new(),
            initialize: Bytes::from_static(b"{}"),
            live: tokio::sync::OnceCell::new(),
        };
        let shared = Shared {
            address: ([127, 0, 0, 1], 1).into(),
            authority: Authority::new().unwrap(),
            ledger: Arc::new(Ledger::new(agentci_trace::Redactor::default(), Vec::new(), None, 0)),
            reach: Reach::default(),
            upstream: Upstream::new(None, &[]).unwrap(),
            replay: None,
            programs: Programs::default(),
        };
        let begun = tokio::time::Instant::now();
        assert_eq!(opened.open(None, &shared).await, None);
        assert_eq!(begun.elapsed().as_secs(), HANDSHAKE_TIMEOUT.as_secs());
        drop(silent);
    }
}
