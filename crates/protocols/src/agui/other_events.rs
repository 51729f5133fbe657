//! Events beside messages, calls and runs: state, snapshots, activities, steps, subagents, and what servers send of their own.

use agentci_trace::Kind;
use serde_json::{Value, json};

use super::bracket::What;
use super::conversation::Conversation;
use super::fields::{Broken, Fields};
use super::frame::{RAW_KEPT, Type};
use super::interrupt;
use super::lint::Named;
use super::message;
use super::patch;
use super::reader::Reader;

/// The most of `RAW` events that is logged in one answer, in bytes; some servers send one for every token.
const RAW_LOGGED: usize = 1 << 20;
/// By this name `LangGraph` tells of an interrupt.
const ON_INTERRUPT: &str = "on_interrupt";
/// By this name frameworks say which argument of a tool will become which part of the state.
const PREDICT_STATE: &str = "PredictState";

impl Reader {
    pub(super) fn other(
        &mut self,
        mut fields: Fields,
        lane: Option<String>,
        length: usize,
        conversation: &mut Conversation,
    ) -> Result<(), Broken> {
        match fields.kind {
            Type::StateSnapshot => {
                let snapshot = fields.any("snapshot")?;
                self.remember_state(conversation);
                self.put_out_state(&snapshot);
                conversation.state = snapshot;
            }
            Type::StateDelta => {
                self.keep(length)?;
                let delta = fields.list("delta")?;
                self.remember_state(conversation);
                self.put_out_delta(&delta);
                if let Err(why) = patch::apply(&mut conversation.state, delta) {
                    self.violation(format_args!("the patch does not apply to the state: {why}"));
                }
            }
            Type::MessagesSnapshot => self.messages_snapshot(fields, conversation)?,
            Type::ActivitySnapshot => {
                self.keep(length)?;
                self.activity_snapshot(fields, lane, conversation)?;
            }
            Type::ActivityDelta => {
                self.keep(length)?;
                self.activity_delta(fields, conversation)?;
            }
            Type::Raw => self.raw(fields, length)?,
            Type::Custom => {
                self.keep(length)?;
                self.custom(fields)?;
            }
            Type::ReasoningEncryptedValue => self.sealed(fields, conversation)?,
            Type::ReasoningStart => self.opens(What::Span, None, fields.text("messageId")?),
            Type::ReasoningEnd => self.closes(What::Span, None, fields.text("messageId")?),
            Type::ThinkingStart => self.opens(What::Span, None, "thinking".into()),
            Type::ThinkingEnd => self.closes(What::Span, None, "thinking".into()),
            Type::StepStarted => {
                let step = fields.text("stepName")?;
                self.log("debug", format!("step {} begins", Named(&step)), about(lane.as_deref()));
                self.opens(What::Step, lane, step);
            }
            Type::StepFinished => {
                let step = fields.text("stepName")?;
                self.log("debug", format!("step {} ends", Named(&step)), about(lane.as_deref()));
                self.closes(What::Step, lane, step);
            }
            Type::SubagentStarted => {
                let id = lane.ok_or_else(|| fields.missing("subagentRunId"))?;
                let name = fields.text("name")?;
                self.log("info", format!("subagent {} begins", Named(&name)), about(Some(&id)));
                self.opens(What::Subagent, None, id);
            }
            Type::SubagentFinished => {
                self.keep(length)?;
                let id = lane.ok_or_else(|| fields.missing("subagentRunId"))?;
                let data = json!({ "subagentRunId": id, "result": fields.take("result") });
                self.log("info", format!("subagent {} ends", Named(&id)), Some(data));
                self.closes(What::Subagent, None, id);
            }
            Type::SubagentError => {
                self.keep(length)?;
                let id = lane.ok_or_else(|| fields.missing("subagentRunId"))?;
                let words = fields.text("message")?;
                let data = json!({ "subagentRunId": id, "code": fields.optional_text("code")? });
                self.log("error", format!("subagent {} failed: {words}", Named(&id)), Some(data));
                self.closes(What::Subagent, None, id);
            }
            // All others are dealt with before.
            Type::RunStarted
            | Type::RunFinished
            | Type::RunError
            | Type::TextMessageStart
            | Type::TextMessageContent
            | Type::TextMessageEnd
            | Type::TextMessageChunk
            | Type::ToolCallStart
            | Type::ToolCallArgs
            | Type::ToolCallEnd
            | Type::ToolCallChunk
            | Type::ToolCallResult
            | Type::ReasoningMessageStart
            | Type::ReasoningMessageContent
            | Type::ReasoningMessageEnd
            | Type::ReasoningMessageChunk
            | Type::ThinkingTextMessageStart
            | Type::ThinkingTextMessageContent
            | Type::ThinkingTextMessageEnd => {}
        }
        Ok(())
    }

    fn opens(&mut self, what: What, owner: Option<String>, name: String) {
        if let Err(name) = self.brackets.open(what, owner, name) {
            self.violation(format_args!("{name} is open already"));
        }
    }

    fn closes(&mut self, what: What, owner: Option<String>, name: String) {
        if let Err(name) = self.brackets.close(what, owner, name) {
            self.violation(format_args!("{name} is not open"));
        }
    }

    fn remember_state(&mut self, conversation: &Conversation) {
        if self.before.is_none() {
            self.before = Some(conversation.state.clone());
            // What the client itself sent is not put out by the agent.
            self.fresh.know(&conversation.state);
        }
    }

    /// What is new in the state is put out. The conversation and the tools, of which frameworks keep a copy there, are not.
    fn put_out_state(&mut self, state: &Value) {
        self.put_out(state, |name| matches!(name, "messages" | "tools"));
    }

    fn put_out_delta(&mut self, delta: &[Value]) {
        for operation in delta {
            let Some(value) = operation.get("value") else { continue };
            match operation
                .get("path")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .split('/')
                .skip(1)
                .collect::<Vec<_>>()[..]
            {
                [] => self.put_out_state(value),
                ["messages" | "tools", ..] => {}
                [.., name] => self.put_out(&json!({ name: value }), |_| false),
            }
        }
    }

    fn put_out(&mut self, data: &Value, is_left_out: impl Fn(&str) -> bool) {
        let fresh = match data {
            Value::Object(fields) => {
                let fields = fields.iter().filter(|(name, _)| !is_left_out(name));
                let fresh = fields.filter_map(|(name, value)| Some((name.clone(), self.fresh.of(value)?)));
                Some(Value::Object(fresh.collect()))
                    .filter(|fresh| fresh.as_object().is_some_and(|map| !map.is_empty()))
            }
            other => self.fresh.of(other),
        };
        if let Some(fresh) = fresh {
            self.push(Kind::Beside(fresh.into()));
        }
    }

    fn activity_snapshot(
        &mut self,
        mut fields: Fields,
        lane: Option<String>,
        conversation: &mut Conversation,
    ) -> Result<(), Broken> {
        let id = fields.text("messageId")?;
        let kind = fields.text("activityType")?;
        let content = Value::Object(fields.object("content")?);
        let replace = fields.switch("replace", true)?;
        self.log("info", format!("activity {}", Named(&kind)), Some(content.clone()));
        match conversation.history.activity_mut(&id) {
            Some(_) if !replace => {}
            Some(known) => {
                let mut new = message::activity(&id, &kind, content, lane);
                message::set(&mut new, "metadata", known.get_mut("metadata").map(Value::take));
                *known = new;
            }
            None => conversation.history.push(message::activity(&id, &kind, content, lane)),
        }
        if let Some(known) = conversation.history.activity_mut(&id) {
            message::describe(known, fields.take("metadata"));
        }
        Ok(())
    }

    fn activity_delta(&mut self, mut fields: Fields, conversation: &mut Conversation) -> Result<(), Broken> {
        let id = fields.text("messageId")?;
        let kind = fields.text("activityType")?;
        let operations = fields.list("patch")?;
        let Some(activity) = conversation.history.activity_mut(&id) else {
            self.violation(format_args!("there is no activity {}", Named(&id)));
            return Ok(());
        };
        message::describe(activity, fields.take("metadata"));
        message::set(activity, "activityType", Some(kind.clone().into()));
        self.log("info", format!("activity {} changes", Named(&kind)), Some(operations.clone().into()));
        if let Some(content) = activity.get_mut("content")
            && let Err(why) = patch::apply(content, operations)
        {
            self.violation(format_args!("the patch does not apply to activity {}: {why}", Named(&id)));
        }
        Ok(())
    }

    fn raw(&mut self, mut fields: Fields, length: usize) -> Result<(), Broken> {
        if self.raw_logged > RAW_LOGGED {
            return Ok(());
        }
        self.raw_logged += length.min(RAW_KEPT);
        let source = fields.optional_text("source")?;
        let source = source.map(|source| format!(" of {}", Named(&source))).unwrap_or_default();
        let (message, data) = if self.raw_logged > RAW_LOGGED {
            ("more raw events follow and are not logged".into(), None)
        } else if length > RAW_KEPT {
            (format!("a raw event of {length} bytes"), None)
        } else {
            (format!("a raw event{source}"), fields.take("event"))
        };
        self.log("debug", message, data);
        Ok(())
    }

    fn custom(&mut self, mut fields: Fields) -> Result<(), Broken> {
        let name = fields.text("name")?;
        let value = fields.any("value").unwrap_or_else(|_| {
            self.violation(format_args!("the field `value` of {} is missing", Named(&name)));
            Value::Null
        });
        if name != PREDICT_STATE {
            self.put_out(&value, |_| false);
        }
        if name == ON_INTERRUPT {
            let raw = fields.take("rawEvent");
            let found = interrupt::custom(value, raw.as_ref(), self.interrupts.len());
            self.interrupts.push(found);
        } else {
            self.log("info", format!("custom event {}", Named(&name)), Some(value));
        }
        Ok(())
    }

    fn sealed(&mut self, mut fields: Fields, conversation: &mut Conversation) -> Result<(), Broken> {
        let subtype = fields.text("subtype")?;
        let id = fields.text("entityId")?;
        let value = fields.text("encryptedValue")?;
        self.keep(value.len())?;
        if !matches!(subtype.as_str(), "tool-call" | "message") {
            self.violation(format_args!("the field `subtype` is {}", Named(&subtype)));
        } else if !conversation.history.seal(subtype == "tool-call", &id, value) {
            self.violation(format_args!("there is no {subtype} {}", Named(&id)));
        }
        Ok(())
    }
}

/// Whose it is.
fn about(lane: Option<&str>) -> Option<Value> {
    lane.map(|lane| json!({ "subagentRunId": lane }))
}
