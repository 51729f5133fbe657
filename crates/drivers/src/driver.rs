//! The driver of a target: an enum, because the kinds of target are known.

use std::future::ready;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{Speech, Target, UnsetVariableError};
use agentci_process::Ending;
use agentci_wire::FetchedSecrets;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use crate::a2a::A2aDriver;
use crate::agui::AguiDriver;
use crate::chat::{ChatDriver, Resources};
use crate::error::OpenError;
use crate::http::HttpDriver;
use crate::mcp::McpDriver;
use crate::mock::{MockDraws, MockDriver};
use crate::observer::SeenEvents;
use crate::process::{PlainDriver, ProcessDriver};
#[cfg(feature = "testing")]
use crate::testing::{self, FakeDriver};
use crate::{DriveResult, Input, ToolHost, TraceSink};
use agentci_exchange::{AgentLine, AgentRecording};

/// What a driver needs besides the target.
pub struct DriverContext<'c> {
    pub case_id: &'c str,
    /// Looks up the value of a variable.
    pub lookup: &'c dyn Fn(&str) -> Option<String>,
    /// The suite's folder: paths in turns are relative to it.
    pub folder: &'c Path,
    /// Environment variables of an agent that agentci starts; the target takes precedence.
    pub environment: &'c [(String, String)],
    /// Environment variables that take precedence over the target, because they were computed from it.
    pub enforced: &'c [(String, String)],
    /// Receives the process id of every started program.
    pub started: Option<UnboundedSender<u32>>,
    /// The URLs of the agent's tools, if agentci's stub server plays them.
    pub bases: &'c ToolBases,
    /// The random choices of mock models, for the whole run.
    pub draws: &'c MockDraws,
    /// The timeout of one request to a server; takes precedence over the target's.
    pub request_timeout: Option<Duration>,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// Whether the host answers the tool calls of a model.
    pub tools: bool,
    /// The agents that the suite names.
    pub agents: &'c [(String, Arc<Target>)],
    /// Resources that are shared by many attempts.
    pub resources: &'c dyn Resources,
    /// Whether missing snapshots are created.
    pub records: bool,
    /// Secrets that a driver fetches are registered here before their first use.
    pub fetched: &'c FetchedSecrets,
}

/// The URLs of tools that agentci's stub server plays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolBases {
    /// Variable names and their URLs.
    pub bases: Vec<(String, String)>,
    /// Whether every request has to carry the URLs, because they differ for each case.
    pub tell: bool,
}

/// A turn in progress. It is boxed because the futures of the drivers differ much in size, and so that a case stays
/// cheap to move.
pub type TurnUnderWay<'t> = Pin<Box<dyn Future<Output = DriveResult> + 't>>;

/// A connection to an agent.
#[derive(Debug)]
pub struct Driver(DriverKind);

#[derive(Debug)]
enum DriverKind {
    Process(Box<ProcessDriver>),
    Plain(Box<PlainDriver>),
    Mock(MockDriver),
    Agui(Box<AguiDriver>),
    A2a(Box<A2aDriver>),
    Mcp(Box<McpDriver>),
    Chat(Box<ChatDriver>),
    Http(Box<HttpDriver>),
    #[cfg(feature = "testing")]
    Fake(Box<FakeDriver>),
}

impl DriverKind {
    async fn open(target: &Target, context: &DriverContext<'_>, line: AgentLine) -> Result<Self, OpenError> {
        #[cfg(feature = "testing")]
        if testing::stands_in(target, context) {
            return Ok(DriverKind::Fake(Box::new(FakeDriver::open(context, line)?)));
        }
        Ok(match target {
            Target::Process(process) if process.speaks == Speech::Text => {
                DriverKind::Plain(Box::new(PlainDriver::open(process, context)?))
            }
            Target::Process(process) => DriverKind::Process(Box::new(ProcessDriver::open(process, context).await?)),
            Target::Mock(mock) => DriverKind::Mock(MockDriver::open(mock, context.draws)),
            Target::Agui(agui) => DriverKind::Agui(Box::new(AguiDriver::open(agui, context, line)?)),
            Target::A2a(a2a) => DriverKind::A2a(Box::new(A2aDriver::open(a2a, context, line)?)),
            Target::Mcp(mcp) => DriverKind::Mcp(Box::new(McpDriver::open(mcp, context, line)?)),
            Target::Chat(chat) => DriverKind::Chat(Box::new(ChatDriver::open(chat, context, line)?)),
            Target::Http(http) => DriverKind::Http(Box::new(HttpDriver::open(http, context, line)?)),
        })
    }
}

impl Driver {
    /// Connects to the agent; servers are reached over the line. The outer error is one of the suite: a variable
    /// without a value.
    pub async fn open(
        target: &Target,
        context: &DriverContext<'_>,
        line: AgentLine,
    ) -> Result<DriveResult<Self>, UnsetVariableError> {
        match DriverKind::open(target, context, line).await {
            Ok(kind) => Ok(Ok(Driver(kind))),
            Err(OpenError::Agent(error)) => Ok(Err(error)),
            Err(OpenError::Suite(unset)) => Err(unset),
        }
    }

    /// Adds events that another observer sees to the trace, as they arrive. If the observer `tells_usage`, the usage
    /// that the agent reports counts only if the observer saw none.
    pub fn listen(&mut self, seen: UnboundedReceiver<agentci_trace::EventKind>, tells_usage: bool) {
        let seen = SeenEvents(Some(seen));
        match &mut self.0 {
            DriverKind::Process(driver) => driver.listen(seen, tells_usage),
            DriverKind::Plain(driver) => driver.seen = seen,
            DriverKind::Http(driver) => driver.watch.seen = seen,
            #[cfg(feature = "testing")]
            DriverKind::Fake(driver) => driver.seen = seen,
            // These agents have no tools or models that agentci could observe, and the calls of a chat agent are its
            // own.
            DriverKind::Mock(_)
            | DriverKind::Agui(_)
            | DriverKind::A2a(_)
            | DriverKind::Mcp(_)
            | DriverKind::Chat(_) => {}
        }
    }

    /// Adds the events that another observer saw so far to the trace, between turns.
    pub fn take_seen(&mut self, sink: &mut TraceSink<'_>) {
        // The watcher that stops here reports the reason.
        let _ = match &mut self.0 {
            DriverKind::Process(driver) => driver.take_seen(sink),
            DriverKind::Plain(driver) => driver.seen.take_all(sink),
            DriverKind::Http(driver) => driver.watch.take_all(sink),
            #[cfg(feature = "testing")]
            DriverKind::Fake(driver) => driver.seen.take_all(sink),
            DriverKind::Mock(_)
            | DriverKind::Agui(_)
            | DriverKind::A2a(_)
            | DriverKind::Mcp(_)
            | DriverKind::Chat(_) => Ok(()),
        };
    }

    /// Takes one turn: everything the agent does is written to the sink.
    pub fn turn<'t>(
        &'t mut self,
        input: &'t Input,
        sink: &'t mut TraceSink<'_>,
        host: &'t dyn ToolHost,
    ) -> TurnUnderWay<'t> {
        match &mut self.0 {
            DriverKind::Process(driver) => Box::pin(driver.turn(input, sink, host)),
            DriverKind::Plain(driver) => Box::pin(driver.turn(input, sink)),
            DriverKind::Mock(driver) => Box::pin(ready(driver.turn(input.value(), sink))),
            DriverKind::Agui(driver) => Box::pin(driver.turn(input, sink, host)),
            DriverKind::A2a(driver) => Box::pin(driver.turn(input, sink)),
            DriverKind::Mcp(driver) => Box::pin(driver.turn(input, sink)),
            DriverKind::Chat(driver) => Box::pin(driver.turn(input, sink, host)),
            DriverKind::Http(driver) => Box::pin(driver.turn(input, sink)),
            #[cfg(feature = "testing")]
            DriverKind::Fake(driver) => Box::pin(driver.turn(input, sink, host)),
        }
    }

    /// How many bytes of its input the agent has not read, as far as known.
    pub fn unread(&self) -> usize {
        if let DriverKind::Process(driver) = &self.0 { driver.unread() } else { 0 }
    }

    /// The recording of the conversation, if there is one.
    pub fn take_recording(&mut self) -> Option<AgentRecording> {
        let line = match &mut self.0 {
            DriverKind::Process(_) | DriverKind::Plain(_) | DriverKind::Mock(_) => return None,
            DriverKind::Agui(driver) => &mut driver.line,
            DriverKind::A2a(driver) => &mut driver.client.line,
            DriverKind::Mcp(driver) => &mut driver.line,
            DriverKind::Chat(driver) => &mut driver.line,
            DriverKind::Http(driver) => &mut driver.line,
            #[cfg(feature = "testing")]
            DriverKind::Fake(driver) => &mut driver.line,
        };
        recording_of(line)
    }

    /// Closes the connection; if agentci started the agent, ends it with all its child processes.
    pub async fn close(self) -> Ending {
        match self.0 {
            DriverKind::Process(driver) => Box::pin(driver.close()).await,
            DriverKind::Plain(driver) => Box::pin(driver.close()).await,
            DriverKind::Mcp(driver) => Box::pin(driver.close()).await,
            #[cfg(feature = "testing")]
            DriverKind::Fake(driver) => driver.close(),
            DriverKind::Mock(_)
            | DriverKind::Agui(_)
            | DriverKind::A2a(_)
            | DriverKind::Http(_)
            | DriverKind::Chat(_) => Ending { exit: None, stderr_tail: Vec::new() },
        }
    }
}

/// The recording of a line, if there is one.
pub(crate) fn recording_of(line: &mut AgentLine) -> Option<AgentRecording> {
    match std::mem::take(line) {
        AgentLine::Record(recorder) => Some(recorder.into_recording()),
        AgentLine::Live | AgentLine::Replay(_) => None,
    }
}
