//! The driver of a target: an enum, since the kinds of target are ours to list.

use std::future::ready;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{Speech, Target, UnsetVariable};
use agentci_process::Ending;
use agentci_wire::FetchedSecrets;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use crate::a2a::A2aDriver;
use crate::agui::AguiDriver;
use crate::chat::{ChatDriver, Resources};
use crate::http::HttpDriver;
use crate::mcp::McpDriver;
use crate::mock::{MockDraws, MockDriver};
use crate::process::{PlainDriver, ProcessDriver};
use crate::seen::SeenEvents;
#[cfg(feature = "testing")]
use crate::testing::{self, FakeDriver};
use crate::{DriveResult, Input, ToolHost, TraceSink};
use agentci_exchange::{Line, Recording};

/// What a driver needs to know beside the target.
pub struct Context<'c> {
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
pub struct Driver(Kind);

#[derive(Debug)]
enum Kind {
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

impl Driver {
    /// Connects to the agent; servers are reached over the line. The outer error is the suite's fault, a variable without a value.
    pub async fn open(target: &Target, context: &Context<'_>, line: Line) -> Result<DriveResult<Self>, UnsetVariable> {
        #[cfg(feature = "testing")]
        if testing::stands_in(target, context) {
            return Ok(FakeDriver::open(context, line).map(|driver| Driver(Kind::Fake(Box::new(driver)))));
        }
        match target {
            Target::Process(process) if process.speaks == Speech::Text => {
                Ok(Ok(Driver(Kind::Plain(Box::new(PlainDriver::open(process, context)?)))))
            }
            Target::Process(process) => {
                Ok(ProcessDriver::open(process, context).await?.map(|driver| Driver(Kind::Process(Box::new(driver)))))
            }
            Target::Mock(mock) => Ok(Ok(Driver(Kind::Mock(MockDriver::open(mock, context.draws))))),
            Target::Agui(agui) => Ok(Ok(Driver(Kind::Agui(Box::new(AguiDriver::open(agui, context, line)?))))),
            Target::A2a(a2a) => Ok(Ok(Driver(Kind::A2a(Box::new(A2aDriver::open(a2a, context, line)?))))),
            Target::Mcp(mcp) => Ok(Ok(Driver(Kind::Mcp(Box::new(McpDriver::open(mcp, context, line)?))))),
            Target::Chat(chat) => {
                Ok(ChatDriver::open(chat, context, line)?.map(|driver| Driver(Kind::Chat(Box::new(driver)))))
            }
            Target::Http(http) => Ok(Ok(Driver(Kind::Http(Box::new(HttpDriver::open(http, context, line)?))))),
        }
    }

    /// Lets what someone else sees of the agent enter the trace, in the moment it is seen. Where that someone `tells_usage`, what the
    /// agent says of it counts only if nothing was seen.
    pub fn listen(&mut self, seen: UnboundedReceiver<agentci_trace::Kind>, tells_usage: bool) {
        let seen = SeenEvents(Some(seen));
        match &mut self.0 {
            Kind::Process(driver) => driver.listen(seen, tells_usage),
            Kind::Plain(driver) => driver.seen = seen,
            Kind::Http(driver) => driver.watch.seen = seen,
            #[cfg(feature = "testing")]
            Kind::Fake(driver) => driver.seen = seen,
            // Neither a scripted model nor a server that calls no tools of ours has a wire that we see, and of a model that
            // we ask we know all.
            Kind::Mock(_) | Kind::Agui(_) | Kind::A2a(_) | Kind::Mcp(_) | Kind::Chat(_) => {}
        }
    }

    /// Lets what someone else saw until now enter the trace, when no turn is under way.
    pub fn take_seen(&mut self, sink: &mut TraceSink<'_>) {
        // Whoever stops there knows why.
        let _ = match &mut self.0 {
            Kind::Process(driver) => driver.take_seen(sink),
            Kind::Plain(driver) => driver.seen.take_all(sink),
            Kind::Http(driver) => driver.watch.take_all(sink),
            #[cfg(feature = "testing")]
            Kind::Fake(driver) => driver.seen.take_all(sink),
            Kind::Mock(_) | Kind::Agui(_) | Kind::A2a(_) | Kind::Mcp(_) | Kind::Chat(_) => Ok(()),
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
            Kind::Process(driver) => Box::pin(driver.turn(input.value(), sink, host)),
            Kind::Plain(driver) => Box::pin(driver.turn(input, sink)),
            Kind::Mock(driver) => Box::pin(ready(driver.turn(input.value(), sink))),
            Kind::Agui(driver) => Box::pin(driver.turn(input, sink, host)),
            Kind::A2a(driver) => Box::pin(driver.turn(input, sink)),
            Kind::Mcp(driver) => Box::pin(driver.turn(input, sink)),
            Kind::Chat(driver) => Box::pin(driver.turn(input, sink, host)),
            Kind::Http(driver) => Box::pin(driver.turn(input, sink)),
            #[cfg(feature = "testing")]
            Kind::Fake(driver) => Box::pin(driver.turn(input, sink, host)),
        }
    }

    /// How many bytes the agent was sent and has not read, as far as we can tell.
    pub fn unread(&self) -> usize {
        if let Kind::Process(driver) = &self.0 { driver.unread() } else { 0 }
    }

    /// What was recorded of the conversation, if it is.
    pub fn take_recording(&mut self) -> Option<Recording> {
        let line = match &mut self.0 {
            Kind::Process(_) | Kind::Plain(_) | Kind::Mock(_) => return None,
            Kind::Agui(driver) => &mut driver.line,
            Kind::A2a(driver) => &mut driver.ask.line,
            Kind::Mcp(driver) => &mut driver.line,
            Kind::Chat(driver) => &mut driver.line,
            Kind::Http(driver) => &mut driver.line,
            #[cfg(feature = "testing")]
            Kind::Fake(driver) => &mut driver.line,
        };
        recording_of(line)
    }

    /// Ends the connection, and the agent with all it started where it is ours.
    pub async fn close(self) -> Ending {
        match self.0 {
            Kind::Process(driver) => Box::pin(driver.close()).await,
            Kind::Plain(driver) => Box::pin(driver.close()).await,
            Kind::Mcp(driver) => Box::pin(driver.close()).await,
            #[cfg(feature = "testing")]
            Kind::Fake(driver) => driver.close(),
            Kind::Mock(_) | Kind::Agui(_) | Kind::A2a(_) | Kind::Http(_) | Kind::Chat(_) => {
                Ending { exit: None, stderr_tail: Vec::new() }
            }
        }
    }
}

/// What was recorded of what went over a line, if it is.
pub(crate) fn recording_of(line: &mut Line) -> Option<Recording> {
    match std::mem::take(line) {
        Line::Record(recorder) => Some(recorder.into_recording()),
        Line::Live | Line::Replay(_) => None,
    }
}
