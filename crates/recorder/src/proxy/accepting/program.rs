//! The program at the other end of a connection, looked up beside it: that takes longer than many a request.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::watch;

use crate::leaks::{ConnectionPrograms, line_of};

/// How long a name is waited for; without it a request has none.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

/// A program that was found.
#[derive(Debug, Clone)]
pub(crate) struct NamedProgram {
    pub(crate) pid: u32,
    pub(crate) name: String,
    /// The process, the one that started it, and so on.
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
    /// The one that connected from `peer`. Nothing is looked up yet.
    pub(crate) fn of(peer: SocketAddr, proxy: SocketAddr, programs: ConnectionPrograms) -> Self {
        Self(Arc::new(ProgramLookup { peer, proxy, programs, found: OnceLock::new() }))
    }

    /// Begins to look, unless that has been done. A program that has left is not found any more.
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

    /// Its name, if that is known by now.
    pub(crate) fn known(&self) -> Option<String> {
        self.0.found.get()?.borrow().as_ref().map(|named| named.name.clone())
    }

    /// Whether it is a process that this is said of, or was started by one; not known is not so.
    pub(crate) fn is_below(&self, said: impl Fn(u32) -> bool) -> bool {
        self.0
            .found
            .get()
            .is_some_and(|found| found.borrow().iter().any(|named| named.line.iter().any(|pid| said(*pid))))
    }

    /// Its process id and name, where they can be told.
    pub(crate) async fn found(&self) -> Option<NamedProgram> {
        let mut name = self.look().clone();
        let found = tokio::time::timeout(PATIENCE, name.wait_for(Option::is_some)).await;
        found.ok()?.ok()?.clone()
    }
}
