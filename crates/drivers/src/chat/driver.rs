//! Turns with an agent that is prompts and a model.

use std::rc::Rc;

use agentci_plan::{ChatTarget, Target, UnsetVariable};
use agentci_trace::Kind;
use serde_json::Value;

use super::calendar::Calendar;
use super::conversation::{Talk, Told};
use super::message::normal;
use super::session::Seat;
use crate::{Context, DriveError, Input, ToolHost, TraceSink};
use agentci_exchange::{Line, Recording};

/// How many agents may speak in one turn, each delegating to the next.
const DELEGATIONS: usize = 4;

/// An agent that is prompts and a model, and the conversation so far.
#[derive(Debug)]
pub(crate) struct ChatDriver {
    seat: Rc<Seat>,
    /// The agents that it may delegate to, or why that can not be.
    others: Vec<(String, Result<Rc<Seat>, String>)>,
    history: Vec<Value>,
    tools: bool,
    line: Line,
}

impl ChatDriver {
    pub(crate) fn open(
        target: &ChatTarget,
        context: &Context<'_>,
        line: Line,
    ) -> Result<Result<Self, DriveError>, UnsetVariable> {
        let seat = match Seat::fill(target, context, &line)? {
            Ok(seat) => Rc::new(seat),
            Err(error) => return Ok(Err(error)),
        };
        let mut others = Vec::new();
        // Nobody but a function delegates.
        for (name, agent) in context.agents.iter().filter(|_| seat.hooks.is_some()) {
            let Target::Chat(chat) = &**agent else { continue };
            let other = match Seat::fill(chat, context, &line) {
                Ok(Ok(seat)) => Ok(Rc::new(seat)),
                Ok(Err(error)) => Err(error.to_string()),
                Err(unset) => Err(unset.to_string()),
            };
            others.push((name.clone(), other));
        }
        Ok(Ok(Self { seat, others, history: Vec::new(), tools: context.tools, line }))
    }

    pub(crate) async fn turn(
        &mut self,
        input: &Input,
        sink: &mut TraceSink<'_>,
        host: &dyn ToolHost,
    ) -> Result<(), DriveError> {
        let Input::Messages(said) = input else {
            return Err(DriveError::Unsupported(format!("a model takes messages, not {}", input.value())));
        };
        let mut at = self.line.next(sink.clock());
        sink.push_at(at, Kind::TurnStart(input.value()))?;
        let mut messages = std::mem::take(&mut self.history);
        for message in said {
            messages.push(normal(message).map_err(DriveError::Unsupported)?);
        }
        // One time for the whole attempt: prompts of all its requests agree.
        let calendar = Calendar::new(sink.clock().after(0).unix_ms);
        let mut seat = Rc::clone(&self.seat);
        for _ in 0..DELEGATIONS {
            let talk = Talk { seat: &seat, line: &mut self.line, tools: self.tools, calendar, at };
            match talk.run(messages, sink, host).await {
                Ok(Told::Output { output, messages, over }) => {
                    self.history = messages;
                    sink.push_at(over, Kind::FinalOutput(output.into()))?;
                    sink.push_at(over, Kind::TurnEnd)?;
                    return Ok(());
                }
                Ok(Told::Delegated { agent, messages: handed }) => {
                    seat = self.other(&agent)?;
                    messages = handed;
                    at = self.line.next(sink.clock());
                }
                Err(error) => {
                    if matches!(error, DriveError::Refused { .. } | DriveError::Busy { .. } | DriveError::AgentError(_))
                    {
                        let at = self.line.now(sink.clock());
                        sink.push_at(at, Kind::AgentError { message: error.to_string(), data: None })?;
                    }
                    return Err(error);
                }
            }
        }
        Err(DriveError::Function {
            message: format!(
                "`Next` delegated {DELEGATIONS} times one after another: look for agents that delegate to each other"
            ),
        })
    }

    fn other(&self, agent: &str) -> Result<Rc<Seat>, DriveError> {
        match self.others.iter().find(|(name, _)| name == agent) {
            Some((_, Ok(seat))) => Ok(Rc::clone(seat)),
            Some((_, Err(why))) => Err(DriveError::Function {
                message: format!("`Next` delegates to `{agent}`, which can not be asked: {why}"),
            }),
            None => Err(DriveError::Function {
                message: format!(
                    "`Next` delegates to `{agent}`: delegation is not supported except to agents that the suite itself names"
                ),
            }),
        }
    }

    /// What was recorded, if anything is.
    pub(crate) fn take_recording(&mut self) -> Option<Recording> {
        match std::mem::take(&mut self.line) {
            Line::Record(recorder) => Some(recorder.into_recording()),
            Line::Live | Line::Replay(_) => None,
        }
    }
}
