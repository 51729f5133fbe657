//! The program at the other end of a connection, looked up in the background: that takes longer than many requests.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::watch;

use crate::leaks::{ConnectionPrograms, line_of};

/// Timeout of the lookup. After it, a request has no program name.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

#[derive(Debug, Clone)]
pub(crate) struct NamedProgram {
    pub(crate) pid: u32,
    pub(crate) name: String,
    /// The process and its ancestors.
    pub(crate) line: Vec<u32>,
}

/// The program at the other end of a connection.
#[derive(Debug, Clone)]
pub(crate) struct ClientProgram(Arc<ProgramLookup>);

#[derive(Debug)]
struct ProgramLookup {
    peer: SocketAddr,
    proxy: SocketAddr,
    programs: ConnectionPrograms,
    found: OnceLock<watch::Receiver<Option<NamedProgram>>>,
}

impl ClientProgram {
    /// The program that connected from `peer`. Does not start the lookup.
    pub(crate) fn of(peer: SocketAddr, proxy: SocketAddr, programs: ConnectionPrograms) -> Self {
        Self(Arc::new(ProgramLookup { peer, proxy, programs, found: OnceLock::new() }))
    }

    /// Starts the lookup, unless it was started before. A program that has exited cannot be found.
    pub(crate) fn look(&self) -> &watch::Receiver<Option<NamedProgram>> {
        self.0.found.get_or_init(|| {
            let (found, name) = watch::channel(None);
            let (peer, proxy, programs) = (self.0.peer, self.0.proxy, self.0.programs.clone());
            let find = move || {
                let (pid, name) = programs.find(peer, proxy)?;
                Some(NamedProgram { pid, name, line: line_of(pid) })
            };
            tokio::task::spawn_blocking(move || found.send_replace(find()));
            name
        })
    }

    /// Its name, if it is already known.
    pub(crate) fn known(&self) -> Option<String> {
        self.0.found.get()?.borrow().as_ref().map(|named| named.name.clone())
    }

    /// Whether the predicate is true for its process or one of its ancestors; `false` if unknown.
    pub(crate) fn is_below(&self, said: impl Fn(u32) -> bool) -> bool {
        self.0
            .found
            .get()
            .is_some_and(|found| found.borrow().iter().any(|named| named.line.iter().any(|pid| said(*pid))))
    }

    /// Waits for its process ID and name.
    pub(crate) async fn found(&self) -> Option<NamedProgram> {
        let mut name = self.look().clone();
        let found = tokio::time::timeout(PATIENCE, name.wait_for(Option::is_some)).await;
        found.ok()?.ok()?.clone()
    }
}
