//! Forwards bytes through a tap in both directions, and copies lines to the session.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::net::UnixStream as StdStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, Stdin};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::unix::pipe::Sender;
use tokio::process::ChildStdout;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use super::message::is_opening;
use super::relay::Relay;
use super::server::{self, EndingSignals, code, pass_on};
use super::tap_protocol::{FROM_HOST, FROM_SERVER, OVER, TapTask};

/// How many bytes are read at once.
const CHUNK: usize = 64 << 10;
/// Maximum length of the first line.
const LONGEST_FIRST: usize = 1 << 20;
/// How long processes that a program left running may keep its output open.
pub(super) const OUTPUT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the session may take to read the rest.
pub(super) const REST_TIMEOUT: Duration = Duration::from_secs(2);

/// A running tap.
pub(super) struct Pump<'a> {
    pub(super) program: &'a OsStr,
    pub(super) arguments: &'a [OsString],
    pub(super) task: TapTask,
}

impl Pump<'_> {
    /// Forwards or answers until the end; returns the exit code.
    pub(super) async fn run(self, session: StdStream) -> io::Result<u8> {
        session.set_nonblocking(true)?;
        let (read, write) = UnixStream::from_std(session)?.into_split();
        let mut signals = EndingSignals::listen()?;
        let mut host = HostPump { input: tokio::io::stdin(), seen: Vec::new() };
        let forwarded = if self.task == TapTask::Play && host.opens().await {
            Forwarded::Server(host, write)
        } else {
            self.forward(host, write, &mut signals).await?
        };
        match forwarded {
            Forwarded::Ended(code, write) => {
                drop(write);
                let mut rest = read;
                // The session closes the connection when it has read everything.
                let _ = timeout(REST_TIMEOUT, rest.read_to_end(&mut Vec::new())).await;
                Ok(code)
            }
            Forwarded::Server(host, write) => {
                Ok(Relay::run(self.program, self.arguments, host, (read, write), &mut signals).await)
            }
        }
    }

    /// Starts the program, and forwards.
    async fn forward(
        &self,
        host: HostPump,
        session: OwnedWriteHalf,
        signals: &mut EndingSignals,
    ) -> io::Result<Forwarded> {
        let (mut child, input) = server::start(self.program, self.arguments)?;
        let output = child.stdout.take();
        let tells = Arc::new(AtomicBool::new(false));
        let (told, rest) = unbounded_channel();
        let mut up = tokio::spawn(upward(host, input, self.task, Arc::clone(&tells), told.clone()));
        let down = output.map(|output| tokio::spawn(downward(output, tells, told)));
        let telling = tokio::spawn(tell(rest, session));
        let mut left = false;
        let status = loop {
            tokio::select! {
                status = child.wait() => break status?,
                signal = signals.next() => pass_on(&child, signal),
                over = &mut up, if !left => {
                    left = true;
                    if let Ok(Some(host)) = over {
                        child.kill().await?;
                        return Ok(Forwarded::Server(host, telling.await??));
                    }
                }
            }
        };
        if let Some(mut down) = down
            && timeout(OUTPUT_TIMEOUT, &mut down).await.is_err()
        {
            down.abort();
        }
        up.abort();
        let mut session = timeout(REST_TIMEOUT, telling).await.map_err(io::Error::other)???;
        if !left {
            let _ = session.write_all(&[OVER, b'\n']).await;
        }
        Ok(Forwarded::Ended(code(status), session))
    }
}

/// How forwarding ended.
enum Forwarded {
    /// The program exited.
    Ended(u8, OwnedWriteHalf),
    /// The program is a server that must be replayed.
    Server(HostPump, OwnedWriteHalf),
}

/// The input from the host.
pub(super) struct HostPump {
    pub(super) input: Stdin,
    /// Data that was read but not forwarded yet.
    pub(super) seen: Vec<u8>,
}

impl HostPump {
    /// Reads more; `false` at the end.
    async fn read(&mut self) -> bool {
        self.seen.reserve(CHUNK);
        self.input.read_buf(&mut self.seen).await.is_ok_and(|read| read > 0)
    }

    /// Whether the host opens a conversation with an MCP server. Reads until that is clear.
    async fn opens(&mut self) -> bool {
        loop {
            if let Some(opens) = opens(&self.seen) {
                return opens;
            }
            if !self.read().await {
                return false;
            }
        }
    }
}

/// Whether these bytes open a conversation with an MCP server; `None` if that is not clear yet.
pub(crate) fn opens(bytes: &[u8]) -> Option<bool> {
    let begin = bytes.trim_ascii_start();
    match begin.first() {
        None => None,
        Some(b'{' | b'[') => match begin.iter().position(|byte| *byte == b'\n') {
            Some(end) => begin.get(..end).map(is_opening),
            None => (begin.len() > LONGEST_FIRST).then_some(false),
        },
        Some(_) => Some(false),
    }
}

/// Forwards from the host to the server, until one of them closes. Returns the host of a server that must not be
/// started. Lines are copied to the session (`tells`) from the first one on.
async fn upward(
    mut host: HostPump,
    mut server: Sender,
    task: TapTask,
    tells: Arc<AtomicBool>,
    told: UnboundedSender<Vec<u8>>,
) -> Option<HostPump> {
    let opens = host.opens().await;
    if opens && task != TapTask::Record {
        return Some(host);
    }
    tells.store(opens, Ordering::Release);
    let mut lines = LineCopies::new(FROM_HOST);
    loop {
        if opens {
            // Before the server gets it, so that its answer comes later.
            lines.push(&host.seen, &told);
        }
        if server.write_all(&host.seen).await.is_err() {
            // The server no longer reads its input. Its exit is handled elsewhere.
            std::future::pending::<()>().await;
        }
        host.seen.clear();
        if !host.read().await {
            return None;
        }
    }
}

/// Forwards from the server to the host.
async fn downward(mut server: ChildStdout, tells: Arc<AtomicBool>, told: UnboundedSender<Vec<u8>>) {
    let (mut host, mut chunk) = (tokio::io::stdout(), vec![0; CHUNK]);
    let mut lines = LineCopies::new(FROM_SERVER);
    while let Ok(read @ 1..) = server.read(&mut chunk).await {
        let bytes = &chunk[..read];
        if tells.load(Ordering::Acquire) {
            lines.push(bytes, &told);
        }
        if host.write_all(bytes).await.is_err() || host.flush().await.is_err() {
            return;
        }
    }
}

/// Splits copied data into lines.
struct LineCopies {
    mark: u8,
    line: Vec<u8>,
}

impl LineCopies {
    fn new(mark: u8) -> Self {
        Self { mark, line: vec![mark] }
    }

    fn push(&mut self, bytes: &[u8], told: &UnboundedSender<Vec<u8>>) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let _ = told.send(std::mem::replace(&mut self.line, vec![self.mark]));
            }
        }
    }
}

/// Writes lines to the session or the server until all senders are dropped.
pub(super) async fn tell<W: AsyncWrite + Unpin>(
    mut lines: UnboundedReceiver<Vec<u8>>,
    mut listener: W,
) -> io::Result<W> {
    while let Some(line) = lines.recv().await {
        listener.write_all(&line).await?;
    }
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_only_input_that_looks_like_a_message() {
        assert_eq!(opens(b""), None);
        assert_eq!(opens(b" \n"), None);
        assert_eq!(opens(b"{\"jsonrpc\""), None);
        assert_eq!(opens(b"Content-Length: 3"), Some(false));
        assert_eq!(opens(b"print(1)"), Some(false));
        assert_eq!(opens(b"{}\n"), Some(false));
        assert_eq!(opens(&vec![b'{'; LONGEST_FIRST + 1]), Some(false));
        let message = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;
        assert_eq!(opens(message), None);
        assert_eq!(opens(&[message.as_slice(), b"\nmore"].concat()), Some(true));
    }
}
