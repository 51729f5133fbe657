//! Handles all other events: state, snapshots, activities, steps, subagents, and custom events.

use std::fmt;

use agentci_trace::EventKind;
use serde_json::{Value, json};

use super::fields::{AguiFields, AguiResult};
use super::lint::QuotedName;
use super::reader::EventReader;
use super::{interrupt, message, patch};

/// The content of a `RAW` event above this size is not kept, in bytes.
const RAW_KEPT: usize = 4096;
/// The limit on logged `RAW` events per answer, in bytes; some servers send one for every token.
const RAW_LOGGED: usize = 1 << 20;
/// The name of `LangGraph`'s interrupt event.
const ON_INTERRUPT: &str = "on_interrupt";
/// The name of the event that maps tool arguments to the state.
const PREDICT_STATE: &str = "PredictState";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventScopeKind {
    /// A step, by name and agent.
    Step,
    /// A subagent, by the id of its run.
    Subagent,
    /// A span of reasoning, by id.
    Span,
}

/// Something that starts with one event and ends with another.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EventScope {
    what: EventScopeKind,
    owner: Option<String>,
    name: String,
}

impl fmt::Display for EventScope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            EventScopeKind::Step => "step",
            EventScopeKind::Subagent => "subagent",
            EventScopeKind::Span => "reasoning",
        };
        write!(formatter, "{what} {}", QuotedName(&self.name))?;
        match &self.owner {
            Some(owner) => write!(formatter, " of subagent {}", QuotedName(owner)),
            None => Ok(()),
        }
    }
}

impl EventReader<'_> {
    /// Opens or closes a scope.
    pub(super) fn scope(&mut self, opens: bool, what: EventScopeKind, owner: Option<String>, name: String) {
        let scope = EventScope { what, owner, name };
        let found = self.state.scopes.iter().rposition(|open| *open == scope);
        match (opens, found) {
            (true, None) => self.state.scopes.push(scope),
            (true, Some(_)) => self.state.violation(format!("{scope} is already open")),
            (false, Some(found)) => drop(self.state.scopes.remove(found)),
            (false, None) => self.state.violation(format!("{scope} is not open")),
        }
    }

    pub(super) fn step(&mut self, mut fields: AguiFields<'_>, begins: bool) -> AguiResult {
        let step = fields.text("stepName")?;
        let message = format!("step {} {}", QuotedName(&step), if begins { "begins" } else { "ends" });
        let data = fields.lane.as_ref().map(|lane| json!({ "subagentRunId": lane }));
        self.state.log("debug", message, data);
        self.scope(begins, EventScopeKind::Step, fields.lane.take(), step);
        Ok(())
    }

    /// Handles the start or end of a span of reasoning. `THINKING` events have no ids.
    pub(super) fn span(&mut self, mut fields: AguiFields<'_>, begins: bool) -> AguiResult {
        let old = fields.kind.starts_with("THINKING");
        let name = if old { "thinking".to_owned() } else { fields.text("messageId")? };
        self.scope(begins, EventScopeKind::Span, None, name);
        Ok(())
    }

    /// Handles the start, the end or the failure of a subagent.
    pub(super) fn subagent(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        let begins = fields.kind == "SUBAGENT_STARTED";
        if !begins {
            self.state.keep(fields.length)?;
        }
        let id = fields.lane.take().ok_or_else(|| fields.missing("subagentRunId"))?;
        let mut data = json!({ "subagentRunId": id });
        let (level, message) = if begins {
            ("info", format!("subagent {} begins", QuotedName(&fields.text("name")?)))
        } else if fields.kind == "SUBAGENT_ERROR" {
            let words = fields.text("message")?;
            data["code"] = fields.optional_text("code")?.into();
            ("error", format!("subagent {} failed: {words}", QuotedName(&id)))
        } else {
            data["result"] = fields.take("result").unwrap_or_default();
            ("info", format!("subagent {} ends", QuotedName(&id)))
        };
        self.state.log(level, message, Some(data));
        self.scope(begins, EventScopeKind::Subagent, None, id);
        Ok(())
    }

    pub(super) fn state_snapshot(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        let snapshot = fields.any("snapshot")?;
        self.remember_state();
        self.put_out_state(&snapshot);
        self.conversation.state = snapshot;
        Ok(())
    }

    pub(super) fn state_delta(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        self.state.keep(fields.length)?;
        let delta = fields.list("delta")?;
        self.remember_state();
        self.put_out_delta(&delta);
        if let Err(why) = patch::apply(&mut self.conversation.state, delta) {
            self.state.violation(format!("the patch does not apply to the state: {why}"));
        }
        Ok(())
    }

    fn remember_state(&mut self) {
        if self.state.before.is_none() {
            self.state.before = Some(self.conversation.state.clone());
            // State that the client sent is not output of the agent.
            let _ = self.state.side_data.of(&self.conversation.state);
        }
    }

    /// Emits what is new in the state. Messages and tools, of which frameworks keep a copy in the state, are left out.
    fn put_out_state(&mut self, state: &Value) {
        match state {
            Value::Object(fields) => {
                let fields = fields.iter().filter(|(name, _)| !matches!(name.as_str(), "messages" | "tools"));
                let fields = fields.map(|(name, value)| (name.clone(), value.clone()));
                self.put_out(&Value::Object(fields.collect()));
            }
            other => self.put_out(other),
        }
    }

    fn put_out_delta(&mut self, delta: &[Value]) {
        for operation in delta {
            let Some(value) = operation.get("value") else { continue };
            match message::text(operation, "path").split('/').skip(1).collect::<Vec<_>>()[..] {
                [] => self.put_out_state(value),
                ["messages" | "tools", ..] => {}
                [.., name] => self.put_out(&json!({ name: value })),
            }
        }
    }

    fn put_out(&mut self, data: &Value) {
        if let Some(fresh) = self.state.side_data.of(data) {
            self.state.push(EventKind::Beside(fresh.into()));
        }
    }

    pub(super) fn activity_snapshot(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        self.state.keep(fields.length)?;
        let id = fields.text("messageId")?;
        let kind = fields.text("activityType")?;
        let content = Value::Object(fields.object("content")?);
        let replace = fields.optional("replace", "a boolean", Value::is_boolean)? != Some(Value::Bool(false));
        self.state.log("info", format!("activity {}", QuotedName(&kind)), Some(content.clone()));
        let history = &mut self.conversation.history;
        let lane = fields.lane.take();
        match history.activity_mut(&id) {
            Some(_) if !replace => {}
            Some(known) => {
                let mut new = message::activity(&id, &kind, content, lane);
                message::set(&mut new, "metadata", known.get_mut("metadata").map(Value::take));
                *known = new;
            }
            None => history.push(message::activity(&id, &kind, content, lane)),
        }
        if let Some(known) = history.activity_mut(&id) {
            message::describe(known, fields.take("metadata"));
        }
        Ok(())
    }

    pub(super) fn activity_delta(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        self.state.keep(fields.length)?;
        let id = fields.text("messageId")?;
        let kind = fields.text("activityType")?;
        let operations = fields.list("patch")?;
        let Some(activity) = self.conversation.history.activity_mut(&id) else {
            self.state.violation(format!("unknown activity {}", QuotedName(&id)));
            return Ok(());
        };
        message::describe(activity, fields.take("metadata"));
        message::set(activity, "activityType", Some(kind.clone().into()));
        self.state.log("info", format!("activity {} changes", QuotedName(&kind)), Some(operations.clone().into()));
        if let Some(content) = activity.get_mut("content")
            && let Err(why) = patch::apply(content, operations)
        {
            self.state.violation(format!("the patch does not apply to activity {}: {why}", QuotedName(&id)));
        }
        Ok(())
    }

    pub(super) fn raw(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        let length = fields.length;
        if self.state.raw_logged > RAW_LOGGED {
            return Ok(());
        }
        self.state.raw_logged += length.min(RAW_KEPT);
        let (message, data) = if length > RAW_KEPT {
            (format!("a raw event of {length} bytes"), None)
        } else {
            let source = fields.optional_text("source")?;
            let source = source.map(|source| format!(" from {}", QuotedName(&source))).unwrap_or_default();
            (format!("a raw event{source}"), fields.take("event"))
        };
        if self.state.raw_logged > RAW_LOGGED {
            self.state.log("debug", "more raw events follow and are not logged".into(), None);
        } else {
            self.state.log("debug", message, data);
        }
        Ok(())
    }

    pub(super) fn custom(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        self.state.keep(fields.length)?;
        let name = fields.text("name")?;
        let value = fields.any("value").unwrap_or_else(|_| {
            self.state.violation(format!("the field `value` of {} is missing", QuotedName(&name)));
            Value::Null
        });
        if name != PREDICT_STATE {
            self.put_out(&value);
        }
        if name == ON_INTERRUPT {
            let raw = fields.take("rawEvent");
            let interrupts = &mut self.state.seen.interrupts;
            interrupts.push(interrupt::custom(value, raw.as_ref(), interrupts.len()));
        } else {
            self.state.log("info", format!("custom event {}", QuotedName(&name)), Some(value));
        }
        Ok(())
    }

    pub(super) fn sealed(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        let subtype = fields.text("subtype")?;
        let id = fields.text("entityId")?;
        let value = fields.text("encryptedValue")?;
        self.state.keep(value.len())?;
        if !matches!(subtype.as_str(), "tool-call" | "message") {
            self.state.violation(format!("unknown `subtype` {}", QuotedName(&subtype)));
        } else if !self.conversation.history.seal(subtype == "tool-call", &id, value) {
            self.state.violation(format!("unknown {subtype} {}", QuotedName(&id)));
        }
        Ok(())
    }
}
