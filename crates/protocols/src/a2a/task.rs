//! A task, assembled from the agent's updates.

use serde_json::{Value, json};

use super::item::{A2aMessage, ArtifactPiece, TaskStatus};
use super::part::{A2aPart, PartContent};
use super::state::TaskState;

/// A task as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct A2aTask {
    /// The id that the agent assigned.
    pub id: String,
    pub state: TaskState,
    /// The agent's message about the state.
    pub(super) message: Option<A2aMessage>,
    pub(super) artifacts: Vec<Artifact>,
}

/// An artifact of a task.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Artifact {
    id: String,
    name: Option<String>,
    parts: Vec<A2aPart>,
    /// How many of its parts were returned in earlier turns.
    given: usize,
}

impl A2aTask {
    /// A task without any updates yet.
    pub(super) fn new(id: String) -> Self {
        Self { id, state: TaskState::Unknown, message: None, artifacts: Vec::new() }
    }

    pub(super) fn status(&mut self, status: TaskStatus) {
        self.state = status.state;
        self.message = status.message;
    }

    /// Handles a piece of an artifact; returns true if it should be appended to an unknown artifact.
    pub(super) fn artifact(&mut self, piece: ArtifactPiece, append: bool) -> bool {
        let Some(known) = self.artifacts.iter_mut().find(|known| known.id == piece.id) else {
            self.artifacts.push(Artifact { id: piece.id, name: piece.name, parts: piece.parts, given: 0 });
            return append;
        };
        known.name = piece.name.or(known.name.take());
        if append {
            known.parts.extend(piece.parts);
        } else {
            // Repeated parts are not returned again.
            if !piece.parts.starts_with(&known.parts[..known.given]) {
                known.given = 0;
            }
            known.parts = piece.parts;
        }
        false
    }

    /// The text of the agent's message about the state.
    pub(super) fn words(&self) -> String {
        self.message.as_ref().map(|message| text(&message.parts)).unwrap_or_default()
    }

    /// The new text and data since the last call: the texts of the artifacts in order, then that of the message with
    /// which the task ended or waits, unless an artifact has the same text; and all data parts.
    pub(super) fn give(&mut self) -> (Vec<String>, Vec<Value>) {
        let (mut texts, mut data) = (Vec::new(), Vec::new());
        for artifact in &mut self.artifacts {
            let new = &artifact.parts[artifact.given..];
            texts.push(text(new));
            data.extend(data_of(new));
            artifact.given = artifact.parts.len();
        }
        if self.state.ends_turn() && !self.state.is_failure() {
            let words = self.words();
            if !texts.contains(&words) {
                texts.push(words);
            }
            data.extend(self.message.iter().flat_map(|message| data_of(&message.parts)));
        }
        texts.retain(|text| !text.is_empty());
        (texts, data)
    }

    /// The task as a trace shows it.
    pub(super) fn seen(&self) -> Value {
        let artifact = |artifact: &Artifact| {
            let parts: Vec<Value> = artifact.parts.iter().map(A2aPart::seen).collect();
            match &artifact.name {
                Some(name) => json!({ "name": name, "parts": parts }),
                None => json!({ "parts": parts }),
            }
        };
        let artifacts: Vec<Value> = self.artifacts.iter().map(artifact).collect();
        json!({ "task": { "id": self.id, "state": self.state.name(), "artifacts": artifacts } })
    }
}

/// The text parts, joined without a separator: a streamed text has a part for each piece.
pub(super) fn text(parts: &[A2aPart]) -> String {
    let text = |part: &A2aPart| if let PartContent::Text(text) = &part.content { Some(text.clone()) } else { None };
    parts.iter().filter_map(text).collect()
}

pub(super) fn data_of(parts: &[A2aPart]) -> impl Iterator<Item = Value> {
    parts.iter().filter_map(|part| if let PartContent::Data(data) = &part.content { Some(data.clone()) } else { None })
}
