//! The session's side of the taps: records their messages, or sends them the answers.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agentci_process::LineReader;
use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::{JoinHandle, JoinSet};

use super::command;
use super::forked::ForkedServer;
use super::play::{PlayedServer, TapMessage};
use super::record::RecordedServer;
use super::tap_protocol::{FROM_HOST, FROM_SERVER, Hello, LEFT, LONGEST_LINE, NOT_STARTED, OVER, TO_SERVER, TapTask};
use crate::leaks::line_of;
use crate::proxy::{Forking, ProxyState, RecordingReplay};
use crate::{OnMiss, Roots};

/// How long taps may take to send their last lines after the agent has exited.
const LAST_LINES_TIMEOUT: Duration = Duration::from_secs(2);
/// Timeout of the first message of a tap.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);

/// The taps of a session.
#[derive(Debug, Clone, Default)]
pub(crate) struct TapRegistry(Arc<Mutex<RegisteredTaps>>);

#[derive(Debug, Default)]
struct RegisteredTaps {
    /// All taps, by process ID.
    all: HashSet<u32>,
    /// Taps whose programs are servers. Their descendants are not part of the agent.
    of_servers: HashSet<u32>,
    /// The pipes and sockets that they read.
    inputs: HashSet<u64>,
}

impl TapRegistry {
    fn meet(&self, hello: &Hello) {
        let mut known = self.known();
        known.all.insert(hello.pid);
        known.inputs.extend(hello.input);
    }

    fn add(&self, pid: u32) {
        self.known().of_servers.insert(pid);
    }

    /// Whether this is the tap of a server.
    pub(crate) fn contains(&self, pid: u32) -> bool {
        self.known().of_servers.contains(&pid)
    }

    /// Whether this is a tap of any program.
    pub(crate) fn is_tap(&self, pid: u32) -> bool {
        self.known().all.contains(&pid)
    }

    /// Whether a tap reads this pipe or socket.
    pub(crate) fn reads(&self, input: u64) -> bool {
        self.known().inputs.contains(&input)
    }

    fn known(&self) -> MutexGuard<'_, RegisteredTaps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Accepts taps until it is stopped or dropped.
#[derive(Debug)]
pub(crate) struct Taps {
    stop: tokio::sync::oneshot::Sender<()>,
    work: JoinHandle<()>,
}

impl Taps {
    pub(crate) fn listen(
        socket: &Path,
        roots: Roots,
        tapped: TapRegistry,
        shared: Arc<ProxyState>,
    ) -> io::Result<Self> {
        let listener = UnixListener::bind(socket)?;
        let (stop, mut stopped) = tokio::sync::oneshot::channel();
        let work = tokio::spawn(async move {
            let mut taps = JoinSet::new();
            loop {
                tokio::select! {
                    _ = &mut stopped => break,
                    _ = taps.join_next(), if !taps.is_empty() => {}
                    Ok((stream, _)) = listener.accept() => {
                        taps.spawn(serve(stream, roots.clone(), tapped.clone(), Arc::clone(&shared)));
                    }
                }
            }
            let rest = async { while taps.join_next().await.is_some() {} };
            let _ = tokio::time::timeout(LAST_LINES_TIMEOUT, rest).await;
        });
        Ok(Self { stop, work })
    }

    /// Stops when the remaining taps have sent everything, or after a timeout.
    pub(crate) async fn stop(self) {
        let _ = self.stop.send(());
        let _ = self.work.await;
    }
}

/// Serves a tap. Any error ends it: the host then sees that its server is gone.
async fn serve(stream: UnixStream, roots: Roots, tapped: TapRegistry, shared: Arc<ProxyState>) {
    let (read, mut write) = stream.into_split();
    let mut lines = LineReader::new(read, LONGEST_LINE);
    let Ok(Ok(Some(first))) = tokio::time::timeout(HELLO_TIMEOUT, lines.next()).await else { return };
    let Ok(mut hello) = serde_json::from_slice::<Hello>(first) else { return };
    tapped.meet(&hello);
    shared.ledger.learn_server(&hello.environment, &mut hello.command);
    let origin = shared.ledger.clean(&command::origin(&hello.command, &roots));
    let task = match &shared.replay {
        _ if line_of(hello.pid).into_iter().any(|pid| tapped.contains(pid)) => TapTask::Leave,
        None => TapTask::Record,
        Some(replay) if replay.is_live() && replay.fork().is_none_or(Forking::is_live) => TapTask::Record,
        Some(replay) if replay.has_origin(&origin) => TapTask::Play,
        Some(_) => TapTask::Watch,
    };
    let Ok(mut answer) = serde_json::to_vec(&task) else { return };
    answer.push(b'\n');
    if write.write_all(&answer).await.is_err() {
        return;
    }
    let goes_live = shared.replay.as_ref().and_then(RecordingReplay::fork).is_some_and(Forking::goes_live);
    let at = TapContext { origin, pid: hello.pid, tapped, shared };
    match task {
        TapTask::Record => at.record(lines).await,
        TapTask::Play | TapTask::Watch if goes_live => at.fork(lines, write).await,
        TapTask::Play | TapTask::Watch => at.play(lines, write).await,
        TapTask::Leave => {}
    }
}

/// The context of a tap.
struct TapContext {
    origin: String,
    pid: u32,
    tapped: TapRegistry,
    shared: Arc<ProxyState>,
}

impl TapContext {
    async fn record(self, mut lines: LineReader<OwnedReadHalf>) {
        let keep = self.shared.replay.as_ref().is_none_or(|replay| replay.on_miss == OnMiss::Record);
        let mut recorded = RecordedServer::new(Arc::clone(&self.shared.ledger), self.origin, keep);
        let mut by_server = false;
        while let Ok(Some(line)) = lines.next().await {
            match line.split_first() {
                Some((&FROM_HOST, line)) => {
                    self.tapped.add(self.pid);
                    let calls = recorded.host(line);
                    if let Some(fork) = self.shared.replay.as_ref().and_then(RecordingReplay::fork) {
                        fork.count_live(calls);
                    }
                }
                Some((&FROM_SERVER, line)) => recorded.server(line),
                Some((&OVER, _)) => by_server = true,
                _ => {}
            }
        }
        recorded.end(by_server);
    }

    async fn play(self, mut lines: LineReader<OwnedReadHalf>, mut write: OwnedWriteHalf) {
        let (out, mut said) = unbounded_channel();
        let mut played = PlayedServer::new(Arc::clone(&self.shared), self.origin, out);
        loop {
            tokio::select! {
                line = lines.next() => match line.ok().flatten().map(<[u8]>::split_first) {
                    Some(Some((&FROM_HOST, line))) => {
                        self.tapped.add(self.pid);
                        played.host(line);
                    }
                    Some(Some((&LEFT, _))) | None => return,
                    Some(_) => {}
                },
                Some(said) = said.recv() => if send(&mut write, said).await.is_err() { return },
            }
        }
    }

    /// Replays the server up to the fork, and continues live from there.
    async fn fork(self, mut lines: LineReader<OwnedReadHalf>, mut write: OwnedWriteHalf) {
        let (out, mut said) = unbounded_channel();
        let mut forked = ForkedServer::new(Arc::clone(&self.shared), self.origin, out);
        while !forked.is_over() {
            tokio::select! {
                line = lines.next() => match line.ok().flatten().map(<[u8]>::split_first) {
                    Some(Some((&FROM_HOST, line))) => {
                        self.tapped.add(self.pid);
                        forked.host(line);
                    }
                    Some(Some((&FROM_SERVER, line))) => forked.server(line),
                    Some(Some((&NOT_STARTED, why))) => forked.not_started(&String::from_utf8_lossy(why)),
                    Some(Some((&OVER, how))) => forked.ended(&String::from_utf8_lossy(how)),
                    Some(Some((&LEFT, _))) => forked.left(),
                    Some(_) => {}
                    None => break,
                },
                () = forked.due() => forked.settle(),
                Some(said) = said.recv() => if send(&mut write, said).await.is_err() { break },
            }
        }
        forked.close();
        while let Ok(said) = said.try_recv() {
            if send(&mut write, said).await.is_err() {
                return;
            }
        }
    }
}

async fn send(write: &mut OwnedWriteHalf, said: TapMessage) -> io::Result<()> {
    let is_over = matches!(said, TapMessage::Over);
    let (mark, line) = match said {
        TapMessage::Line(line) => (FROM_SERVER, line),
        TapMessage::ToServer(line) => (TO_SERVER, line),
        TapMessage::Left => (LEFT, vec![b'\n']),
        TapMessage::Over => (OVER, vec![b'\n']),
    };
    write.write_all(&[&[mark], line.as_slice()].concat()).await?;
    if is_over { write.shutdown().await } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;
    use crate::{RecorderSession, SessionMode, SessionOptions};

    async fn session(folder: &Path) -> (RecorderSession, UnixStream) {
        let environment = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
        let options = SessionOptions {
            mode: SessionMode::Record,
            bind: std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
            advertise: None,
            roots: Roots { cwd: folder.into(), ..Roots::default() },
            pass: Vec::new(),
            only: Vec::new(),
            allow: Vec::new(),
            environment,
            folder: None,
            tap: Some("/bin/true".into()),
            secrets: agentci_trace::Redactor::default(),
            upstream_roots: None,
            observer: None,
        };
        let session = RecorderSession::start(options).await.unwrap();
        let variables = session.environment();
        let path = &variables.iter().rev().find(|(name, _)| name == "PATH").unwrap().1;
        let shims = Path::new(path.split(':').next().unwrap());
        let tap = UnixStream::connect(shims.parent().unwrap().join("tap.sock")).await.unwrap();
        (session, tap)
    }

    async fn say(tap: &mut UnixStream, line: &str) {
        tap.write_all(line.as_bytes()).await.unwrap();
        tap.write_all(b"\n").await.unwrap();
    }

    const HELLO: &str = r#"{"command":["python3","server.py"],"environment":[],"pid":1}"#;

    #[tokio::test]
    async fn finish_waits_briefly_for_a_running_tap() {
        let folder = tempfile::tempdir().unwrap();
        let (session, mut tap) = session(folder.path()).await;
        say(&mut tap, HELLO).await;
        let mut task = [0; 64];
        let read = tap.read(&mut task).await.unwrap();
        assert_eq!(&task[..read], b"\"record\"\n");
        say(&mut tap, r#">{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
        let begun = std::time::Instant::now();
        let finished = session.finish().await;
        let took = begun.elapsed();
        assert!(took >= LAST_LINES_TIMEOUT && took < LAST_LINES_TIMEOUT * 3, "{took:?}");
        let kept: Vec<_> = finished.recording.exchanges.iter().map(|it| it.request.origin.as_str()).collect();
        assert_eq!(kept, ["stdio:python server.py"]);
    }

    #[tokio::test]
    async fn disconnects_tap_with_overlong_line() {
        let folder = tempfile::tempdir().unwrap();
        let (_session, mut tap) = session(folder.path()).await;
        say(&mut tap, HELLO).await;
        assert!(tap.read(&mut [0; 64]).await.unwrap() > 0);
        let piece = vec![b'x'; 1 << 20];
        let mut said = 0;
        while said < LONGEST_LINE * 2 && tap.write_all(&piece).await.is_ok() {
            said += piece.len();
        }
        assert!((LONGEST_LINE..LONGEST_LINE * 2).contains(&said), "{said}");
    }

    #[tokio::test]
    async fn disconnects_tap_without_hello() {
        let folder = tempfile::tempdir().unwrap();
        let (_session, mut silent) = session(folder.path()).await;
        let begun = std::time::Instant::now();
        assert_eq!(silent.read(&mut [0; 64]).await.unwrap(), 0);
        assert!(begun.elapsed() >= HELLO_TIMEOUT);
    }
}
