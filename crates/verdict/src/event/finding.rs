//! Why a case did not pass.

use agentci_source::Place;
use serde::{Deserialize, Serialize};

use crate::{Cause, Detail};

/// One thing that kept a case from passing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What kind of thing.
    pub cause: Cause,
    /// The name of the check or limit, or the cause's own.
    pub name: String,
    /// What is wrong, one sentence or more.
    pub message: String,
    /// The suite line that asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// A few words to stand beside the marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Further facts, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The same for programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Detail>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// In which turn, from 0, where it was asked of one turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
}

impl Finding {
    /// A finding that has no better name than its cause.
    pub fn new(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause, name: cause.name().into(), message: message.into(), ..Self::default() }
    }

    /// Points at a place, with a few words beside it.
    #[must_use]
    pub fn at(self, place: Place, label: impl Into<String>) -> Self {
        Self { place: Some(place), label: label.into(), ..self }
    }

    /// Says what to do about it.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}
