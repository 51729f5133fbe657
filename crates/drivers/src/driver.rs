//! The driver of a target: an enum, since the kinds of target are ours to list.

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

/// What a driver needs to know beside the target.
pub struct DriverContext<'c> {
    /// The case.
    pub case_id: &'c str,
    /// The value of a variable.
    pub lookup: &'c dyn Fn(&str) -> Option<String>,
    /// The suite's folder: files that a turn names are looked for there.
    pub folder: &'c Path,
    /// What an agent that is ours to start finds in its environment, unless the target says otherwise.
    pub environment: &'c [(String, String)],
    /// What it finds there whatever the target says: it was made of that.
    pub enforced: &'c [(String, String)],
    /// Is told the process id of every program that is started.
    pub started: Option<UnboundedSender<u32>>,
    /// Where the agent's tools are, if they are played by a server of ours.
    pub bases: &'c ToolBases,
    /// Which calls of a scripted model fail, for the whole run.
    pub draws: &'c MockDraws,
    /// How long one request to a server may take, before the target's own limit.
    pub request_timeout: Option<Duration>,
    /// Which attempt at the case it is, from 1.
    pub attempt: u32,
    /// Whether someone answers the tools that a model wants called.
    pub tools: bool,
    /// Agents that the suite knows by name.
    pub agents: &'c [(String, Arc<Target>)],
    /// What is made ready once and used by many attempts.
    pub resources: &'c dyn Resources,
    /// Whether files that turns compare with are made where there are none.
    pub records: bool,
    /// Where secrets that a driver fetches itself are made known before they are used.
    pub fetched: &'c FetchedSecrets,
}

/// What leads an agent to tools that are played by a server of ours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolBases {
    /// Variables and the addresses they hold.
    pub bases: Vec<(String, String)>,
    /// Whether the agent has to be told with every question, since the addresses are this case's own.
    pub tell: bool,
}

/// A turn that goes on. It takes the room that its kind of agent needs, which differs much, and stays where it is when a case
/// is moved about.
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
    /// Connects to the agent; servers are reached over the line. The outer error is the suite's fault, a variable without a value.
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

    /// Lets what someone else sees of the agent enter the trace, in the moment it is seen. Where that someone `tells_usage`, what the
    /// agent says of it counts only if nothing was seen.
    pub fn listen(&mut self, seen: UnboundedReceiver<agentci_trace::EventKind>, tells_usage: bool) {
        let seen = SeenEvents(Some(seen));
        match &mut self.0 {
            DriverKind::Process(driver) => driver.listen(seen, tells_usage),
            DriverKind::Plain(driver) => driver.seen = seen,
            DriverKind::Http(driver) => driver.watch.seen = seen,
            #[cfg(feature = "testing")]
            DriverKind::Fake(driver) => driver.seen = seen,
            // Neither a scripted model nor a server that calls no tools of ours has a wire that we see, and of a model that
            // we ask we know all.
            DriverKind::Mock(_)
            | DriverKind::Agui(_)
            | DriverKind::A2a(_)
            | DriverKind::Mcp(_)
            | DriverKind::Chat(_) => {}
        }
    }

    /// Lets what someone else saw until now enter the trace, when no turn is under way.
    pub fn take_seen(&mut self, sink: &mut TraceSink<'_>) {
        // Whoever stops there knows why.
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

    /// How many bytes the agent was sent and has not read, as far as we can tell.
    pub fn unread(&self) -> usize {
        if let DriverKind::Process(driver) = &self.0 { driver.unread() } else { 0 }
    }

    /// What was recorded of the conversation, if it is.
    pub fn take_recording(&mut self) -> Option<AgentRecording> {
        let line = match &mut self.0 {
            DriverKind::Process(_) | DriverKind::Plain(_) | DriverKind::Mock(_) => return None,
            DriverKind::Agui(driver) => &mut driver.line,
            DriverKind::A2a(driver) => &mut driver.ask.line,
            DriverKind::Mcp(driver) => &mut driver.line,
            DriverKind::Chat(driver) => &mut driver.line,
            DriverKind::Http(driver) => &mut driver.line,
            #[cfg(feature = "testing")]
            DriverKind::Fake(driver) => &mut driver.line,
        };
        recording_of(line)
    }

    /// Ends the connection, and the agent with all it started where it is ours.
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

/// What was recorded of what went over a line, if it is.
pub(crate) fn recording_of(line: &mut AgentLine) -> Option<AgentRecording> {
    match std::mem::take(line) {
        AgentLine::Record(recorder) => Some(recorder.into_recording()),
        AgentLine::Live | AgentLine::Replay(_) => None,
    }
}
