//! The state of a conversation between turns.

use super::outgoing::OutgoingMessage;
use super::task::A2aTask;

/// The state of a conversation between turns: its context and its last task, both named by the agent.
#[derive(Debug, Default)]
pub struct A2aConversation {
    pub(super) context: Option<String>,
    pub(super) task: Option<A2aTask>,
}

impl A2aConversation {
    /// Starts a conversation, in the context of the suite or one that the agent will name.
    pub fn new(context: Option<String>) -> Self {
        Self { context, task: None }
    }

    /// Completes the message of a turn. A task that waits for input is continued; one that is over is not referred to
    /// again.
    pub fn say(&mut self, mut message: OutgoingMessage, accepted: &[String]) -> OutgoingMessage {
        if let Some(context) = &message.context {
            self.context = Some(context.clone());
        }
        message.context.clone_from(&self.context);
        match &message.task {
            Some(named) if self.task.as_ref().is_none_or(|task| task.id != *named) => self.task = None,
            Some(_) => {}
            None => {
                let waits = self.task.as_ref().filter(|task| task.state.is_interrupted());
                message.task = waits.map(|task| task.id.clone());
            }
        }
        message.accepted = accepted.to_vec();
        message
    }
}
