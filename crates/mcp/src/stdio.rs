//! The stdio transport: a server as a child process, with one message per line in both directions.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use super::error::McpError;
use super::router::{MessageOrigin, Router};
use agentci_process::{Ending, Exit, Grace, LineError, LineReader, Outbox, Pipes, Process, ProcessCommand};
use agentci_protocols::mcp::{McpFault, quote};

/// Maximum size of a message in bytes.
pub(super) const MESSAGE_LIMIT: usize = 64 << 20;
/// While this many bytes wait to be read by the server, nothing more is read from it.
const BACKLOG_LIMIT: usize = 64 << 20;
/// How long to wait for remaining output after the server has exited.
const AFTER_EXIT: Duration = Duration::from_millis(250);
/// How long a server may take to exit after it has closed its output.
const AFTER_CLOSE: Duration = Duration::from_millis(500);
/// How long to wait for the last messages to be written before the input of the server is closed.
const FLUSH: Duration = Duration::from_millis(500);
/// How long a server may take to exit after its input is closed, and then after it is asked to exit.
const DONE: Grace = Grace { before_asking: Duration::from_secs(1), before_killing: Duration::from_millis(500) };
/// The same for a server that failed.
const BROKEN: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(200) };

/// A running server. Dropping it kills the process with all its descendants.
#[derive(Debug)]
pub(super) struct StdioServer {
    outgoing: UnboundedSender<Vec<u8>>,
    task: JoinHandle<Ending>,
}

impl StdioServer {
    pub(super) fn start(command: &ProcessCommand, router: Arc<Router>) -> Result<Self, McpError> {
        let (process, pipes) = Process::spawn(command).map_err(|error| McpError::NotStarted(error.to_string()))?;
        let (outgoing, messages) = unbounded_channel();
        let server = RunningServer { process, router, exit: None };
        Ok(Self { outgoing, task: tokio::spawn(server.run(pipes, messages)) })
    }

    /// Sends a message; it is dropped if the server has exited.
    pub(super) fn send(&self, message: Vec<u8>) {
        let _ = self.outgoing.send(message);
    }

    /// A sender of messages that does not borrow the server.
    pub(super) fn sender(&self) -> UnboundedSender<Vec<u8>> {
        self.outgoing.clone()
    }

    /// Closes the server's input, and kills the server if it does not exit.
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

/// Why the exchange of messages ended.
enum ConversationStop {
    /// The client closed the connection.
    Asked,
    /// The server's process or its output ended.
    Left,
    /// The server exceeded a limit.
    Failed(McpError),
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
            ConversationStop::Asked => McpError::Closed,
            ConversationStop::Failed(error) => error,
            ConversationStop::Left => McpError::Died {
                exit: self.exit.or(ending.exit),
                stderr_tail: ending.stderr_tail.clone(),
                noise: self.router.noise(),
            },
        };
        self.router.fail_all(&error);
        ending
    }

    /// Reads and writes concurrently, so that neither side blocks on the other.
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
                        // A server that writes without pause must not prevent timeouts.
                        tokio::task::consume_budget().await;
                    }
                    Ok(None) | Err(LineError::Io(_)) => {
                        at_end = true;
                        give_up.get_or_insert(Instant::now() + AFTER_CLOSE);
                    }
                    Err(LineError::TooLong { limit, beginning }) => {
                        let reason = format!("a message of more than {} MiB", limit >> 20);
                        self.router.defect(McpFault::Noise, reason, quote(&beginning).as_bytes());
                        return ConversationStop::Failed(McpError::TooMuch { what: "bytes in one message", limit });
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
