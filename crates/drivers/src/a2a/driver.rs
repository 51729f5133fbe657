//! A conversation with an agent that speaks A2A.

use std::time::Duration;

use agentci_plan::{A2aCard, A2aTarget, UnsetVariable};
use agentci_protocols::a2a::{
    Broken, Call, Card, Conversation, Ending, Interface, Outgoing, Reader, TaskState, Version,
};
use agentci_trace::{Kind, Moment};
use serde_json::{Value, json};

use super::ask::{Ask, Budget, Reply};
use super::auth::Credentials;
use super::hosts::{Hosts, tells_who_asks};
use super::refused::refused;
use super::stream::{Cut, read_stream};
use crate::{Context, DriveError, Input, ToolHost, TraceSink};
use agentci_exchange::Clock;
use agentci_exchange::Ids;
use agentci_exchange::{Line, Recording};

/// How long to wait before a task is asked for again: at first, and at most.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// A conversation with an agent.
#[derive(Debug)]
pub(crate) struct A2aDriver {
    found: Found,
    ask: Ask,
    blocking: Option<bool>,
    accepted: Vec<String>,
    /// Who may be shown credentials.
    hosts: Hosts,
    conversation: Conversation,
}

/// How the agent is found.
#[derive(Debug)]
enum Found {
    /// Its card is to be fetched.
    At(String),
    /// Its card is at hand.
    Inline(Value),
    /// It is known where it is, and whether it streams.
    Here { interface: Interface, streaming: bool, settled: bool },
}

impl A2aDriver {
    pub(crate) fn open(target: &A2aTarget, context: &Context<'_>, line: Line) -> Result<Self, UnsetVariable> {
        let lookup = context.lookup;
        let replay = matches!(line, Line::Replay(_));
        let found = match &target.card {
            A2aCard::At(url) => Found::At(line.fill(lookup, |lookup| url.value.fill(lookup))?),
            A2aCard::Inline(card) => Found::Inline(card.clone()),
            // Of an address alone it is not known whether 1.0 is spoken there.
            A2aCard::Endpoint(url) => {
                let url = line.fill(lookup, |lookup| url.value.fill(lookup))?;
                Found::Here { interface: Interface::bare(url), streaming: false, settled: false }
            }
        };
        let mut headers = Vec::new();
        // What is in them makes no difference to a replay, and they may hold secrets that are not there.
        for (name, value) in target.headers.iter().filter(|_| !replay) {
            headers.push((name.clone(), value.fill(lookup)?));
        }
        let context_id = target.context.as_ref().map(|context| context.fill(lookup)).transpose()?;
        Ok(Self {
            found,
            ask: Ask {
                ids: Ids::new(line.seed()),
                line,
                headers,
                credentials: Credentials::open(target.auth.as_ref(), lookup, context.fetched, replay)?,
                timeout: context.request_timeout.unwrap_or(target.timeout),
                by_card: matches!(target.card, A2aCard::At(_)),
                keys: target.keys,
            },
            blocking: target.blocking,
            accepted: target.accepted_output_modes.clone(),
            hosts: Hosts {
                listed: target.hosts.clone(),
                // A replay shows nobody anything.
                guarded: !replay && (target.auth.is_some() || target.headers.iter().any(tells_who_asks)),
            },
            conversation: Conversation::new(context_id),
        })
    }

    /// Takes one turn. No tool call of an agent is seen by its clients, so nobody is asked for answers.
    pub(crate) async fn turn(
        &mut self,
        input: &Input,
        sink: &mut TraceSink<'_>,
        _host: &dyn ToolHost,
    ) -> Result<(), DriveError> {
        let found = self.find(sink.clock()).await;
        let mut over = self.ask.line.next(sink.clock());
        sink.push_at(over, Kind::TurnStart(input.value()))?;
        found?;
        let message = message_of(input).map_err(DriveError::Unsupported)?;
        let message = self.conversation.say(message, &self.accepted);
        let mut reader = Reader::default();
        let result = self.converse(&message, &mut reader, sink, &mut over).await;
        let ending = reader.ending(&self.conversation);
        for kind in reader.end(&mut self.conversation) {
            sink.push_at(over, kind)?;
        }
        result?;
        if let Ending::Failed { state, words } = ending {
            let words = gave_up(state, &words);
            let data = Some(json!({ "state": state.name() }));
            sink.push_at(over, Kind::AgentError { message: words.clone(), data: data.map(Into::into) })?;
            return Err(DriveError::AgentError(words));
        }
        sink.push_at(over, Kind::TurnEnd)?;
        Ok(())
    }

    /// Finds out where the agent is, and gets ready to speak to it, before the clock of a turn is started.
    async fn find(&mut self, clock: Clock) -> Result<(), DriveError> {
        let card = match &self.found {
            Found::Here { .. } => None,
            Found::Inline(card) => Some(card.clone()),
            Found::At(url) => Some(self.ask.card(url, clock).await?),
        };
        if let Some(card) = card {
            let card = Card::read(&card).map_err(|broken| DriveError::Protocol {
                message: broken.0,
                help: "check the agent's card against the A2A specification".into(),
            })?;
            if let Found::At(url) = &self.found {
                self.hosts.allow(url, &card.interface.url)?;
            }
            self.found = Found::Here { interface: card.interface, streaming: card.streaming, settled: true };
        }
        self.ask.credentials.get_ready(self.ask.timeout).await
    }

    /// Sends the message and reads until the agent has said all, be it in one answer or several.
    async fn converse(
        &mut self,
        message: &Outgoing,
        reader: &mut Reader,
        sink: &mut TraceSink<'_>,
        over: &mut Moment,
    ) -> Result<(), DriveError> {
        let budget = Budget { begun: *over, timeout: self.ask.timeout };
        let streams = self.blocking.is_none() && matches!(self.found, Found::Here { streaming: true, .. });
        let call = if streams {
            Call::Stream(message)
        } else {
            Call::Send { message, immediately: self.blocking == Some(false) }
        };
        let reply = self.first(call, budget, sink.clock()).await?;
        let streamed = matches!(reply, Reply::Stream(_));
        let cut = self.read(reply, reader, sink, over).await?;
        let (task, state) = match reader.ending(&self.conversation) {
            Ending::Working { task, state } => (task, state),
            Ending::Silent => {
                return Err(match cut {
                    Cut::Broken(error) => error,
                    Cut::Closed => silent(),
                });
            }
            Ending::Done | Ending::Waits | Ending::Failed { .. } => return Ok(()),
        };
        if streamed {
            let words = format!("the stream ended while the task was {}", state.name());
            sink.push_at(
                *over,
                match &cut {
                    Cut::Closed => Kind::Violation(words),
                    Cut::Broken(error) => {
                        Kind::Log { level: "warn".into(), message: format!("{words}: {error}"), data: None }
                    }
                },
            )?;
            self.subscribe(&task, reader, budget, sink, over).await?;
        }
        self.poll(&task, reader, budget, streamed, sink, over).await
    }

    /// The first call of a turn. An agent of which only the address is known is tried in the version before 1.0 when it does not
    /// understand; a call that is not understood does nothing.
    async fn first(&mut self, call: Call<'_>, budget: Budget, clock: Clock) -> Result<Reply, DriveError> {
        let reply = self.call_at(call, budget, clock, budget.begun).await?;
        let Found::Here { interface, settled, .. } = &mut self.found else { return Ok(reply) };
        if let Reply::Refused(refusal, _) = &reply
            && !*settled
            && refusal.is_of_another_version()
        {
            let modern = interface.protocol;
            interface.protocol.version = Version::V03;
            let again = self.call(call, budget, clock).await?;
            let Found::Here { interface, settled, .. } = &mut self.found else { return Ok(again) };
            return Ok(match &again {
                Reply::Refused(other, _) if other.is_of_another_version() => {
                    interface.protocol = modern;
                    reply
                }
                Reply::Stream(_) | Reply::Whole(..) | Reply::Refused(..) => {
                    *settled = true;
                    again
                }
            });
        }
        *settled |= !matches!(reply, Reply::Refused(..));
        Ok(reply)
    }

    async fn call(&mut self, call: Call<'_>, budget: Budget, clock: Clock) -> Result<Reply, DriveError> {
        let at = self.ask.line.next(clock);
        self.call_at(call, budget, clock, at).await
    }

    async fn call_at(&mut self, call: Call<'_>, budget: Budget, clock: Clock, at: Moment) -> Result<Reply, DriveError> {
        match &self.found {
            Found::Here { interface, .. } => self.ask.call(call, interface, budget, clock, at).await,
            Found::At(_) | Found::Inline(_) => Err(DriveError::Unsupported("the agent was not found".into())),
        }
    }

    /// Reads a reply to its end, and tells how a stream ended.
    async fn read(
        &mut self,
        reply: Reply,
        reader: &mut Reader,
        sink: &mut TraceSink<'_>,
        over: &mut Moment,
    ) -> Result<Cut, DriveError> {
        let Found::Here { interface, .. } = &self.found else { return Ok(Cut::Closed) };
        match reply {
            Reply::Refused(refusal, at) => {
                *over = at;
                Err(refused(&refusal, self.ask.keys))
            }
            Reply::Whole(value, at) => {
                *over = at;
                let kinds = reader.item(&value, interface.protocol, &mut self.conversation).map_err(broken)?;
                for kind in kinds {
                    sink.push_at(at, kind)?;
                }
                Ok(Cut::Closed)
            }
            Reply::Stream(mut answer) => {
                let conversation = &mut self.conversation;
                read_stream(&mut answer, interface.protocol, reader, conversation, &self.ask, sink, over).await
            }
        }
    }

    /// Takes a stream up again. Whatever comes of it, the task itself is asked for next if it is not over.
    async fn subscribe(
        &mut self,
        task: &str,
        reader: &mut Reader,
        budget: Budget,
        sink: &mut TraceSink<'_>,
        over: &mut Moment,
    ) -> Result<(), DriveError> {
        match self.call(Call::Subscribe(task), budget, sink.clock()).await {
            Ok(Reply::Refused(_, at)) => *over = at,
            Ok(reply) => match self.read(reply, reader, sink, over).await {
                Ok(_) | Err(DriveError::Refused { .. } | DriveError::Busy { .. }) => {}
                Err(error) => return Err(error),
            },
            Err(DriveError::Transport(_)) => *over = self.ask.line.now(sink.clock()),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Asks for the task until it is over or waits, or the time is up.
    async fn poll(
        &mut self,
        task: &str,
        reader: &mut Reader,
        budget: Budget,
        at_once: bool,
        sink: &mut TraceSink<'_>,
        over: &mut Moment,
    ) -> Result<(), DriveError> {
        let mut wait = if at_once { Duration::ZERO } else { FIRST_WAIT };
        while !reader.is_over(&self.conversation) {
            let left = budget.left(*over);
            self.ask.wait(wait.min(left)).await;
            if left <= wait {
                return Err(DriveError::Timeout { after: self.ask.timeout });
            }
            let reply = self.call(Call::Get(task), budget, sink.clock()).await?;
            self.read(reply, reader, sink, over).await?;
            wait = (wait * 2).clamp(FIRST_WAIT, LONGEST_WAIT);
        }
        Ok(())
    }

    /// What was recorded, if anything is.
    pub(crate) fn take_recording(&mut self) -> Option<Recording> {
        match std::mem::take(&mut self.ask.line) {
            Line::Record(recorder) => Some(recorder.into_recording()),
            Line::Live | Line::Replay(_) => None,
        }
    }
}

fn gave_up(state: TaskState, words: &str) -> String {
    let what = match state {
        TaskState::Rejected => "its task was rejected",
        TaskState::Canceled => "its task was canceled",
        TaskState::Failed
        | TaskState::Submitted
        | TaskState::Working
        | TaskState::InputRequired
        | TaskState::AuthRequired
        | TaskState::Completed
        | TaskState::Unknown => "its task failed",
    };
    if words.is_empty() { what.to_owned() } else { format!("{what}: {words}") }
}

/// What a turn says to an agent.
fn message_of(input: &Input) -> Result<Outgoing, String> {
    match input {
        Input::Messages(messages) => Outgoing::of_messages(messages),
        Input::Action { kind, arguments } if kind == "a2a:send" => Outgoing::of_action(arguments),
        other @ (Input::Task(_) | Input::Action { .. }) => Err(format!("an A2A agent can not take {}", other.value())),
    }
}

pub(super) fn broken(broken: Broken) -> DriveError {
    let help = "the answer is not what A2A describes: check the version of the agent's SDK".into();
    DriveError::Protocol { message: broken.0, help }
}

fn silent() -> DriveError {
    DriveError::Protocol {
        message: "the stream ended without a single item".into(),
        help: "look at the agent's log: it accepted the request and sent nothing".into(),
    }
}
