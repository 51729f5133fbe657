//! The driver of process agents.

use std::sync::Arc;
use std::time::Duration;

use agentci_plan::ProcessTarget;
use agentci_process::{Ending, Exit, LineError, LineReader, Outbox, Pipes, Process};
use agentci_trace::{EventKind, Observer, ToolCall};
use tokio::process::ChildStdout;
use tokio::time::{Instant, sleep_until};

use super::command::command;
use super::messages::{self, AgentMessage};
use super::usage::UsageCount;
use super::{DONE, UNDONE, tell_started};
use crate::error::OpenError;
use crate::host::NO_ANSWER;
use crate::observer::SeenEvents;
use crate::{Delivery, DriveError, DriveResult, DriverContext, Input, StoppedError, ToolHost, ToolReply, TraceSink};

/// The length limit of a line that an agent writes, in bytes.
const LINE_LIMIT: usize = 128 << 20;
/// The limit on everything that an agent writes, in bytes; it is kept in memory until the checks have run.
const RECEIVED_LIMIT: usize = 512 << 20;
/// While the agent has this many unread bytes of input, its output is not read.
const BACKLOG_LIMIT: usize = 64 << 20;
/// The length of an excerpt of an invalid line.
const QUOTED: usize = 200;
/// How long to wait for remaining output after the agent exited. Only a grandchild that holds the pipe open takes this
/// long.
const AFTER_EXIT: Duration = Duration::from_millis(250);
/// How long to wait for the exit of an agent that closed its output.
const AFTER_CLOSE: Duration = Duration::from_millis(500);
/// A connection to a process agent.
#[derive(Debug)]
pub(crate) struct ProcessDriver {
    task_id: String,
    process: Process,
    input: Outbox,
    output: LineReader<ChildStdout>,
    line_number: usize,
    received: usize,
    exit: Option<Exit>,
    done: bool,
    /// The events of another observer.
    seen: SeenEvents,
    used: UsageCount,
}

impl ProcessDriver {
    pub(crate) async fn open(target: &ProcessTarget, context: &DriverContext<'_>) -> Result<Self, OpenError> {
        let command = command(target, context.environment, context.enforced, context.lookup)?;
        let (process, Pipes { input, output }) = Process::spawn_beside(command).await.map_err(DriveError::from)?;
        tell_started(context.started.as_ref(), &process);
        Ok(Self {
            task_id: context.case_id.to_owned(),
            process,
            input: Outbox::new(input),
            output: LineReader::new(output, LINE_LIMIT),
            line_number: 0,
            received: 0,
            exit: None,
            done: false,
            seen: SeenEvents::default(),
            used: UsageCount::default(),
        })
    }

    pub(crate) fn listen(&mut self, seen: SeenEvents, tells_usage: bool) {
        self.seen = seen;
        self.used = UsageCount::new(tells_usage);
    }

    /// Adds the events that were observed so far to the trace.
    pub(crate) fn take_seen(&mut self, sink: &mut TraceSink<'_>) -> Result<(), StoppedError> {
        while let Some(kind) = self.seen.ready() {
            self.used.seen(&kind);
            sink.push(kind)?;
        }
        match self.used.rest() {
            Some(usage) => sink.push(EventKind::Usage(usage)),
            None => Ok(()),
        }
    }

    pub(crate) async fn turn(&mut self, input: &Input, sink: &mut TraceSink<'_>, host: &dyn ToolHost) -> DriveResult {
        if self.done {
            return Err(DriveError::Unsupported("a process agent supports only one turn".into()));
        }
        let input = input.value();
        self.input.bytes().extend(messages::task_start(&self.task_id, &input).bytes());
        sink.push(EventKind::TurnStart(input))?;
        let result = self.converse(sink, host).await;
        self.done = result.is_ok();
        result?;
        sink.push(EventKind::TurnEnd)?;
        Ok(())
    }

    /// Reads and writes concurrently, so that neither side blocks the other.
    async fn converse(&mut self, sink: &mut TraceSink<'_>, host: &dyn ToolHost) -> DriveResult {
        let mut give_up: Option<Instant> = None;
        loop {
            let waiting = self.input.waiting();
            let far = give_up.unwrap_or_else(|| Instant::now() + Duration::from_hours(24));
            tokio::select! {
                // Write first: an answer that fits into the pipe is sent before the next read.
                biased;
                () = self.input.write() => {}
                // Observed events come before the agent's output, which can only refer to them afterwards.
                Some(kind) = self.seen.next() => {
                    self.used.seen(&kind);
                    sink.push(kind)?;
                }
                line = self.output.next(), if waiting < BACKLOG_LIMIT => {
                    let Some(line) = line.map_err(too_long)? else { return Err(self.closed().await) };
                    self.line_number += 1;
                    self.received += line.len();
                    let message = messages::read(line).map_err(|bad| {
                        let (number, line) = (self.line_number, quote(line));
                        let what = format!("line {number} of the agent's standard output is not a message");
                        DriveError::protocol(format!("{what}: {}\nthe line: {line}", bad.reason), bad.help)
                    })?;
                    if let Some(message) = message && self.take(message, sink, host).await? {
                        return Ok(());
                    }
                    if self.received > RECEIVED_LIMIT {
                        return Err(too_much());
                    }
                    // An agent with endless output must not starve the timers.
                    tokio::task::consume_budget().await;
                }
                exit = self.process.exited(), if self.exit.is_none() => {
                    self.exit = exit.ok();
                    give_up = Some(Instant::now() + AFTER_EXIT);
                }
                () = sleep_until(far), if give_up.is_some() => {
                    return Err(DriveError::Exited { exit: self.exit, while_answered: waiting > 0 });
                }
            }
        }
    }

    /// Handles one message; returns true if it was the last.
    async fn take(
        &mut self,
        message: AgentMessage,
        sink: &mut TraceSink<'_>,
        host: &dyn ToolHost,
    ) -> DriveResult<bool> {
        match message {
            AgentMessage::ToolCall { name, call_id, args } => {
                let call = ToolCall { call_id, name, args: args.into(), observer: Observer::Protocol, begun: None };
                sink.push(EventKind::ToolCall(call.clone()))?;
                let reply = host.call(&call).await?;
                self.answer(&reply);
                sink.push(EventKind::ToolResult(reply.result))?;
            }
            AgentMessage::Usage(usage) => {
                if let Some(usage) = self.used.said(usage) {
                    sink.push(EventKind::Usage(usage))?;
                }
            }
            AgentMessage::Log { level, message, data } => {
                sink.push(EventKind::Log { level, message, data: data.map(Arc::new) })?;
            }
            AgentMessage::FinalOutput { output } => {
                sink.push(EventKind::FinalOutput(output.into()))?;
                return Ok(true);
            }
            AgentMessage::TaskError { message, data } => {
                sink.push(EventKind::AgentError { message: message.clone(), data: data.map(Arc::new) })?;
                return Err(DriveError::AgentError(message));
            }
        }
        Ok(false)
    }

    /// Queues a tool result, in its delivery form.
    fn answer(&mut self, reply: &ToolReply) {
        let mut line = match reply.delivery {
            Delivery::Never => return,
            Delivery::Malformed => NO_ANSWER.as_bytes().to_vec(),
            Delivery::Whole | Delivery::Truncated => messages::tool_result(&reply.result).into_bytes(),
        };
        if reply.delivery == Delivery::Truncated {
            line.truncate(line.len() / 2);
        }
        if reply.delivery != Delivery::Whole {
            line.push(b'\n');
        }
        self.input.bytes().extend(line);
    }

    /// The error for an early end of the output: waits a moment for the agent's exit.
    async fn closed(&mut self) -> DriveError {
        if self.exit.is_none()
            && let Ok(Ok(exit)) = tokio::time::timeout(AFTER_CLOSE, self.process.exited()).await
        {
            self.exit = Some(exit);
        }
        DriveError::Exited { exit: self.exit, while_answered: self.input.waiting() > 0 || !self.input.is_open() }
    }

    pub(crate) fn unread(&self) -> usize {
        self.input.waiting()
    }

    pub(crate) async fn close(self) -> Ending {
        drop(self.input);
        let ending = self.process.end(if self.done { DONE } else { UNDONE }).await;
        drop(self.output);
        ending
    }
}

fn too_much() -> DriveError {
    let message = format!("the agent wrote more than {} MiB to its standard output", RECEIVED_LIMIT >> 20);
    DriveError::protocol(message, "print logs to standard error, and put large data elsewhere")
}

fn too_long(error: LineError) -> DriveError {
    match error {
        LineError::Io(error) => DriveError::Transport(error),
        LineError::TooLong { limit, beginning } => {
            let (limit, line) = (limit >> 20, quote(&beginning));
            let message =
                format!("the agent wrote a line of more than {limit} MiB to its standard output\nthe line: {line}");
            DriveError::protocol(message, "each message is one line; put large data elsewhere")
        }
    }
}

/// An excerpt of a line as text.
fn quote(line: &[u8]) -> String {
    agentci_text::excerpt(&String::from_utf8_lossy(line), QUOTED).into_owned()
}
