//! The driver of agents that consist of prompts and a model.

use std::rc::Rc;

use agentci_plan::ChatTarget;
use agentci_trace::EventKind;
use serde_json::Value;

use super::assistant::{DELEGATIONS, Delegates, NextStep};
use super::conversation::ChatConversation;
use super::message::normal;
use super::session::ChatSession;
use crate::error::OpenError;
use crate::{DriveError, DriveResult, DriverContext, Input, ToolHost, TraceSink};
use agentci_exchange::AgentLine;

/// An agent that consists of prompts and a model, and the conversation so far.
#[derive(Debug)]
pub(crate) struct ChatDriver {
    session: Rc<ChatSession>,
    delegates: Delegates,
    history: Vec<Value>,
    tools: bool,
    pub(crate) line: AgentLine,
}

impl ChatDriver {
    pub(crate) fn open(target: &ChatTarget, context: &DriverContext<'_>, line: AgentLine) -> Result<Self, OpenError> {
        let session = Rc::new(ChatSession::open(target, context, &line)?);
        let delegates = Delegates::open(&session, context, &line);
        Ok(Self { session, delegates, history: Vec::new(), tools: context.tools, line })
    }

    pub(crate) async fn turn(&mut self, input: &Input, sink: &mut TraceSink<'_>, host: &dyn ToolHost) -> DriveResult {
        let Input::Messages(said) = input else {
            return Err(DriveError::Unsupported(format!("a model accepts messages, not {}", input.value())));
        };
        let mut at = self.line.next(sink.clock());
        sink.push_at(at, EventKind::TurnStart(input.value()))?;
        let mut messages = std::mem::take(&mut self.history);
        for message in said {
            messages.push(normal(message).map_err(DriveError::Unsupported)?);
        }
        // One time for the whole attempt, so that the prompts of all requests agree.
        let unix_ms = sink.clock().after(0).unix_ms;
        let mut session = Rc::clone(&self.session);
        for _ in 0..DELEGATIONS {
            let (line, tools) = (&mut self.line, self.tools);
            let conversation = ChatConversation { session: &session, line, tools, unix_ms, at, sink, host };
            match conversation.run(messages).await {
                Ok((NextStep::Output(output), messages, over)) => {
                    self.history = messages;
                    sink.push_at(over, EventKind::FinalOutput(output.into()))?;
                    sink.push_at(over, EventKind::TurnEnd)?;
                    return Ok(());
                }
                Ok((NextStep::Delegate { agent, messages: handed }, ..)) => {
                    session = self.delegates.find(&agent)?;
                    messages = handed;
                    at = self.line.next(sink.clock());
                }
                Err(error) => {
                    if matches!(error, DriveError::Refused { .. } | DriveError::Busy { .. } | DriveError::AgentError(_))
                    {
                        let at = self.line.now(sink.clock());
                        sink.push_at(at, EventKind::AgentError { message: error.to_string(), data: None })?;
                    }
                    return Err(error);
                }
            }
        }
        Err(Delegates::exhausted())
    }
}
