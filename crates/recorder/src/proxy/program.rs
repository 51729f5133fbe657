//! The program at the other end of a connection, looked up beside it: that takes longer than many a request.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::watch;

use crate::leaks::Programs;

/// How long a name is waited for; without it a request has none.
pub(super) const PATIENCE: Duration = Duration::from_millis(100);

/// A process id and the name of its program.
type Named = (u32, String);

/// The program at the other end of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Program(Arc<Looked>);

#[derive(Debug)]
struct Looked {
    peer: SocketAddr,
    proxy: SocketAddr,
    programs: Programs,
    found: OnceLock<watch::Receiver<Option<Named>>>,
}

impl Program {
    /// The one that connected from `peer`. Nothing is looked up yet.
    pub(crate) fn of(peer: SocketAddr, proxy: SocketAddr, programs: Programs) -> Self {
        Self(Arc::new(Looked { peer, proxy, programs, found: OnceLock::new() }))
    }

    /// Begins to look, unless that has been done. A program that has left is not found any more.
    pub(crate) fn look(&self) -> &watch::Receiver<Option<Named>> {
        self.0.found.get_or_init(|| {
            let (found, name) = watch::channel(None);
            let (peer, proxy, programs) = (self.0.peer, self.0.proxy, self.0.programs.clone());
            tokio::task::spawn_blocking(move || found.send_replace(programs.find(peer, proxy)));
            name
        })
    }

    /// Its name, if that is known by now.
    pub(crate) fn known(&self) -> Option<String> {
        self.0.found.get()?.borrow().as_ref().map(|(_, name)| name.clone())
    }

    /// Its process id and name, where they can be told.
    pub(crate) async fn found(&self) -> Option<Named> {
        let mut name = self.look().clone();
        let found = tokio::time::timeout(PATIENCE, name.wait_for(Option::is_some)).await;
        found.ok()?.ok()?.clone()
    }
}
