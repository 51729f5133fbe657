//! The agents that `Next` may delegate to: those that the suite names.

use std::rc::Rc;

use agentci_plan::Target;

use crate::chat::session::ChatSession;
use crate::{DriveError, DriveResult, DriverContext};
use agentci_exchange::AgentLine;

/// How many agents may speak in one turn, each delegating to the next.
pub(in crate::chat) const DELEGATIONS: usize = 4;

/// The agents by name, each ready to be asked, or why it cannot be.
#[derive(Debug)]
pub(in crate::chat) struct Delegates(Vec<(String, Result<Rc<ChatSession>, String>)>);

impl Delegates {
    /// Gets ready whom a session may delegate to.
    pub(in crate::chat) fn open(session: &ChatSession, context: &DriverContext<'_>, line: &AgentLine) -> Self {
        let mut agents = Vec::new();
        for (name, agent) in context.agents.iter().filter(|_| session.assistant.may_delegate()) {
            let Target::Chat(chat) = &**agent else { continue };
            let agent = ChatSession::open(chat, context, line).map(Rc::new);
            agents.push((name.clone(), agent.map_err(|error| error.to_string())));
        }
        Self(agents)
    }

    /// The agent of this name.
    pub(in crate::chat) fn find(&self, agent: &str) -> DriveResult<Rc<ChatSession>> {
        let message = match self.0.iter().find(|(name, _)| name == agent) {
            Some((_, Ok(session))) => return Ok(Rc::clone(session)),
            Some((_, Err(why))) => format!("`Next` delegates to `{agent}`, which can not be asked: {why}"),
            None => format!(
                "`Next` delegates to `{agent}`: delegation is not supported except to agents that the suite itself names"
            ),
        };
        Err(DriveError::Function { message })
    }

    /// Everybody delegated, and nobody answered.
    pub(in crate::chat) fn exhausted() -> DriveError {
        DriveError::Function {
            message: format!(
                "`Next` delegated {DELEGATIONS} times one after another: look for agents that delegate to each other"
            ),
        }
    }
}
