//! Events of tool calls.

use agentci_trace::Kind;
use serde_json::{Value, json};

use super::calls::{Closed, Completed};
use super::chunks::{Lane, Place, Stream};
use super::content::{Answered, answered, plain};
use super::conversation::Conversation;
use super::fields::{Broken, Fields, quote};
use super::lint::Named;
use super::message;
use super::reader::Reader;

impl Reader {
    pub(super) fn call_start(
        &mut self,
        mut fields: Fields,
        lane: Option<String>,
        conversation: &mut Conversation,
    ) -> Result<(), Broken> {
        let id = fields.text("toolCallId")?;
        let name = fields.text("toolCallName")?;
        let parent = fields.optional_text("parentMessageId")?;
        self.begin_call(&id, name, parent.as_deref(), lane, conversation);
        self.describe_call(&id, fields.take("metadata"));
        Ok(())
    }

    fn begin_call(
        &mut self,
        id: &str,
        name: String,
        parent: Option<&str>,
        lane: Option<String>,
        conversation: &mut Conversation,
    ) {
        if self.calls.growing(id).is_some() {
            return self.violation(format_args!("call {} is open already", Named(id)));
        }
        if self.made.contains(id) {
            self.violation(format_args!("call {} was begun before in this run", Named(id)));
        }
        conversation.history.open_call(id, &name, parent, lane);
        self.enter_call(id, name, conversation);
    }

    /// A call that is in the history, or comes into it by a snapshot, is one of this run.
    pub(super) fn enter_call(&mut self, id: &str, name: String, conversation: &mut Conversation) {
        self.made.insert(id.to_owned());
        conversation.forget_answer(id);
        if conversation.declares(&name) {
            self.begun.push(id.to_owned());
        }
        self.calls.begin(id, name, self.at);
    }

    pub(super) fn call_arguments(&mut self, id: &str, delta: &str, metadata: Option<Value>) -> Result<(), Broken> {
        self.keep(delta.len())?;
        let at = self.at;
        match self.calls.growing(id) {
            Some(call) => {
                call.arguments.push_str(delta);
                call.heard = at;
            }
            None => self.violation(format_args!("no call {} is open", Named(id))),
        }
        self.describe_call(id, metadata);
        Ok(())
    }

    fn describe_call(&mut self, id: &str, metadata: Option<Value>) {
        if let (Some(metadata), Some(call)) = (metadata, self.calls.growing(id)) {
            let mut known = json!({ "metadata": call.metadata.take() });
            message::describe(&mut known, Some(metadata));
            call.metadata = known.get_mut("metadata").map(Value::take).filter(|known| !known.is_null());
        }
    }

    pub(super) fn call_end(&mut self, id: &str, conversation: &mut Conversation) {
        match self.calls.close(id, Some(self.at)) {
            Closed::Completed(completed) => self.complete_call(completed, conversation),
            Closed::Answered => {}
            Closed::NotOpen => self.violation(format_args!("no call {} is open", Named(id))),
        }
        self.calls.release(&mut self.out);
    }

    /// It was complete with its last chunk, not with whatever came next.
    pub(super) fn end_call_chunks(&mut self, id: &str, conversation: &mut Conversation) {
        if let Closed::Completed(completed) = self.calls.close(id, None) {
            self.complete_call(completed, conversation);
        }
        self.calls.release(&mut self.out);
    }

    pub(super) fn complete_call(&mut self, completed: Completed, conversation: &mut Conversation) {
        let Completed { id, arguments, sound, metadata } = completed;
        if !sound {
            self.violation(format_args!("the arguments of call {} are not an object of JSON", Named(&id)));
        }
        conversation.history.finish_call(&id, &arguments, metadata);
    }

    pub(super) fn call_chunk(
        &mut self,
        mut fields: Fields,
        lane: Option<&str>,
        conversation: &mut Conversation,
    ) -> Result<(), Broken> {
        let id = fields.optional_text("toolCallId")?;
        let (name, parent) = (fields.optional_text("toolCallName")?, fields.optional_text("parentMessageId")?);
        let said = [("toolCallName", name.clone()), ("parentMessageId", parent.clone())];
        let place = self.place_chunk(Stream::Call, id.as_deref(), lane, &said, conversation);
        let id = match (place, id, name) {
            (Some(Place::Continue(position)), _, _) => self.chunked(position).0,
            (Some(Place::Open(owner)), Some(id), Some(name)) => {
                self.lanes.open(Lane { owner: owner.clone(), stream: Stream::Call, id: id.clone(), said });
                self.begin_call(&id, name, parent.as_deref(), owner, conversation);
                id
            }
            (Some(Place::Open(_)), Some(id), None) => {
                self.violation(format_args!("the first chunk of call {} has no `toolCallName`", Named(&id)));
                return Ok(());
            }
            _ => return Ok(()),
        };
        let delta = fields.optional_text("delta")?.unwrap_or_default();
        self.call_arguments(&id, &delta, fields.take("metadata"))
    }

    pub(super) fn call_result(
        &mut self,
        mut fields: Fields,
        lane: Option<String>,
        conversation: &mut Conversation,
    ) -> Result<(), Broken> {
        let id = fields.text("toolCallId")?;
        let Answered { result, content } = answered(&id, &mut fields)?;
        let message_id = fields.optional_text("messageId")?.unwrap_or_else(|| {
            self.violation(format_args!("the answer to call {} has no `messageId`", Named(&id)));
            format!("{id}-result")
        });
        if !conversation.history.knows_call(&id) {
            self.violation(format_args!("call {} was never begun", Named(&id)));
        }
        if conversation.history.is_answered(&id) && !conversation.has_answered(&id) {
            let words = quote(&plain(content.clone()), 200);
            self.violation(format_args!("call {} has an answer already, and gets another: {words}", Named(&id)));
        }
        self.answered.insert(id.clone());
        let error = result.error.clone();
        let (completed, passed_on) = self.calls.answer(self.at, result);
        if let Some(completed) = completed {
            self.complete_call(completed, conversation);
        }
        let mut message = message::answer(&message_id, &id, content, error.as_deref());
        message::set(&mut message, "subagentRunId", lane.map(Value::String));
        message::describe(&mut message, fields.take("metadata"));
        conversation.history.answer(&id, message);
        match passed_on {
            // The client knows what it answered itself.
            Some(_) if conversation.has_answered(&id) => {
                self.log("debug", format!("the agent repeats the answer to call {}", Named(&id)), None);
            }
            Some(result) => self.push(Kind::ToolResult(result)),
            None => {}
        }
        self.calls.release(&mut self.out);
        Ok(())
    }
}
