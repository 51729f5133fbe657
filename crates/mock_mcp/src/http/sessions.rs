//! Sessions: clients that introduced themselves, by the ids that they were given.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use agentci_wire::lock;
use bytes::Bytes;
use tokio::sync::mpsc::UnboundedSender;

use super::streams::Streams;
use crate::client::Client;
use crate::paused::token;

/// The most sessions at once.
const MOST: usize = 10_000;

/// A client that introduced itself.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) client: Arc<Client>,
    pub(super) streams: Arc<Streams>,
    /// Streams that are open as long as the session is, the newest last.
    held: Mutex<Vec<UnboundedSender<Bytes>>>,
}

impl Session {
    pub(super) fn new(client: Client) -> Self {
        Self { client: Arc::new(client), streams: Arc::default(), held: Mutex::default() }
    }

    /// Keeps a stream open.
    pub(super) fn hold(&self, stream: UnboundedSender<Bytes>) {
        self.held().push(stream);
    }

    /// The newest stream that somebody listens to.
    pub(super) fn stream(&self) -> Option<UnboundedSender<Bytes>> {
        self.held().last().cloned()
    }

    fn held(&self) -> MutexGuard<'_, Vec<UnboundedSender<Bytes>>> {
        let mut held = lock(&self.held);
        held.retain(|stream| !stream.is_closed());
        held
    }
}

/// All sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<BTreeMap<String, Arc<Session>>>);

impl Sessions {
    /// Begins a session, if there is room for it.
    pub(super) fn begin(&self, session: Session) -> Option<String> {
        let mut all = lock(&self.0);
        if all.len() >= MOST {
            return None;
        }
        let id = token();
        all.insert(id.clone(), Arc::new(session));
        Some(id)
    }

    pub(super) fn find(&self, id: &str) -> Option<Arc<Session>> {
        lock(&self.0).get(id).cloned()
    }

    /// Puts another client in the place of one that has just introduced itself.
    pub(super) fn replace(&self, id: &str, session: Session) {
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
    use crate::client::Logged;

    #[test]
    fn there_are_only_so_many_sessions() {
        let sessions = Sessions::default();
        let session = || Session::new(Client::new("2025-11-25", json!({}), Logged::All));
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
