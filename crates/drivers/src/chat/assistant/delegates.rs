//! The agents that `Next` may delegate to: those that the suite names.

use std::rc::Rc;

use agentci_plan::Target;

use crate::chat::session::ChatSession;
use crate::{DriveError, DriveResult, DriverContext};
use agentci_exchange::AgentLine;

/// The maximum number of agents in one turn, each delegating to the next.
pub(in crate::chat) const DELEGATIONS: usize = 4;

/// The agents by name, each with its session or the reason why it has none.
#[derive(Debug)]
pub(in crate::chat) struct Delegates(Vec<(String, Result<Rc<ChatSession>, String>)>);

impl Delegates {
    /// Opens the agents that a session may delegate to.
    pub(in crate::chat) fn open(session: &ChatSession, context: &DriverContext<'_>, line: &AgentLine) -> Self {
        let mut agents = Vec::new();
        for (name, agent) in context.agents.iter().filter(|_| session.assistant.may_delegate()) {
            let Target::Chat(chat) = &**agent else { continue };
            let agent = ChatSession::open(chat, context, line).map(Rc::new);
            agents.push((name.clone(), agent.map_err(|error| error.to_string())));
        }
        Self(agents)
    }

    pub(in crate::chat) fn find(&self, agent: &str) -> DriveResult<Rc<ChatSession>> {
        let message = match self.0.iter().find(|(name, _)| name == agent) {
            Some((_, Ok(session))) => return Ok(Rc::clone(session)),
            Some((_, Err(why))) => format!("`Next` delegates to `{agent}`, which is not available: {why}"),
            None => format!("`Next` delegates to `{agent}`: only agents that the suite names are supported"),
        };
        Err(DriveError::Function { message })
    }

    /// The error if every agent delegated and none answered.
    pub(in crate::chat) fn exhausted() -> DriveError {
        DriveError::Function {
            message: format!(
                "`Next` delegated {DELEGATIONS} times in a row: look for agents that delegate to each other"
            ),
        }
    }
}
