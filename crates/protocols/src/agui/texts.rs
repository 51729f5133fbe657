//! Messages that are being streamed.

use agentci_trace::Moment;
use serde_json::Value;

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    /// Someone speaks.
    Text,
    /// The agent thinks.
    Reasoning,
}

impl Voice {
    pub(super) fn noun(self) -> &'static str {
        match self {
            Voice::Text => "message",
            Voice::Reasoning => "reasoning message",
        }
    }
}

/// A message that is being streamed.
#[derive(Debug)]
pub(super) struct OpenText {
    pub(super) voice: Voice,
    pub(super) id: String,
    pub(super) role: String,
    pub(super) text: String,
    /// When its last piece came.
    pub(super) heard: Moment,
    /// Whether nothing opened it but its content.
    pub(super) implied: bool,
    /// Whether it belongs to the history; a server that still sends `THINKING` events does not know messages of that kind.
    pub(super) kept: bool,
    pub(super) metadata: Option<Value>,
}

/// The open ones, in the order they were opened; few at any time, so they are looked through from the end.
#[derive(Debug, Default)]
pub(super) struct Texts(Vec<OpenText>);

impl Texts {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn push(&mut self, text: OpenText) {
        self.0.push(text);
    }

    pub(super) fn find(&mut self, voice: Voice, id: &str) -> Option<&mut OpenText> {
        self.0.iter_mut().rev().find(|open| open.voice == voice && open.id == id)
    }

    /// Adds a piece to a message; nothing if it is not open.
    pub(super) fn hear(&mut self, voice: Voice, id: &str, delta: &str, at: Moment) -> Option<()> {
        let open = self.find(voice, id)?;
        open.text.push_str(delta);
        open.heard = at;
        Some(())
    }

    pub(super) fn remove(&mut self, voice: Voice, id: &str) -> Option<OpenText> {
        let found = self.0.iter().rposition(|open| open.voice == voice && open.id == id)?;
        Some(self.0.remove(found))
    }

    pub(super) fn take_all(&mut self) -> Vec<OpenText> {
        std::mem::take(&mut self.0)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &OpenText> {
        self.0.iter()
    }
}
