//! Handles the events of messages: text and reasoning.

use agentci_trace::{EventKind, Moment};
use serde_json::{Map, Value, json};

use super::chunks::{ChunkLane, ChunkStream, ChunkTarget};
use super::fields::{AguiFields, AguiResult};
use super::lint::QuotedName;
use super::message;
use super::reader::{AguiStep, EventReader};

pub(super) const ASSISTANT: &str = "assistant";
const REASONING: &str = "reasoning";
/// The id of `THINKING` messages, which have none.
const THINKING: &str = "thinking";

/// A message that is being streamed.
#[derive(Debug)]
pub(super) struct OpenText {
    /// Text or reasoning.
    pub(super) stream: ChunkStream,
    pub(super) id: String,
    role: String,
    pub(super) text: String,
    /// When its last piece arrived.
    heard: Moment,
    /// Whether it was opened by its content, without a start event.
    pub(super) implied: bool,
    /// Whether it belongs to the history; servers that send `THINKING` events do not support such messages.
    kept: bool,
    metadata: Option<Map<String, Value>>,
}

impl EventReader<'_> {
    pub(super) fn text_start(&mut self, stream: ChunkStream, mut fields: AguiFields<'_>) -> AguiResult {
        let id = fields.text("messageId")?;
        let (mut role, mut name) = (REASONING.to_owned(), None);
        if stream == ChunkStream::Text {
            role = fields.optional_text("role")?.unwrap_or_else(|| ASSISTANT.into());
            name = fields.optional_text("name")?;
            if !matches!(role.as_str(), ASSISTANT | "user" | "system" | "developer") {
                self.state.violation(format!("message {} has the invalid role {}", QuotedName(&id), QuotedName(&role)));
            }
        }
        self.open_text(stream, &id, role, name, fields.lane.take());
        if let Some(open) = self.text(stream, &id) {
            message::add_metadata(&mut open.metadata, fields.take("metadata"));
        }
        Ok(())
    }

    pub(super) fn text_content(&mut self, stream: ChunkStream, mut fields: AguiFields<'_>) -> AguiResult {
        let (id, delta) = (fields.text("messageId")?, fields.text("delta")?);
        self.add_piece(stream, &id, &delta, fields.lane.take(), fields.take("metadata"))
    }

    pub(super) fn text_end(&mut self, stream: ChunkStream, mut fields: AguiFields<'_>) -> AguiResult {
        let id = fields.text("messageId")?;
        self.end_text(stream, &id);
        Ok(())
    }

    fn end_text(&mut self, stream: ChunkStream, id: &str) {
        match self.remove_text(stream, id) {
            Some(open) => self.finish_text(OpenText { heard: self.state.at, ..open }),
            None => self.state.violation(format!("{} {} is not open", stream.noun(), QuotedName(id))),
        }
    }

    /// Handles the `THINKING_TEXT_MESSAGE` events.
    pub(super) fn thinking(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        let stream = ChunkStream::Reasoning;
        let is_open = self.text(stream, THINKING).is_some();
        if fields.kind == "THINKING_TEXT_MESSAGE_CONTENT" {
            let delta = fields.text("delta")?;
            if !is_open {
                self.state.violation("no message of this kind is open");
                self.push_text(stream, THINKING, REASONING.into(), true, false);
            }
            return self.add_piece(stream, THINKING, &delta, None, None);
        }
        let begins = fields.kind == "THINKING_TEXT_MESSAGE_START";
        if begins && is_open {
            self.state.violation("a message of this kind is already open");
        }
        if is_open || !begins {
            self.end_text(stream, THINKING);
        }
        if begins {
            self.push_text(stream, THINKING, REASONING.into(), false, false);
        }
        Ok(())
    }

    pub(super) fn text_chunk(&mut self, stream: ChunkStream, mut fields: AguiFields<'_>) -> AguiResult {
        let id = fields.optional_text("messageId")?;
        let (mut role, mut name) = (None, None);
        if stream == ChunkStream::Text {
            (role, name) = (fields.optional_text("role")?, fields.optional_text("name")?);
        }
        let mut said = [("role", role), ("name", name)];
        let lane = match self.place_chunk(stream, id, fields.lane.as_deref(), &said) {
            None => return Ok(()),
            Some(ChunkTarget::Continue(lane)) => lane,
            Some(ChunkTarget::Open(id)) => {
                let usual = if stream == ChunkStream::Text { ASSISTANT } else { REASONING };
                let role = said[0].1.get_or_insert_with(|| usual.to_owned()).clone();
                let lane = ChunkLane { owner: fields.lane.take(), stream, id, said };
                self.state.lanes.0.push(lane.clone());
                self.open_text(stream, &lane.id, role, lane.said[1].1.clone(), lane.owner.clone());
                lane
            }
        };
        let delta = fields.optional_text("delta")?.unwrap_or_default();
        self.add_piece(stream, &lane.id, &delta, lane.owner, fields.take("metadata"))
    }

    /// Finds where a chunk belongs and checks the fields that it repeats. A lane that opens a new stream closes its old
    /// one.
    pub(super) fn place_chunk(
        &mut self,
        stream: ChunkStream,
        id: Option<String>,
        owner: Option<&str>,
        said: &[(&'static str, Option<String>); 2],
    ) -> Option<ChunkTarget> {
        let place = self.state.lanes.place(stream, id, owner);
        match &place {
            Err(words) => {
                // A lane has at most one stream, so its open stream ends.
                self.close_lane(owner);
                self.state.violation(words);
            }
            Ok(ChunkTarget::Open(_)) => self.close_lane(owner),
            Ok(ChunkTarget::Continue(lane)) => {
                let differs = |given: Option<&str>, known: Option<&str>| given.is_some() && given != known;
                let id = QuotedName(&lane.id);
                for ((field, given), (_, known)) in said.iter().zip(&lane.said) {
                    if differs(given.as_deref(), known.as_deref()) {
                        self.state.violation(format!("`{field}` of {id} differs from its first chunk"));
                    }
                }
                if differs(owner, lane.owner.as_deref()) {
                    self.state.violation(format!("{id} belongs to another subagent"));
                }
            }
        }
        place.ok()
    }

    /// Closes the stream of chunks of one lane.
    pub(super) fn close_lane(&mut self, owner: Option<&str>) {
        if let Some(lane) = self.state.lanes.close(owner) {
            self.end_chunks(&lane);
        }
    }

    /// Closes all streams of chunks.
    pub(super) fn close_lanes(&mut self) {
        for lane in std::mem::take(&mut self.state.lanes.0) {
            self.end_chunks(&lane);
        }
    }

    /// Closes a stream of chunks. It was complete with its last chunk, not with the following event.
    fn end_chunks(&mut self, lane: &ChunkLane) {
        if lane.stream == ChunkStream::Call {
            self.close_call(&lane.id, None);
        } else if let Some(open) = self.remove_text(lane.stream, &lane.id) {
            self.finish_text(open);
        }
    }

    /// Completes a message.
    pub(super) fn finish_text(&mut self, open: OpenText) {
        let OpenText { stream, id, role, text, heard: at, kept, metadata, .. } = open;
        if kept {
            self.conversation.history.finish_message(&id, &text, metadata);
        }
        // Some servers open and close an empty message before every call.
        if text.is_empty() {
            return;
        }
        let kind = if stream == ChunkStream::Reasoning {
            EventKind::Reasoning(text)
        } else if role == ASSISTANT {
            self.state.seen.said.insert(text.clone());
            EventKind::Text(text)
        } else {
            EventKind::Log {
                level: "info".into(),
                message: format!("a message with the role {}", QuotedName(&role)),
                data: Some(json!({ "role": role, "content": text }).into()),
            }
        };
        self.state.out.push(AguiStep { at, kind });
    }

    fn open_text(&mut self, stream: ChunkStream, id: &str, role: String, name: Option<String>, lane: Option<String>) {
        if self.text(stream, id).is_some() {
            return self.state.violation(format!("{} {} is already open", stream.noun(), QuotedName(id)));
        }
        self.conversation.history.open_message(id, &role, name, lane);
        self.push_text(stream, id, role, false, true);
    }

    fn push_text(&mut self, stream: ChunkStream, id: &str, role: String, implied: bool, kept: bool) {
        let (id, text, heard) = (id.to_owned(), String::new(), self.state.at);
        self.state.texts.push(OpenText { stream, id, role, text, heard, implied, kept, metadata: None });
    }

    fn add_piece(
        &mut self,
        stream: ChunkStream,
        id: &str,
        delta: &str,
        lane: Option<String>,
        metadata: Option<Value>,
    ) -> AguiResult {
        self.state.keep(delta.len())?;
        if self.text(stream, id).is_none() {
            // Text is kept even if the start event is missing.
            self.state.violation(format!("{} {} is not open", stream.noun(), QuotedName(id)));
            let role = if stream == ChunkStream::Text { ASSISTANT } else { REASONING };
            self.conversation.history.open_message(id, role, None, lane);
            self.push_text(stream, id, role.into(), true, true);
        }
        let at = self.state.at;
        if let Some(open) = self.text(stream, id) {
            open.text.push_str(delta);
            open.heard = at;
            message::add_metadata(&mut open.metadata, metadata);
        }
        Ok(())
    }

    /// The open message with this id. Few messages are open at any time, so a linear search is enough.
    fn text(&mut self, stream: ChunkStream, id: &str) -> Option<&mut OpenText> {
        self.state.texts.iter_mut().rev().find(|open| open.stream == stream && open.id == id)
    }

    fn remove_text(&mut self, stream: ChunkStream, id: &str) -> Option<OpenText> {
        let found = self.state.texts.iter().rposition(|open| open.stream == stream && open.id == id)?;
        Some(self.state.texts.remove(found))
    }
}
