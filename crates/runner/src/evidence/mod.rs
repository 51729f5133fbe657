//! Answers to what checks ask beside the trace: one file for each kind of question.

mod agent;
mod script;
mod similarity;

use agentci_checks::Question;
use agentci_plan::Suite;
use agentci_verdict::Cause;
use serde_json::Value;

use crate::job::Job;
use crate::options::Options;
use similarity::Meanings;

/// A question that has no answer: whatever a check asks of it, it can not be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unanswered {
    /// What kind of trouble.
    pub(crate) cause: Cause,
    /// What went wrong.
    pub(crate) message: String,
    /// Further facts.
    pub(crate) notes: Vec<String>,
    /// What to do about it.
    pub(crate) help: Option<String>,
}

/// What is kept from one question to the next, for a whole run of a suite.
#[derive(Debug)]
pub(crate) struct Evidence {
    /// Who compares meanings.
    meanings: Meanings,
    /// Functions of the suite's own.
    programs: script::Programs,
}

impl Evidence {
    /// Nothing is known yet.
    pub(crate) fn new(suite: &Suite, options: &Options<'_>) -> Self {
        Self { meanings: Meanings::new(suite, options), programs: script::Programs::default() }
    }

    /// Finds out what a check wants to know.
    pub(crate) async fn answer(&self, job: &Job<'_>, question: Question) -> Result<Value, Unanswered> {
        match question {
            Question::Similarity { expected, said } => self.meanings.compare(job, &expected, &said).await,
            Question::Script { file, function, arguments } => script::call(self, file, function, arguments).await,
            Question::Agent { agent, message } => agent::ask(self, job, &agent, message).await,
            other => Err(Unanswered::new(Cause::Config, format!("nobody answers {other:?}"))),
        }
    }
}

impl Unanswered {
    /// Trouble with its sentence.
    pub(crate) fn new(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause, message: message.into(), notes: Vec::new(), help: None }
    }
}
