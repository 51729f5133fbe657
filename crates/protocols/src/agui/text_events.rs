//! Events of messages: what is said and what is thought.

use agentci_trace::Kind;
use serde_json::{Value, json};

use super::chunks::{Lane, Place, Stream};
use super::conversation::Conversation;
use super::fields::{Broken, Fields};
use super::lint::Named;
use super::message::describe;
use super::reader::{Reader, Step};
use super::texts::{OpenText, Voice};

pub(super) const ASSISTANT: &str = "assistant";
const REASONING: &str = "reasoning";
/// `THINKING` events carry no ids.
const THINKING: &str = "thinking";

impl Reader {
    pub(super) fn text_start(
        &mut self,
        mut fields: Fields,
        lane: Option<String>,
        conversation: &mut Conversation,
    ) -> Result<(), Broken> {
        let id = fields.text("messageId")?;
        let role = fields.optional_text("role")?.unwrap_or_else(|| ASSISTANT.into());
        let name = fields.optional_text("name")?;
        if !matches!(role.as_str(), ASSISTANT | "user" | "system" | "developer") {
            self.violation(format_args!("message {} has the role {}", Named(&id), Named(&role)));
        }
        self.open_text(Voice::Text, &id, role, name, lane, conversation);
        self.describe_text(Voice::Text, &id, fields.take("metadata"));
        Ok(())
    }

    pub(super) fn reasoning_start(
        &mut self,
        mut fields: Fields,
        lane: Option<String>,
        conversation: &mut Conversation,
    ) -> Result<(), Broken> {
        let id = fields.text("messageId")?;
        self.open_text(Voice::Reasoning, &id, REASONING.into(), None, lane, conversation);
        self.describe_text(Voice::Reasoning, &id, fields.take("metadata"));
        Ok(())
    }

    fn open_text(
        &mut self,
        voice: Voice,
        id: &str,
        role: String,
        name: Option<String>,
        lane: Option<String>,
        conversation: &mut Conversation,
    ) {
        if self.texts.find(voice, id).is_some() {
            return self.violation(format_args!("{} {} is open already", voice.noun(), Named(id)));
        }
        conversation.history.open_message(id, &role, name, lane);
        self.add_text(voice, id, role, false, true);
    }

    fn add_text(&mut self, voice: Voice, id: &str, role: String, implied: bool, kept: bool) {
        self.texts.push(OpenText {
            voice,
            id: id.to_owned(),
            role,
            text: String::new(),
            heard: self.at,
            implied,
            kept,
            metadata: None,
        });
    }

    pub(super) fn text_content(
        &mut self,
        voice: Voice,
        id: &str,
        delta: &str,
        lane: Option<String>,
        metadata: Option<Value>,
        conversation: &mut Conversation,
    ) -> Result<(), Broken> {
        self.keep(delta.len())?;
        if self.texts.hear(voice, id, delta, self.at).is_none() {
            // What is said is not lost for want of an opening.
            self.violation(format_args!("no {} {} is open", voice.noun(), Named(id)));
            let role = if voice == Voice::Text { ASSISTANT } else { REASONING };
            conversation.history.open_message(id, role, None, lane);
            self.add_text(voice, id, role.into(), true, true);
            self.texts.hear(voice, id, delta, self.at);
        }
        self.describe_text(voice, id, metadata);
        Ok(())
    }

    fn describe_text(&mut self, voice: Voice, id: &str, metadata: Option<Value>) {
        if let (Some(metadata), Some(open)) = (metadata, self.texts.find(voice, id)) {
            let mut known = json!({ "metadata": open.metadata.take() });
            describe(&mut known, Some(metadata));
            open.metadata = known.get_mut("metadata").map(Value::take).filter(|known| !known.is_null());
        }
    }

    pub(super) fn text_end(&mut self, voice: Voice, id: &str, conversation: &mut Conversation) {
        match self.texts.remove(voice, id) {
            Some(mut open) => {
                open.heard = self.at;
                self.finish_text(open, conversation);
            }
            None => self.violation(format_args!("no {} {} is open", voice.noun(), Named(id))),
        }
    }

    /// A message is complete.
    pub(super) fn finish_text(&mut self, open: OpenText, conversation: &mut Conversation) {
        let OpenText { voice, id, role, text, heard: at, kept, metadata, .. } = open;
        if kept {
            conversation.history.finish_message(&id, &text, metadata);
        }
        // Some servers open and close an empty message before every call.
        if text.is_empty() {
            return;
        }
        let kind = match voice {
            Voice::Reasoning => Kind::Reasoning(text),
            Voice::Text if role == ASSISTANT => {
                self.said.insert(text.clone());
                Kind::Text(text)
            }
            Voice::Text => Kind::Log {
                level: "info".into(),
                message: format!("a message of the role {}", Named(&role)),
                data: Some(json!({ "role": role, "content": text }).into()),
            },
        };
        self.out.push(Step { at, kind });
    }

    pub(super) fn thinking_start(&mut self, conversation: &mut Conversation) {
        if self.texts.find(Voice::Reasoning, THINKING).is_some() {
            self.violation(format_args!("a message of this kind is open already"));
            self.thinking_end(conversation);
        }
        self.add_text(Voice::Reasoning, THINKING, REASONING.into(), false, false);
    }

    pub(super) fn thinking_content(&mut self, delta: &str, conversation: &mut Conversation) -> Result<(), Broken> {
        if self.texts.find(Voice::Reasoning, THINKING).is_none() {
            self.violation(format_args!("no message of this kind is open"));
            self.add_text(Voice::Reasoning, THINKING, REASONING.into(), true, false);
        }
        self.text_content(Voice::Reasoning, THINKING, delta, None, None, conversation)
    }

    pub(super) fn thinking_end(&mut self, conversation: &mut Conversation) {
        self.text_end(Voice::Reasoning, THINKING, conversation);
    }

    pub(super) fn text_chunk(
        &mut self,
        mut fields: Fields,
        lane: Option<&str>,
        conversation: &mut Conversation,
    ) -> Result<(), Broken> {
        let id = fields.optional_text("messageId")?;
        let said = [("role", fields.optional_text("role")?), ("name", fields.optional_text("name")?)];
        let place = self.place_chunk(Stream::Text, id.as_deref(), lane, &said, conversation);
        let (id, lane) = match (place, id) {
            (Some(Place::Continue(position)), _) => self.chunked(position),
            (Some(Place::Open(owner)), Some(id)) => {
                let [(_, role), (_, name)] = said;
                let role = role.unwrap_or_else(|| ASSISTANT.into());
                let said = [("role", Some(role.clone())), ("name", name.clone())];
                self.lanes.open(Lane { owner: owner.clone(), stream: Stream::Text, id: id.clone(), said });
                self.open_text(Voice::Text, &id, role, name, owner.clone(), conversation);
                (id, owner)
            }
            _ => return Ok(()),
        };
        let delta = fields.optional_text("delta")?.unwrap_or_default();
        self.text_content(Voice::Text, &id, &delta, lane, fields.take("metadata"), conversation)
    }

    pub(super) fn reasoning_chunk(
        &mut self,
        mut fields: Fields,
        lane: Option<&str>,
        conversation: &mut Conversation,
    ) -> Result<(), Broken> {
        let id = fields.optional_text("messageId")?;
        let said = [("role", None), ("name", None)];
        let place = self.place_chunk(Stream::Reasoning, id.as_deref(), lane, &said, conversation);
        let (id, lane) = match (place, id) {
            (Some(Place::Continue(position)), _) => self.chunked(position),
            (Some(Place::Open(owner)), Some(id)) => {
                self.lanes.open(Lane { owner: owner.clone(), stream: Stream::Reasoning, id: id.clone(), said });
                self.open_text(Voice::Reasoning, &id, REASONING.into(), None, owner.clone(), conversation);
                (id, owner)
            }
            _ => return Ok(()),
        };
        let delta = fields.optional_text("delta")?.unwrap_or_default();
        self.text_content(Voice::Reasoning, &id, &delta, lane, fields.take("metadata"), conversation)
    }

    /// Finds where a chunk belongs and looks whether it repeats what was said correctly. A lane that is to begin a new stream
    /// ends its old one.
    pub(super) fn place_chunk(
        &mut self,
        stream: Stream,
        id: Option<&str>,
        owner: Option<&str>,
        said: &[(&'static str, Option<String>); 2],
        conversation: &mut Conversation,
    ) -> Option<Place> {
        let place = match self.lanes.place(stream, id, owner) {
            Ok(place) => place,
            Err(words) => {
                // A lane has one stream at most, so whatever it had open is over.
                self.close_lane(owner, conversation);
                self.violation(format_args!("{words}"));
                return None;
            }
        };
        match &place {
            Place::Open(owner) => self.close_lane(owner.as_deref(), conversation),
            Place::Continue(position) => {
                let lane = self.lanes.get(*position).cloned()?;
                let differs = |given: Option<&str>, known: Option<&str>| given.is_some() && given != known;
                for ((field, given), (_, known)) in said.iter().zip(&lane.said) {
                    if differs(given.as_deref(), known.as_deref()) {
                        self.violation(format_args!(
                            "`{field}` of {} is another than its first chunk gave",
                            Named(&lane.id)
                        ));
                    }
                }
                if differs(owner, lane.owner.as_deref()) {
                    self.violation(format_args!("{} belongs to another subagent", Named(&lane.id)));
                }
            }
        }
        Some(place)
    }

    /// The id and the owner of an open stream of chunks.
    pub(super) fn chunked(&self, position: usize) -> (String, Option<String>) {
        self.lanes.get(position).map(|lane| (lane.id.clone(), lane.owner.clone())).unwrap_or_default()
    }

    /// Ends the stream of chunks of one lane.
    pub(super) fn close_lane(&mut self, owner: Option<&str>, conversation: &mut Conversation) {
        if self.lanes.len() > 0
            && let Some(lane) = self.lanes.close(owner)
        {
            self.end_chunks(&lane, conversation);
        }
    }

    /// Ends all streams of chunks.
    pub(super) fn close_lanes(&mut self, conversation: &mut Conversation) {
        while let Some(lane) = self.lanes.close_first() {
            self.end_chunks(&lane, conversation);
        }
    }

    fn end_chunks(&mut self, lane: &Lane, conversation: &mut Conversation) {
        let voice = match lane.stream {
            Stream::Call => return self.end_call_chunks(&lane.id, conversation),
            Stream::Text => Voice::Text,
            Stream::Reasoning => Voice::Reasoning,
        };
        // It was complete with its last chunk, not with whatever came next.
        if let Some(open) = self.texts.remove(voice, &lane.id) {
            self.finish_text(open, conversation);
        }
    }
}
