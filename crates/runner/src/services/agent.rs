//! Starts, watches and stops an agent that is a server.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agentci_plan::{HttpServer, HttpTarget, UnsetVariableError, mix};
use agentci_process::{Exit, Grace, Pipes, Process, ProcessCommand, agent_program};
use agentci_source::print_duration;
use agentci_stubs::fill_command;
use agentci_verdict::{Cause, Finding};
use futures_util::FutureExt as _;
use tokio::net::TcpListener;
use tokio::process::ChildStdin;
use tokio::time::timeout;

use super::ready::{ReadySign, host_and_port};
use crate::{drive_findings::spawn_help, job::CaseJob, setup_error::SetupError};

/// The variable for a port that agentci chooses.
pub(crate) const PORT: &str = "PORT";
/// The grace period of an agent that is asked to exit.
const GRACE: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_secs(2) };

/// How long to wait for the exit of an agent that dropped a connection or accepts no more.
const LEAVING: Duration = Duration::from_millis(500);

/// Environment variables of a server besides those of the suite.
#[derive(Debug, Default)]
pub(crate) struct ServerEnvironment {
    /// Variables that the suite can override.
    pub(crate) given: Vec<(String, String)>,
    /// Variables that the suite cannot override.
    pub(crate) enforced: Vec<(String, String)>,
}

/// A running agent that is a server.
#[derive(Debug)]
pub(super) struct ServedAgent {
    pub(super) process: Process,
    /// Some programs exit when their standard input is closed.
    _input: ChildStdin,
    /// The sign that it accepts connections.
    connection: ReadySign,
    /// The port that was chosen for it.
    pub(super) port: Option<u16>,
    /// Its output up to the start of the current case.
    before: Vec<String>,
}

/// The finding for an agent that is not running.
pub(super) fn unreachable(job: &CaseJob<'_>, server: &HttpServer, message: String) -> Finding {
    Finding::new(Cause::Unreachable, message).at(job.place(server.span), "this command")
}

impl ServedAgent {
    /// Starts the program and waits until it is ready.
    pub(super) async fn start(
        job: &CaseJob<'_>,
        target: &HttpTarget,
        server: &HttpServer,
        lookup: &dyn Fn(&str) -> Option<String>,
        mut environment: ServerEnvironment,
    ) -> Result<Self, SetupError> {
        let wrong = |message: String, help: &str| unreachable(job, server, message).help(help);
        let unset = |unset: UnsetVariableError| {
            let help = "set it in the environment (`${ENV.NAME}`), or add a default with `:-`";
            wrong(format!("the agent could not be started: {unset}"), help)
        };
        let port = match lookup(PORT) {
            None if target.url.value.uses(PORT) => Some(
                free_port()
                    .await
                    .map_err(|error| wrong(format!("no free port for the agent: {error}"), "set one in the URL"))?,
            ),
            _ => None,
        };
        environment.given.extend(port.map(|port| (PORT.to_owned(), port.to_string())));
        let lookup = |name: &str| match port {
            Some(port) if name == PORT => Some(port.to_string()),
            _ => lookup(name),
        };
        let url = target.url.value.fill(&lookup).map_err(unset)?;
        let address = host_and_port(&url)
            .ok_or_else(|| wrong(format!("`{url}` is not an HTTP address"), "example: `http://127.0.0.1:8081/`"))?;
        let ready = server.ready.as_ref().map(|ready| ready.value.fill(&lookup)).transpose().map_err(unset)?;
        let connection = ReadySign::Connection(address.clone());
        // Another server at this address would be called instead of the agent.
        if connection.is_there().await {
            let help = "stop it, or leave it running and remove the command; `${PORT}` in the URL is a free port";
            return Err(wrong(format!("something listens on `{address}` before the agent is started"), help).into());
        }
        let command = command(server, &lookup, environment).map_err(unset)?;
        let (mut process, Pipes { input, output }) = Process::spawn(&command)
            .map_err(|error| wrong(format!("the agent could not be started: {error}"), spawn_help(&error)))?;
        process.keep_output(output);
        let sign = ready.map_or(connection.clone(), ReadySign::Answer);
        let mut agent = Self { process, _input: input, connection, port, before: Vec::new() };
        match agent.wait(&sign, server.patience).await {
            Ok(()) => Ok(agent),
            Err(message) => {
                let left = agent.process.exited().now_or_never().is_some();
                let stderr_tail = agent.process.end(GRACE).await.stderr_tail;
                let help = help(left, port.is_some(), !stderr_tail.is_empty());
                Err(SetupError { findings: vec![wrong(message, help)], stderr_tail })
            }
        }
    }

    async fn wait(&mut self, sign: &ReadySign, patience: Duration) -> Result<(), String> {
        tokio::select! {
            biased;
            exit = self.process.exited() => Err(match exit {
                Ok(exit) => format!("the agent ended with {exit} before it was ready"),
                Err(error) => format!("the agent was lost before it was ready: {error}"),
            }),
            () = sign.wait() => Ok(()),
            () = tokio::time::sleep(patience) => {
                Err(format!("the agent was not ready within {}: {sign}", print_duration(patience)))
            }
        }
    }

    /// How it exited, if it has exited or is about to: connections close before the process ends.
    pub(super) async fn left(&mut self) -> Option<Exit> {
        if let Some(exit) = self.process.exited().now_or_never() {
            return exit.ok();
        }
        if self.connection.is_there().await {
            return None;
        }
        self.leaves().await
    }

    /// How it exited, if it exits shortly.
    pub(super) async fn leaves(&mut self) -> Option<Exit> {
        timeout(LEAVING, self.process.exited()).await.ok()?.ok()
    }

    /// Marks the output so far as belonging to earlier cases.
    pub(super) fn begin_case(&mut self) {
        self.before = self.process.tail();
    }

    /// Its output since the current case began.
    pub(super) fn printed(&self) -> Vec<String> {
        since(&self.before, self.process.tail())
    }

    /// Its output since the current case began, after it exited.
    pub(super) async fn last_words(&mut self) -> Vec<String> {
        since(&self.before, self.process.last_words().await)
    }

    /// Stops it and all processes that it started.
    pub(super) async fn stop(self) -> Vec<String> {
        self.process.end(GRACE).await.stderr_tail
    }
}

/// The lines that follow `before`, whose first lines may have been dropped in the meantime.
fn since(before: &[String], mut lines: Vec<String>) -> Vec<String> {
    let mut known = before;
    while let Some((_, later)) = known.split_first() {
        if lines.starts_with(known) {
            break;
        }
        known = later;
    }
    lines.drain(..known.len());
    lines
}

/// Ports outside the ephemeral range: no other program gets one by chance between the check and the agent's start.
const PORTS: std::ops::Range<u16> = 16_000..32_000;

/// The number of ports to try before asking the system for any free port.
const TRIES: u64 = 64;

/// A free port. Another program may take it before the agent does; then the agent reports that.
async fn free_port() -> std::io::Result<u16> {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Runs that start together try different ports.
    let first = mix(u64::from(std::process::id()) << 32 ^ u64::from(now.subsec_nanos()));
    let candidate = |number: u64| {
        let place = mix(first.wrapping_add(number)) % u64::from(PORTS.end - PORTS.start);
        PORTS.start + u16::try_from(place).expect("a place below the number of ports")
    };
    for _ in 0..TRIES {
        let port = candidate(ASKED.fetch_add(1, Ordering::Relaxed));
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.is_ok() {
            return Ok(port);
        }
    }
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?.local_addr()?.port())
}

/// The help for an agent that is not ready: whether it exited, was given a port, and printed anything.
fn help(left: bool, port: bool, printed: bool) -> &'static str {
    match (left, port, printed) {
        (.., true) => "check its output",
        (true, ..) => "it printed nothing: run the command by hand to see why it exits",
        (false, true, _) => "it printed nothing; the server must listen on the port in the variable `PORT`",
        (false, false, _) => "it printed nothing; the server must listen on the host and port of the target's `url`",
    }
}

fn command(
    server: &HttpServer,
    lookup: &dyn Fn(&str) -> Option<String>,
    environment: ServerEnvironment,
) -> Result<ProcessCommand, UnsetVariableError> {
    let ServerEnvironment { given: mut environment, enforced } = environment;
    let command = fill_command(&server.command, &server.environment, lookup)?;
    environment.extend(command.environment);
    let program = agent_program(command.program, &environment, &enforced);
    environment.extend(enforced);
    Ok(ProcessCommand { program, arguments: command.arguments, folder: server.folder.clone(), environment })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It accepts no more connections but does not exit.
    #[tokio::test]
    async fn does_not_wait_for_unreachable_agent_that_keeps_running() {
        let (arguments, program) = (vec!["60".into()], "sleep".into());
        let (process, pipes) =
            Process::spawn(&ProcessCommand { program, arguments, ..ProcessCommand::default() }).unwrap();
        let connection = ReadySign::Connection(format!("127.0.0.1:{}", free_port().await.unwrap()));
        let mut agent = ServedAgent { process, _input: pipes.input, connection, port: None, before: Vec::new() };
        assert_eq!(agent.left().await, None);
        agent.stop().await;
    }

    #[test]
    fn case_has_only_lines_printed_after_its_start() {
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(since(&[], lines("a b")), ["a", "b"]);
        assert_eq!(since(&lines("a b"), lines("a b")), [""; 0]);
        assert_eq!(since(&lines("a b"), lines("a b b c")), ["b", "c"]);
        // Only the last lines are kept: some or all of the earlier ones are gone.
        assert_eq!(since(&lines("a b c"), lines("b c d")), ["d"]);
        assert_eq!(since(&lines("a b c"), lines("d e f")), ["d", "e", "f"]);
    }
}
