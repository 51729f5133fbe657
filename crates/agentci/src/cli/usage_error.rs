//! Flags that cannot be followed.

use agentci::verdict::ExitStatus;

use super::context::Context;

/// What is wrong with a flag, and what to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UsageError {
    pub(crate) message: String,
    pub(crate) help: String,
}

impl UsageError {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }

    /// Tells the user; the command has failed.
    pub(crate) fn tell(&self, context: &Context) -> ExitStatus {
        context.complain(&self.message, Some(&self.help));
        ExitStatus::Failed
    }
}
