//! Runs the agent with its own terminal, signals and exit code.

use std::ffi::OsString;
use std::io;
use std::time::Duration;

use agentci::trace::Redactor;
use agentci::verdict::ExitStatus;
use agentci_process::{Attached, Exit, Grace, ProcessCommand, SignalRequest, SpawnError};
use agentci_recorder::{FinishedSession, RecorderSession, SessionError, SessionEvent, SessionMode};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, sleep_until};

use super::recorder_address::{ReachFlags, RecordedHosts};
use super::streams::{AgentStreams, StreamContents};
use crate::cli::signals::Signals;

/// How long an agent may take to exit after a signal.
const GRACE: Duration = Duration::from_secs(5);

/// How long it may take after a second signal.
const LAST_GRACE: Duration = Duration::from_secs(1);

/// The time limit of an agent without one.
const FAR: Duration = Duration::from_hours(24 * 365);

/// The agent to run.
#[derive(Debug)]
pub(in crate::cli) struct AgentCommand<'a> {
    pub(in crate::cli) command: &'a [OsString],
    /// The time limit of the whole run.
    pub(in crate::cli) limit: Option<Duration>,
    pub(in crate::cli) streams: AgentStreams,
    /// How it reaches the recorder.
    pub(in crate::cli) reach: &'a ReachFlags,
    pub(in crate::cli) hosts: RecordedHosts,
}

/// How the agent ended.
#[derive(Debug)]
pub(in crate::cli) struct AgentEnd {
    pub(in crate::cli) exit: Option<Exit>,
    /// Why it was stopped; `None` if it ended by itself.
    pub(in crate::cli) stopped: Option<StopReason>,
    /// Whether it was stopped by force, after a second signal or the time limit.
    pub(in crate::cli) forced: bool,
    /// Programs that it left running, which were stopped.
    pub(in crate::cli) left: Vec<String>,
    pub(in crate::cli) captured: StreamContents,
    pub(in crate::cli) took: Duration,
}

/// Why an agent was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum StopReason {
    /// We received this signal, and passed it on.
    Asked(SignalRequest),
    /// It exceeded its time limit.
    TooLong,
}

impl AgentEnd {
    /// Adds to a recording what only the command line knows: the command, and how it ended.
    pub(in crate::cli) fn complete(&self, finished: &mut FinishedSession, command: &[OsString]) {
        let at_us = u64::try_from(self.took.as_micros()).unwrap_or(u64::MAX);
        let code = self.exit.and_then(|exit| match exit {
            Exit::Code(code) => Some(code),
            Exit::Signal(_) => None,
        });
        finished.recording.header.command = without_secrets(command, &finished.secrets);
        finished.recording.exit = Some(agentci_recorder::CommandExit { at_us, code });
    }

    /// The exit code of the agent, as a shell reports it.
    pub(in crate::cli) fn status(&self) -> ExitStatus {
        match self.exit {
            _ if self.forced && self.stopped == Some(StopReason::Asked(SignalRequest::Interrupt)) => {
                ExitStatus::Interrupted
            }
            Some(Exit::Code(0)) => ExitStatus::Success,
            Some(Exit::Code(code)) => ExitStatus::Command(u8::try_from(code & 0xff).unwrap_or(1)),
            Some(Exit::Signal(number)) => ExitStatus::Command(u8::try_from(128 + number).unwrap_or(1)),
            None => ExitStatus::Failed,
        }
    }

    /// The exit code for the signal that we received; `None` without one, or if the agent succeeded nevertheless.
    pub(in crate::cli) fn interrupted(&self) -> Option<ExitStatus> {
        let Some(StopReason::Asked(asked)) = self.stopped else { return None };
        match asked {
            _ if self.status() == ExitStatus::Success => None,
            SignalRequest::Interrupt => Some(ExitStatus::Interrupted),
            SignalRequest::Terminate => Some(ExitStatus::Command(128 + 15)),
            SignalRequest::HangUp => Some(ExitStatus::Command(128 + 1)),
        }
    }
}

impl AgentCommand<'_> {
    /// Runs the agent in a recorder session. `take` gets the events of the session, together with the session while it
    /// is open.
    pub(in crate::cli) async fn run(
        self,
        mode: SessionMode,
        mut take: impl FnMut(&SessionEvent, Option<&RecorderSession>),
    ) -> Result<(FinishedSession, Result<AgentEnd, SpawnError>), SessionError> {
        let signals = Signals::listen_for_command();
        let (observer, mut seen) = unbounded_channel();
        let session = self.reach.start(mode, &self.hosts, observer).await?;
        let ended = self.run_within(&session, signals, &mut seen, |event| take(&event, Some(&session))).await;
        let finished = session.finish().await;
        while let Ok(event) = seen.try_recv() {
            take(&event, None);
        }
        Ok((finished, ended))
    }

    async fn run_within(
        self,
        session: &RecorderSession,
        signals: io::Result<Signals>,
        seen: &mut UnboundedReceiver<SessionEvent>,
        mut take: impl FnMut(SessionEvent),
    ) -> Result<AgentEnd, SpawnError> {
        let (program, arguments) = self.command.split_first().ok_or_else(|| SpawnError::NotFound(String::new()))?;
        let failed = |source| SpawnError::Other { program: program.to_string_lossy().into_owned(), source };
        let mut signals = signals.map_err(failed)?;
        let (streams, passing) = self.streams.open().map_err(failed)?;
        let command = ProcessCommand {
            program: session.program(program),
            arguments: arguments.to_vec(),
            folder: None,
            environment: session.environment(),
        };
        let begun = Instant::now();
        let mut child = Attached::spawn(&command, streams)?;
        if let Some(pid) = child.id() {
            session.watch(pid);
        }
        let mut until = begun + self.limit.unwrap_or(FAR);
        let (mut stopped, mut forced, mut grace) = (None, false, GRACE);
        loop {
            tokio::select! {
                // A signal is seen before the exit that it causes.
                biased;
                asked = signals.next() => {
                    if stopped.replace(StopReason::Asked(asked)).is_some() {
                        (forced, grace) = (true, LAST_GRACE);
                        break;
                    }
                    child.pass_on(asked);
                    until = until.min(Instant::now() + GRACE);
                }
                Some(event) = seen.recv() => take(event),
                _ = child.exited() => break,
                () = sleep_until(until) => {
                    stopped = stopped.or(Some(StopReason::TooLong));
                    forced = true;
                    break;
                }
            }
        }
        let (exit, left) = child.end(Grace { before_asking: Duration::ZERO, before_killing: grace }).await;
        let took = begun.elapsed();
        let captured = tokio::task::spawn_blocking(|| passing.finish()).await;
        let captured = captured.expect("reading what the streams kept does not panic");
        Ok(AgentEnd { exit, stopped, forced, left, captured, took })
    }
}

/// The words of a command without secrets.
pub(in crate::cli) fn without_secrets(command: &[OsString], secrets: &Redactor) -> Vec<String> {
    let mut words: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    secrets.arguments(&mut words);
    words
}
