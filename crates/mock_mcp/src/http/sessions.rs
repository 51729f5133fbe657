//! Sessions: clients after their handshake, by session id.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use agentci_wire::lock;
use bytes::Bytes;
use tokio::sync::mpsc::UnboundedSender;

use super::streams::SessionStreams;
use crate::{client::ServedClient, paused_calls::token};

/// The maximum number of sessions.
const MOST: usize = 10_000;

/// A client after its handshake.
#[derive(Debug)]
pub(super) struct ClientSession {
    pub(super) client: Arc<ServedClient>,
    pub(super) streams: Arc<SessionStreams>,
    /// Streams that stay open as long as the session, the newest last.
    held: Mutex<Vec<UnboundedSender<Bytes>>>,
}

impl ClientSession {
    pub(super) fn new(client: ServedClient) -> Self {
        Self { client: Arc::new(client), streams: Arc::default(), held: Mutex::default() }
    }

    /// Keeps a stream open.
    pub(super) fn hold(&self, stream: UnboundedSender<Bytes>) {
        self.held().push(stream);
    }

    /// The newest stream that is still open.
    pub(super) fn stream(&self) -> Option<UnboundedSender<Bytes>> {
        self.held().last().cloned()
    }

    fn held(&self) -> MutexGuard<'_, Vec<UnboundedSender<Bytes>>> {
        let mut held = lock(&self.held);
        held.retain(|stream| !stream.is_closed());
        held
    }
}

#[derive(Debug, Default)]
pub(super) struct ClientSessions(Mutex<BTreeMap<String, Arc<ClientSession>>>);

impl ClientSessions {
    /// Starts a session, unless there are too many.
    pub(super) fn begin(&self, session: ClientSession) -> Option<String> {
        let mut all = lock(&self.0);
        if all.len() >= MOST {
            return None;
        }
        let id = token();
        all.insert(id.clone(), Arc::new(session));
        Some(id)
    }

    pub(super) fn find(&self, id: &str) -> Option<Arc<ClientSession>> {
        lock(&self.0).get(id).cloned()
    }

    /// Replaces the session of a client that has just sent `initialize`.
    pub(super) fn replace(&self, id: &str, session: ClientSession) {
        lock(&self.0).insert(id.to_owned(), Arc::new(session));
    }

    pub(super) fn end(&self, id: &str) -> bool {
        lock(&self.0).remove(id).is_some()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn session_count_is_limited() {
        let sessions = ClientSessions::default();
        let session = || ClientSession::new(ServedClient::new("2025-11-25", json!({}), None));
        let first = sessions.begin(session()).unwrap();
        for _ in 1..MOST {
            assert!(sessions.begin(session()).is_some());
        }
        assert_eq!(sessions.begin(session()), None);
        assert!(sessions.end(&first));
        assert!(sessions.find(&first).is_none());
        assert!(sessions.begin(session()).is_some());
    }
}
