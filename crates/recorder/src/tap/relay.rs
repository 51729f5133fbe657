//! A tap whose server the session replaces. The program is only started when the session has a line for it: when a fork
//! continues live. In any other replay it is not started.

use std::ffi::{OsStr, OsString};
use std::io::{self, Cursor};
use std::ops::ControlFlow;
use std::process::ExitStatus;

use agentci_process::LineReader;
use rustix::process::Signal;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, Stdout};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::Child;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::pump::{HostPump, OUTPUT_TIMEOUT, REST_TIMEOUT, tell};
use super::server::{self, EndingSignals, code, pass_on};
use super::tap_protocol::{FROM_HOST, FROM_SERVER, LEFT, LONGEST_LINE, NOT_STARTED, OVER, TO_SERVER};

/// A tap that lets the session answer.
pub(super) struct Relay<'a> {
    program: &'a OsStr,
    arguments: &'a [OsString],
    /// Lines from the session.
    said: LineReader<OwnedReadHalf>,
    output: Stdout,
    /// Lines to the session.
    told: UnboundedSender<Vec<u8>>,
    server: Option<StartedServer>,
}

/// A running server.
struct StartedServer {
    child: Child,
    /// Lines for it; `None` when the host has closed its end.
    input: Option<UnboundedSender<Vec<u8>>>,
    /// Copies its lines to the session.
    telling: Option<JoinHandle<()>>,
}

impl<'a> Relay<'a> {
    /// Lets the session answer until the end; returns the exit code.
    pub(super) async fn run(
        program: &'a OsStr,
        arguments: &'a [OsString],
        host: HostPump,
        (read, write): (OwnedReadHalf, OwnedWriteHalf),
        signals: &mut EndingSignals,
    ) -> u8 {
        let (told, rest) = unbounded_channel();
        let telling = tokio::spawn(tell(rest, write));
        let heard = tokio::spawn(hear(host, told.clone()));
        let (said, output) = (LineReader::new(read, LONGEST_LINE), tokio::io::stdout());
        let mut relay = Self { program, arguments, said, output, told, server: None };
        loop {
            let next = tokio::select! {
                signal = signals.next() => relay.signal(signal),
                line = relay.said.next() => {
                    let line = line.ok().flatten().map(<[u8]>::to_vec);
                    relay.obey(line).await
                }
                status = ended(relay.server.as_mut()) => {
                    heard.abort();
                    return relay.end(status, telling).await;
                }
            };
            if let ControlFlow::Break(code) = next {
                heard.abort();
                return code;
            }
        }
    }

    fn signal(&self, signal: Signal) -> ControlFlow<u8> {
        let Some(server) = &self.server else {
            return ControlFlow::Break(u8::try_from(128 + signal.as_raw()).expect("signals have numbers below 128"));
        };
        pass_on(&server.child, signal);
        ControlFlow::Continue(())
    }

    /// Handles a line from the session.
    async fn obey(&mut self, line: Option<Vec<u8>>) -> ControlFlow<u8> {
        let Some(line) = line else { return ControlFlow::Break(0) };
        match line.split_first() {
            Some((&FROM_SERVER, line)) => say(&mut self.output, line).await,
            Some((&TO_SERVER, line)) => self.pass(line),
            Some((&LEFT, _)) => match &mut self.server {
                Some(server) => server.input = None,
                None => return ControlFlow::Break(1),
            },
            Some((&OVER, _)) => return ControlFlow::Break(1),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// Sends a line to the server. The first one starts it.
    fn pass(&mut self, line: &[u8]) {
        if self.server.is_none() {
            match StartedServer::start(self.program, self.arguments, &self.told) {
                Ok(server) => self.server = Some(server),
                Err(error) => {
                    let words = error.to_string().replace('\n', " ");
                    let _ = self.told.send([&[NOT_STARTED], words.as_bytes(), b"\n"].concat());
                }
            }
        }
        if let Some(input) = self.server.as_ref().and_then(|server| server.input.as_ref()) {
            let _ = input.send([line, b"\n"].concat());
        }
    }

    /// The program exited: the session gets the rest, and may have more lines for the host.
    async fn end(mut self, status: io::Result<ExitStatus>, telling: JoinHandle<io::Result<OwnedWriteHalf>>) -> u8 {
        let Some(server) = self.server.take() else { return 1 };
        if let Some(mut telling) = server.telling
            && timeout(OUTPUT_TIMEOUT, &mut telling).await.is_err()
        {
            telling.abort();
        }
        let code = status.as_ref().map_or(1, |status| code(*status));
        if server.input.is_some() {
            let words = status.map_or_else(|error| error.to_string(), |status| status.to_string());
            let _ = self.told.send([&[OVER], words.as_bytes(), b"\n"].concat());
        }
        let (told, _) = unbounded_channel();
        drop(std::mem::replace(&mut self.told, told));
        let rest = async {
            let _ = telling.await;
            while let Ok(Some(line)) = self.said.next().await {
                if let Some((&FROM_SERVER, line)) = line.split_first() {
                    say(&mut self.output, line).await;
                }
            }
        };
        let _ = timeout(REST_TIMEOUT, rest).await;
        code
    }
}

impl StartedServer {
    fn start(program: &OsStr, arguments: &[OsString], told: &UnboundedSender<Vec<u8>>) -> io::Result<Self> {
        let (mut child, input) = server::start(program, arguments)?;
        let output = child.stdout.take();
        let telling = output.map(|output| tokio::spawn(tell_lines(output, FROM_SERVER, told.clone())));
        let (lines, rest) = unbounded_channel();
        // A server that reads slowly does not block others.
        tokio::spawn(tell(rest, input));
        Ok(Self { child, input: Some(lines), telling })
    }
}

async fn say(output: &mut Stdout, line: &[u8]) {
    // A host that no longer reads also closes its other end, which ends the tap.
    let _ = output.write_all(&[line, b"\n"].concat()).await;
    let _ = output.flush().await;
}

/// Waits for a server to exit, if there is one.
async fn ended(server: Option<&mut StartedServer>) -> io::Result<ExitStatus> {
    match server {
        Some(server) => server.child.wait().await,
        None => std::future::pending().await,
    }
}

/// Copies the host's lines to the session, and reports when it has closed its end.
async fn hear(host: HostPump, told: UnboundedSender<Vec<u8>>) {
    tell_lines(Cursor::new(host.seen).chain(host.input), FROM_HOST, told.clone()).await;
    let _ = told.send(vec![LEFT, b'\n']);
}

async fn tell_lines(from: impl AsyncRead + Unpin, mark: u8, told: UnboundedSender<Vec<u8>>) {
    let mut lines = LineReader::new(from, LONGEST_LINE);
    while let Ok(Some(line)) = lines.next().await {
        if told.send([&[mark], line, b"\n"].concat()).is_err() {
            return;
        }
    }
}
