//! What became of a check.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use agentci_source::Span;

/// What became of a check over one trace.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It held.
    Held,
    /// It did not hold.
    Failed(Failure),
    /// It could not be evaluated though it should have been.
    Error(Failure),
    /// It was not looked at, and why.
    NotEvaluated(String),
}

/// Why a check did not hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Failure {
    /// What is wrong, one sentence in lower case.
    pub message: String,
    /// The part of the check that was not met, where it is more exact than the check itself.
    pub span: Option<Span>,
    /// A few words to stand beside the marked text: what was seen instead.
    pub label: String,
    /// Further facts, a line each.
    pub notes: Vec<String>,
    /// The same for programs.
    pub details: Vec<Detail>,
}

/// One difference between what was asked and what was seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// Where in the looked-at value, as a JSON pointer; empty for the whole of it.
    pub path: String,
    /// What was asked.
    pub expected: Value,
    /// What was seen.
    pub actual: Value,
}

impl Failure {
    /// A failure with its sentence.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Points at the part of the check that was not met.
    #[must_use]
    pub fn at(mut self, span: Span, label: impl Into<String>) -> Self {
        self.span = Some(span);
        self.label = label.into();
        self
    }

    /// Adds facts.
    #[must_use]
    pub fn notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// Adds a difference, at a JSON pointer.
    #[must_use]
    pub fn detail(mut self, path: &str, expected: impl Into<Value>, actual: impl Into<Value>) -> Self {
        self.details.push(Detail { path: path.to_owned(), expected: expected.into(), actual: actual.into() });
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}
