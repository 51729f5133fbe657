//! A server that is a child process: one message a line, both ways.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use super::error::Error;
use super::router::{MessageOrigin, Router};
use agentci_process::{Ending, Exit, Grace, LineError, LineReader, Outbox, Pipes, Process, ProcessCommand};
use agentci_protocols::mcp::{McpFault, quote};

/// The longest message.
pub(super) const MESSAGE_LIMIT: usize = 64 << 20;
/// While this much waits to be read by the server, nothing more is read from it.
const BACKLOG_LIMIT: usize = 64 << 20;
/// How long what a server wrote before it left may take to arrive.
const AFTER_EXIT: Duration = Duration::from_millis(250);
/// A server that closed its output has this long to leave.
const AFTER_CLOSE: Duration = Duration::from_millis(500);
/// What the client said last has this long to get to the server before its input is closed.
const FLUSH: Duration = Duration::from_millis(500);
/// A server whose input was closed has this long to leave by itself, and then this long once it was asked to.
const DONE: Grace = Grace { before_asking: Duration::from_secs(1), before_killing: Duration::from_millis(500) };
/// One that broke off has less.
const BROKEN: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(200) };

/// A running server. Dropped, it is killed with all it started.
#[derive(Debug)]
pub(super) struct StdioServer {
    outgoing: UnboundedSender<Vec<u8>>,
    task: JoinHandle<Ending>,
}

impl StdioServer {
    pub(super) fn start(command: &ProcessCommand, router: Arc<Router>) -> Result<Self, Error> {
        let (process, pipes) = Process::spawn(command).map_err(|error| Error::NotStarted(error.to_string()))?;
        let (outgoing, messages) = unbounded_channel();
        let server = RunningServer { process, router, exit: None };
        Ok(Self { outgoing, task: tokio::spawn(server.run(pipes, messages)) })
    }

    /// Sends a message; one to a server that has left goes nowhere.
    pub(super) fn send(&self, message: Vec<u8>) {
        let _ = self.outgoing.send(message);
    }

    /// What sends messages without borrowing the server.
    pub(super) fn sender(&self) -> UnboundedSender<Vec<u8>> {
        self.outgoing.clone()
    }

    /// Closes the server's input, and makes it leave if it does not.
    pub(super) async fn close(mut self) -> Ending {
        self.outgoing = unbounded_channel().0;
        (&mut self.task).await.unwrap_or(Ending { exit: None, stderr_tail: Vec::new() })
    }
}

impl Drop for StdioServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Why a conversation ended.
enum ConversationStop {
    /// The client is done.
    Asked,
    /// The server left.
    Left,
    /// It can not go on.
    Failed(Error),
}

struct RunningServer {
    process: Process,
    router: Arc<Router>,
    exit: Option<Exit>,
}

impl RunningServer {
    async fn run(mut self, pipes: Pipes, messages: UnboundedReceiver<Vec<u8>>) -> Ending {
        let stop = self.converse(pipes, messages).await;
        let ending = self.process.end(if matches!(stop, ConversationStop::Asked) { DONE } else { BROKEN }).await;
        let error = match stop {
            ConversationStop::Asked => Error::Closed,
            ConversationStop::Failed(error) => error,
            ConversationStop::Left => Error::Died {
                exit: self.exit.or(ending.exit),
                stderr_tail: ending.stderr_tail.clone(),
                noise: self.router.noise(),
            },
        };
        self.router.fail_all(&error);
        ending
    }

    /// Reads while it writes, so that neither side ever waits for the other to read.
    async fn converse(&mut self, pipes: Pipes, mut messages: UnboundedReceiver<Vec<u8>>) -> ConversationStop {
        let mut input = Outbox::new(pipes.input);
        let mut output = LineReader::new(pipes.output, MESSAGE_LIMIT);
        let mut give_up: Option<Instant> = None;
        let (mut at_end, mut closing) = (false, false);
        loop {
            let far = give_up.unwrap_or_else(|| Instant::now() + Duration::from_hours(24));
            tokio::select! {
                biased;
                message = messages.recv(), if !closing => if let Some(message) = message {
                    self.queue(&message, &mut input);
                } else {
                    closing = true;
                    give_up = Some(Instant::now() + FLUSH);
                },
                () = input.write() => {}
                line = output.next(), if !at_end && input.waiting() < BACKLOG_LIMIT => match line {
                    Ok(Some(line)) => {
                        if !line.trim_ascii().is_empty() {
                            for answer in self.router.arrive(line, MessageOrigin::Shared) {
                                self.queue(&answer, &mut input);
                            }
                        }
                        // A server that always has something to say must not keep us from looking at the clock.
                        tokio::task::consume_budget().await;
                    }
                    Ok(None) | Err(LineError::Io(_)) => {
                        at_end = true;
                        give_up.get_or_insert(Instant::now() + AFTER_CLOSE);
                    }
                    Err(LineError::TooLong { limit, beginning }) => {
                        let reason = format!("a message of more than {} MiB", limit >> 20);
                        self.router.defect(McpFault::Noise, reason, quote(&beginning).as_bytes());
                        return ConversationStop::Failed(Error::TooMuch { what: "bytes in one message", limit });
                    }
                },
                exit = self.process.exited(), if self.exit.is_none() => {
                    self.exit = exit.ok();
                    if at_end {
                        return ConversationStop::Left;
                    }
                    give_up = Some(Instant::now() + AFTER_EXIT);
                }
                () = sleep_until(far), if give_up.is_some() => return if closing { ConversationStop::Asked } else { ConversationStop::Left },
            }
            if closing && (input.waiting() == 0 || !input.is_open()) {
                return ConversationStop::Asked;
            }
            if at_end && self.exit.is_some() {
                return ConversationStop::Left;
            }
        }
    }

    fn queue(&self, message: &[u8], input: &mut Outbox) {
        self.router.sending(message);
        input.bytes().extend_from_slice(message);
        input.bytes().push(b'\n');
    }
}
