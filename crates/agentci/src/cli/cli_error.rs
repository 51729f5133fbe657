//! Errors that end a command.

use agentci::source::did_you_mean;

use super::{CliContext, ExitStatus};

/// How a command ended.
pub(crate) type CommandResult = Result<ExitStatus, CliError>;

/// An error message, the remedy, and the exit status.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CliError {
    /// Empty if the error has already been reported.
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) status: ExitStatus,
}

/// The help for an unknown word: the known word that is probably meant, or `otherwise`.
pub(crate) fn meant_or<'k>(word: &str, known: impl IntoIterator<Item = &'k str>, otherwise: &str) -> String {
    did_you_mean(word, known).map_or_else(|| otherwise.to_owned(), |meant| format!("did you mean `{meant}`?"))
}

impl CliError {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..Self::plain(message.into()) }
    }

    /// An error without a remedy.
    #[expect(clippy::needless_pass_by_value, reason = "errors are handed over by `map_err`")]
    pub(crate) fn plain(message: impl ToString) -> Self {
        Self { message: message.to_string(), help: None, status: ExitStatus::Failed }
    }

    /// An error that has already been reported.
    pub(crate) fn told() -> Self {
        Self::plain("")
    }

    /// Turns the error into a usage error.
    pub(crate) fn usage(self) -> Self {
        Self { status: ExitStatus::Usage, ..self }
    }

    /// Prints the error and returns its exit status.
    pub(crate) fn tell(&self, context: &CliContext) -> ExitStatus {
        if !self.message.is_empty() {
            context.complain(&self.message, self.help.as_deref());
        }
        self.status
    }
}
