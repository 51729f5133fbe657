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

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;
    use crate::http::{JsonRequest, post_json};

    #[tokio::test]
    async fn only_so_many_connections_are_kept() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let many = MOST + 6;
        let served = async {
            // All are there before the first is answered, so that each has a connection of its own.
            let mut streams = Vec::new();
            for _ in 0..many {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"{}") {
                    stream.read_buf(&mut head).await.unwrap();
                }
                streams.push(stream);
            }
            for stream in &mut streams {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
            }
            streams
        };
        let timeout = std::time::Duration::from_secs(20);
        let ask =
            |_| post_json(JsonRequest { url: url.clone(), headers: vec![], body: "{}".into(), timeout, limit: 10 });
        let (streams, answers) = tokio::join!(served, join_all((0..many).map(ask)));
        assert!(answers.iter().all(Result::is_ok));
        assert_eq!(KEPT_HERE.with_borrow(Vec::len), MOST);
        drop(streams);
    }
}
