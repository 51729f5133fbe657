//! Handles the events of tool calls.

use agentci_trace::{EventKind, Moment, ToolResult};
use serde_json::Value;

use super::calls::Completed;
use super::chunks::{ChunkLane, ChunkStream, ChunkTarget};
use super::content::{answered, plain};
use super::fields::{AguiFields, AguiResult, quote};
use super::lint::QuotedName;
use super::message;
use super::reader::EventReader;

impl EventReader<'_> {
    pub(super) fn call_start(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        let id = fields.text("toolCallId")?;
        let name = fields.text("toolCallName")?;
        let parent = fields.optional_text("parentMessageId")?;
        self.begin_call(&id, name, parent.as_deref(), fields.lane.take());
        if let Some(call) = self.state.calls.growing(&id) {
            message::add_metadata(&mut call.metadata, fields.take("metadata"));
        }
        Ok(())
    }

    fn begin_call(&mut self, id: &str, name: String, parent: Option<&str>, lane: Option<String>) {
        if self.state.calls.growing(id).is_some() {
            return self.state.violation(format!("call {} is already open", QuotedName(id)));
        }
        if self.state.seen.made.contains(id) {
            self.state.violation(format!("call {} was already started in this run", QuotedName(id)));
        }
        self.conversation.history.open_call(id, &name, parent, lane);
        self.enter_call(id, name);
    }

    /// Registers a call of this run, which is in the history or in a snapshot.
    pub(super) fn enter_call(&mut self, id: &str, name: String) {
        self.state.seen.made.insert(id.to_owned());
        self.conversation.forget_answer(id);
        if self.conversation.declares(&name) {
            self.state.seen.begun.push(id.to_owned());
        }
        self.state.calls.begin(id, name, self.state.at);
    }

    pub(super) fn call_arguments(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        let (id, delta) = (fields.text("toolCallId")?, fields.text("delta")?);
        self.add_arguments(&id, &delta, fields.take("metadata"))
    }

    pub(super) fn add_arguments(&mut self, id: &str, delta: &str, metadata: Option<Value>) -> AguiResult {
        self.state.keep(delta.len())?;
        match self.state.calls.growing(id) {
            Some(call) => {
                call.arguments.push_str(delta);
                call.heard = self.state.at;
                message::add_metadata(&mut call.metadata, metadata);
            }
            None => self.state.violation(format!("call {} is not open", QuotedName(id))),
        }
        Ok(())
    }

    pub(super) fn call_end(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        let id = fields.text("toolCallId")?;
        if !self.close_call(&id, Some(self.state.at)) {
            self.state.violation(format!("call {} is not open", QuotedName(&id)));
        }
        Ok(())
    }

    /// Closes a call; without a time, it was complete with its last piece. Returns false if it was not open.
    pub(super) fn close_call(&mut self, id: &str, at: Option<Moment>) -> bool {
        let (was_open, completed) = self.state.calls.close(id, at);
        self.complete_calls(completed);
        was_open
    }

    /// Handles calls whose arguments are complete, and releases them to the trace.
    pub(super) fn complete_calls(&mut self, completed: impl IntoIterator<Item = Completed>) {
        for Completed { id, arguments, sound, metadata } in completed {
            if !sound {
                self.state.violation(format!("the arguments of call {} are not a JSON object", QuotedName(&id)));
            }
            self.conversation.history.finish_call(&id, &arguments, metadata);
        }
        self.state.calls.release(&mut self.state.out);
    }

    pub(super) fn call_chunk(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        let id = fields.optional_text("toolCallId")?;
        let (name, parent) = (fields.optional_text("toolCallName")?, fields.optional_text("parentMessageId")?);
        let said = [("toolCallName", name.clone()), ("parentMessageId", parent.clone())];
        let id = match (self.place_chunk(ChunkStream::Call, id, fields.lane.as_deref(), &said), name) {
            (None, _) => return Ok(()),
            (Some(ChunkTarget::Continue(lane)), _) => lane.id,
            (Some(ChunkTarget::Open(id)), Some(name)) => {
                let owner = fields.lane.take();
                self.state.lanes.0.push(ChunkLane {
                    owner: owner.clone(),
                    stream: ChunkStream::Call,
                    id: id.clone(),
                    said,
                });
                self.begin_call(&id, name, parent.as_deref(), owner);
                id
            }
            (Some(ChunkTarget::Open(id)), None) => {
                self.state.violation(format!("the first chunk of call {} has no `toolCallName`", QuotedName(&id)));
                return Ok(());
            }
        };
        let delta = fields.optional_text("delta")?.unwrap_or_default();
        self.add_arguments(&id, &delta, fields.take("metadata"))
    }

    pub(super) fn call_result(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        self.state.keep(fields.length)?;
        let id = fields.text("toolCallId")?;
        let (result, content) = answered(&id, &mut fields)?;
        let message_id = fields.optional_text("messageId")?.unwrap_or_else(|| {
            self.state.violation(format!("the result of call {} has no `messageId`", QuotedName(&id)));
            format!("{id}-result")
        });
        if !self.conversation.history.calls.contains(&id) {
            self.state.violation(format!("call {} was never started", QuotedName(&id)));
        }
        if self.conversation.history.answered.contains(&id) && !self.conversation.answered.contains(&id) {
            let words = quote(&plain(content.clone()), 200);
            self.state.violation(format!("call {} already has a result, and gets another: {words}", QuotedName(&id)));
        }
        let mut message = message::answer(&message_id, &id, content, result.error.as_deref());
        message::set(&mut message, "subagentRunId", fields.lane.take().map(Value::String));
        message::describe(&mut message, fields.take("metadata"));
        self.conversation.history.answer(&id, message);
        self.answer_call(result);
        Ok(())
    }

    /// Handles the result of a call; it is held back until the call is released.
    pub(super) fn answer_call(&mut self, result: ToolResult) {
        let id = result.call_id.clone();
        self.state.seen.answered.insert(id.clone());
        let (completed, passed_on) = self.state.calls.answer(self.state.at, result);
        // The client already knows its own results.
        match passed_on {
            Some(_) if self.conversation.answered.contains(&id) => {
                self.state.log("debug", format!("the agent repeats the result of call {}", QuotedName(&id)), None);
            }
            Some(result) => self.state.push(EventKind::ToolResult(result)),
            None => {}
        }
        self.complete_calls(completed);
    }
}
