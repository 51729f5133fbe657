//! Connections that are kept for the next request.

use std::cell::RefCell;
use std::time::Instant;

use tokio::runtime::Handle;

use super::connection::Connection;
use crate::http::client::KEPT;

/// The most connections that are kept.
const MOST: usize = 64;

/// A connection belongs to the runtime that opened it: no other is told when something comes.
struct Kept {
    connection: Connection,
    runtime: tokio::runtime::Id,
    since: Instant,
}

thread_local! {
    static KEPT_HERE: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// A connection to this server that can be used again.
pub(super) fn take(server: &str) -> Option<Connection> {
    let runtime = Handle::try_current().ok()?.id();
    KEPT_HERE.with_borrow_mut(|kept| {
        kept.retain(|kept| kept.runtime == runtime && kept.since.elapsed() < KEPT);
        while let Some(at) = kept.iter().rposition(|kept| kept.connection.server == server) {
            let found = kept.swap_remove(at).connection;
            if found.is_quiet() {
                return Some(found);
            }
        }
        None
    })
}

/// Keeps a connection for a while.
pub(super) fn give_back(connection: Connection) {
    let Ok(handle) = Handle::try_current() else { return };
    KEPT_HERE.with_borrow_mut(|kept| {
        if kept.len() >= MOST {
            kept.remove(0);
        }
        kept.push(Kept { connection, runtime: handle.id(), since: Instant::now() });
    });
}
