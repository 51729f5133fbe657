//! Why a command cannot go on.

use agentci::source::did_you_mean;

use super::{CliContext, ExitStatus};

/// How a command ended.
pub(crate) type CommandResult = Result<ExitStatus, CliError>;

/// What is wrong, what to do, and what the process tells its caller.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CliError {
    /// Empty where everything was said already.
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) status: ExitStatus,
}

/// What to do about a word that is not known.
pub(crate) fn meant_or<'k>(word: &str, known: impl IntoIterator<Item = &'k str>, otherwise: &str) -> String {
    did_you_mean(word, known).map_or_else(|| otherwise.to_owned(), |meant| format!("did you mean `{meant}`?"))
}

impl CliError {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..Self::plain(message.into()) }
    }

    /// One that nothing is to be done about.
    #[expect(clippy::needless_pass_by_value, reason = "errors are handed over by `map_err`")]
    pub(crate) fn plain(message: impl ToString) -> Self {
        Self { message: message.to_string(), help: None, status: ExitStatus::Failed }
    }

    /// What is wrong was said already.
    pub(crate) fn told() -> Self {
        Self::plain("")
    }

    /// The same for a command line that is wrong in itself.
    pub(crate) fn usage(self) -> Self {
        Self { status: ExitStatus::Usage, ..self }
    }

    /// Tells the user.
    pub(crate) fn tell(&self, context: &CliContext) -> ExitStatus {
        if !self.message.is_empty() {
            context.complain(&self.message, self.help.as_deref());
        }
        self.status
    }
}
