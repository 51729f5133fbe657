//! The outcome of a check.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use agentci_source::Span;

/// The outcome of a check on one trace.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The check passed.
    Passed,
    /// The check failed.
    Failed(Failure),
    /// The check could not be evaluated.
    Error(Failure),
    /// The check was not evaluated, with the reason.
    NotEvaluated(String),
}

/// Why a check failed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Failure {
    /// The message: one sentence in lower case.
    pub message: String,
    /// The part of the check that failed, if it is more precise than the check itself.
    pub span: Option<Span>,
    /// The label next to the marked text: what was found instead.
    pub label: String,
    /// Further facts, one line each.
    pub notes: Vec<String>,
    /// The differences in machine-readable form.
    pub details: Vec<Detail>,
}

/// One difference between the expected and the actual value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// The place in the checked value, as a JSON pointer; empty for the whole value.
    pub path: String,
    /// The expected value.
    pub expected: Value,
    /// The actual value.
    pub actual: Value,
}

impl Failure {
    /// A failure with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Sets the part of the check that failed, and the label.
    #[must_use]
    pub fn at(mut self, span: Span, label: impl Into<String>) -> Self {
        self.span = Some(span);
        self.label = label.into();
        self
    }

    /// Adds notes.
    #[must_use]
    pub fn notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// Adds a difference at this JSON pointer.
    #[must_use]
    pub fn detail(mut self, path: &str, expected: impl Into<Value>, actual: impl Into<Value>) -> Self {
        self.details.push(Detail { path: path.to_owned(), expected: expected.into(), actual: actual.into() });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}
