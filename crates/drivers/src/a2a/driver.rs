//! The driver of A2A agents.

use std::time::Duration;

use agentci_plan::{A2aCard, A2aTarget};
use agentci_protocols::a2a::{
    A2aCall, A2aConversation, A2aError, A2aReader, A2aVersion, Card, Interface, OutgoingMessage, TaskState,
    TurnStanding,
};
use agentci_trace::{EventKind, Moment};
use serde_json::{Value, json};

use super::auth::Credentials;
use super::client::{A2aClient, A2aReply};
use super::hosts::{TrustedHosts, tells_who_asks};
use super::refusal::refused;
use super::stream::read_stream;
use crate::error::OpenError;
use crate::template_parts::filled;
use crate::{DriveError, DriveResult, DriverContext, Input, TraceSink};
use agentci_exchange::{AgentLine, Clock, UuidSource};

/// The first and the longest pause between two polls of a task.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// A conversation with an agent.
#[derive(Debug)]
pub(crate) struct A2aDriver {
    found: AgentLocation,
    pub(crate) client: A2aClient,
    blocking: Option<bool>,
    accepted: Vec<String>,
    /// The hosts that may receive credentials.
    hosts: TrustedHosts,
    conversation: A2aConversation,
}

#[derive(Debug)]
enum AgentLocation {
    /// The URL of a card that is not fetched yet.
    At(String),
    /// A card that is part of the suite.
    Inline(Value),
    /// The agent's interface is known.
    Here(Agent),
}

/// An agent whose interface is known.
#[derive(Debug, Clone)]
pub(super) struct Agent {
    pub(super) interface: Interface,
    streaming: bool,
    /// Whether its protocol version is known.
    settled: bool,
}

impl Agent {
    fn of(card: &Value) -> DriveResult<Self> {
        let help = "check the agent's card against the A2A specification";
        let card = Card::read(card).map_err(|broken| DriveError::protocol(broken.0, help))?;
        Ok(Self { interface: card.interface, streaming: card.streaming, settled: true })
    }
}

/// A turn in progress.
pub(super) struct A2aTurn<'t, 's> {
    pub(super) agent: Agent,
    pub(super) reader: A2aReader,
    pub(super) sink: &'t mut TraceSink<'s>,
    begun: Moment,
    /// The limit for all requests of the turn together.
    timeout: Duration,
    /// When the last data arrived.
    pub(super) over: Moment,
}

impl A2aTurn<'_, '_> {
    /// The time left at a given moment.
    pub(super) fn left(&self, at: Moment) -> Duration {
        let used = Duration::from_micros(at.offset_us.saturating_sub(self.begun.offset_us));
        self.timeout.saturating_sub(used)
    }

    /// Handles an item that the agent sent.
    pub(super) fn take(&mut self, item: &Value, conversation: &mut A2aConversation) -> DriveResult {
        for kind in self.reader.item(item, self.agent.interface.protocol, conversation)? {
            self.sink.push_at(self.over, kind)?;
        }
        Ok(())
    }
}

impl A2aDriver {
    pub(crate) fn open(target: &A2aTarget, context: &DriverContext<'_>, line: AgentLine) -> Result<Self, OpenError> {
        let lookup = context.lookup;
        let replay = matches!(line, AgentLine::Replay(_));
        let found = match &target.card {
            A2aCard::At(url) => AgentLocation::At(line.fill(lookup, |lookup| url.value.fill(lookup))?),
            A2aCard::Inline(card) => AgentLocation::Inline(card.clone()),
            // A bare URL does not tell whether the agent supports 1.0.
            A2aCard::Endpoint(url) => {
                let url = line.fill(lookup, |lookup| url.value.fill(lookup))?;
                AgentLocation::Here(Agent { interface: Interface::bare(url), streaming: false, settled: false })
            }
        };
        // A replay does not depend on headers, and their secrets may be unset.
        let sent = if replay { &[] } else { target.headers.as_slice() };
        let headers = filled(sent, |value| value.fill(lookup))?;
        let context_id = target.context.as_ref().map(|context| context.fill(lookup)).transpose()?;
        Ok(Self {
            found,
            client: A2aClient {
                ids: UuidSource::new(line.seed()),
                line,
                headers,
                credentials: Credentials::open(target.auth.as_ref(), lookup, context.fetched, replay)?,
                timeout: context.request_timeout.unwrap_or(target.timeout),
                by_card: matches!(target.card, A2aCard::At(_)),
                keys: target.keys,
            },
            blocking: target.blocking,
            accepted: target.accepted_output_modes.clone(),
            hosts: TrustedHosts {
                listed: target.hosts.clone(),
                // A replay sends nothing.
                guarded: !replay && (target.auth.is_some() || target.headers.iter().any(tells_who_asks)),
            },
            conversation: A2aConversation::new(context_id),
        })
    }

    /// Takes one turn. Clients do not see an agent's tool calls, so the tool host is not needed.
    pub(crate) async fn turn(&mut self, input: &Input, sink: &mut TraceSink<'_>) -> DriveResult {
        let found = self.find(sink.clock()).await;
        let over = self.client.line.next(sink.clock());
        sink.push_at(over, EventKind::TurnStart(input.value()))?;
        let agent = found?;
        let message = message_of(input).map_err(DriveError::Unsupported)?;
        let message = self.conversation.say(message, &self.accepted);
        let (reader, timeout) = (A2aReader::default(), self.client.timeout);
        let mut turn = A2aTurn { agent, reader, sink, begun: over, timeout, over };
        let result = self.converse(&message, &mut turn).await;
        let A2aTurn { agent, reader, sink, over, .. } = turn;
        self.found = AgentLocation::Here(agent);
        let ending = reader.ending(&self.conversation);
        for kind in reader.end(&mut self.conversation) {
            sink.push_at(over, kind)?;
        }
        result?;
        if let TurnStanding::Failed { state, words } = ending {
            let words = gave_up(state, &words);
            let data = Some(json!({ "state": state.name() }));
            sink.push_at(over, EventKind::AgentError { message: words.clone(), data: data.map(Into::into) })?;
            return Err(DriveError::AgentError(words));
        }
        sink.push_at(over, EventKind::TurnEnd)?;
        Ok(())
    }

    /// Resolves the agent's interface and prepares the credentials. This does not count towards the time of the turn.
    async fn find(&mut self, clock: Clock) -> DriveResult<Agent> {
        let agent = match &self.found {
            AgentLocation::Here(agent) => agent.clone(),
            AgentLocation::Inline(card) => Agent::of(card)?,
            AgentLocation::At(url) => {
                let agent = Agent::of(&self.client.card(url, clock).await?)?;
                self.hosts.allow(url, &agent.interface.url)?;
                agent
            }
        };
        self.found = AgentLocation::Here(agent.clone());
        self.client.credentials.get_ready(self.client.timeout).await?;
        Ok(agent)
    }

    /// Sends the message and reads until the agent is done, in one answer or several.
    async fn converse(&mut self, message: &OutgoingMessage, turn: &mut A2aTurn<'_, '_>) -> DriveResult {
        let call = if self.blocking.is_none() && turn.agent.streaming {
            A2aCall::Stream(message)
        } else {
            A2aCall::Send { message, immediately: self.blocking == Some(false) }
        };
        let reply = self.first(call, turn).await?;
        let streamed = matches!(reply, A2aReply::Stream(_));
        let cut = self.read(reply, turn).await?;
        let (task, state) = match (turn.reader.ending(&self.conversation), &cut) {
            (TurnStanding::Working { task, state }, _) => (task, state),
            (TurnStanding::Silent, None) => {
                let help = "look at the agent's log: it accepted the request and sent nothing";
                return Err(DriveError::protocol("the stream ended without a single item", help));
            }
            (TurnStanding::Silent, Some(_)) => return cut.map_or(Ok(()), Err),
            (TurnStanding::Done | TurnStanding::Waits | TurnStanding::Failed { .. }, _) => return Ok(()),
        };
        if streamed {
            let words = format!("the stream ended while the task was {}", state.name());
            let told = match &cut {
                None => EventKind::Violation(words),
                Some(error) => {
                    EventKind::Log { level: "warn".into(), message: format!("{words}: {error}"), data: None }
                }
            };
            turn.sink.push_at(turn.over, told)?;
            self.subscribe(&task, turn).await?;
        }
        self.poll(&task, streamed, turn).await
    }

    /// Sends the first call of a turn. If only the agent's URL is known and it rejects 1.0, the call is repeated in
    /// version 0.3; a rejected call has no effect.
    async fn first(&mut self, call: A2aCall<'_>, turn: &mut A2aTurn<'_, '_>) -> DriveResult<A2aReply> {
        let reply = self.client.call(call, turn.begun, turn).await?;
        let is_of_another_version =
            |reply: &A2aReply| matches!(reply, A2aReply::Refused(refusal, _) if refusal.is_of_another_version());
        if turn.agent.settled || !is_of_another_version(&reply) {
            turn.agent.settled |= !matches!(reply, A2aReply::Refused(..));
            return Ok(reply);
        }
        let modern = turn.agent.interface.protocol;
        turn.agent.interface.protocol.version = A2aVersion::V03;
        let again = self.call_next(call, turn).await?;
        if is_of_another_version(&again) {
            turn.agent.interface.protocol = modern;
            return Ok(reply);
        }
        turn.agent.settled = true;
        Ok(again)
    }

    async fn call_next(&mut self, call: A2aCall<'_>, turn: &A2aTurn<'_, '_>) -> DriveResult<A2aReply> {
        let at = self.client.line.next(turn.sink.clock());
        self.client.call(call, at, turn).await
    }

    /// Reads a reply to its end. Returns the error that broke a stream; `None` if the agent closed it.
    async fn read(&mut self, reply: A2aReply, turn: &mut A2aTurn<'_, '_>) -> DriveResult<Option<DriveError>> {
        match reply {
            A2aReply::Refused(refusal, at) => {
                turn.over = at;
                Err(refused(&refusal, self.client.keys))
            }
            A2aReply::Whole(value, at) => {
                turn.over = at;
                turn.take(&value, &mut self.conversation)?;
                Ok(None)
            }
            A2aReply::Stream(mut answer) => read_stream(&mut answer, turn, &mut self.conversation, &self.client).await,
        }
    }

    /// Resumes a stream. Failures are ignored: a task that is not over is polled next.
    async fn subscribe(&mut self, task: &str, turn: &mut A2aTurn<'_, '_>) -> DriveResult {
        match self.call_next(A2aCall::Subscribe(task), turn).await {
            Ok(A2aReply::Refused(_, at)) => turn.over = at,
            Ok(reply) => match self.read(reply, turn).await {
                Ok(_) | Err(DriveError::Refused { .. } | DriveError::Busy { .. }) => {}
                Err(error) => return Err(error),
            },
            Err(DriveError::Transport(_)) => turn.over = self.client.line.now(turn.sink.clock()),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Polls the task until it is over, waits for input, or the time is up.
    async fn poll(&mut self, task: &str, at_once: bool, turn: &mut A2aTurn<'_, '_>) -> DriveResult {
        let mut wait = if at_once { Duration::ZERO } else { FIRST_WAIT };
        while !turn.reader.is_over(&self.conversation) {
            let left = turn.left(turn.over);
            self.client.wait(wait.min(left)).await;
            if left <= wait {
                return Err(DriveError::Timeout { after: self.client.timeout });
            }
            let reply = self.call_next(A2aCall::Get(task), turn).await?;
            self.read(reply, turn).await?;
            wait = (wait * 2).clamp(FIRST_WAIT, LONGEST_WAIT);
        }
        Ok(())
    }
}

fn gave_up(state: TaskState, words: &str) -> String {
    let what = match state {
        TaskState::Rejected => "its task was rejected",
        TaskState::Canceled => "its task was canceled",
        _ => "its task failed",
    };
    if words.is_empty() { what.to_owned() } else { format!("{what}: {words}") }
}

/// The message of a turn.
fn message_of(input: &Input) -> Result<OutgoingMessage, String> {
    match input {
        Input::Messages(messages) => OutgoingMessage::of_messages(messages),
        Input::Action { kind, arguments } if kind == "a2a:send" => OutgoingMessage::of_action(arguments),
        other @ (Input::Task(_) | Input::Action { .. }) => {
            Err(format!("an A2A agent does not accept {}", other.value()))
        }
    }
}

impl From<A2aError> for DriveError {
    fn from(broken: A2aError) -> Self {
        let help = "the answer does not follow the A2A specification: check the version of the agent's SDK";
        DriveError::protocol(broken.0, help)
    }
}
