//! Why a case did not pass.

use agentci_source::Place;
use serde::{Deserialize, Serialize};

use crate::{Cause, Detail};

/// One reason why a case did not pass.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The cause.
    pub cause: Cause,
    /// The name of the check or limit, or of the cause.
    pub name: String,
    /// The message: one sentence or more.
    pub message: String,
    /// The line of the suite that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The label next to the marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Further facts, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The differences in machine-readable form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Detail>,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The number of the turn, from 0, if it is about one turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
}

impl Finding {
    /// A finding that is named after its cause.
    pub fn new(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause, name: cause.name().into(), message: message.into(), ..Self::default() }
    }

    /// Sets the place and its label.
    #[must_use]
    pub fn at(self, place: Place, label: impl Into<String>) -> Self {
        Self { place: Some(place), label: label.into(), ..self }
    }

    /// Sets the help.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}
