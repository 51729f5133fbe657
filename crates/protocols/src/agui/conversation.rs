//! The state of a thread between runs.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::history::ThreadHistory;
use super::interrupt::{self, Interrupt, Resume};
use super::message::{self, text};

/// The field with the protocol version of an input.
pub const VERSION: &str = "protocolVersion";

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AguiMethod {
    /// Starts a run.
    Run,
    /// Joins a thread: returns what happened so far and what follows.
    Connect,
}

impl AguiMethod {
    /// Its name in requests that have one.
    pub fn name(self) -> &'static str {
        match self {
            AguiMethod::Run => "agent/run",
            AguiMethod::Connect => "agent/connect",
        }
    }
}

/// Wraps the input as `CopilotKit`'s single route expects it.
pub fn envelope(method: AguiMethod, agent: &str, input: Value) -> Value {
    message::object([("method", method.name().into()), ("params", json!({ "agentId": agent })), ("body", input)])
}

/// The state of a thread between runs.
#[derive(Debug, Clone, Default)]
pub struct AguiThread {
    thread: String,
    pub(super) history: ThreadHistory,
    pub(super) state: Value,
    tools: Vec<Value>,
    forwarded_props: Value,
    pub(super) interrupts: Vec<Interrupt>,
    /// The messages since the last answer, without generated ids.
    fresh: Vec<Value>,
    /// The id of the last user message.
    pub(super) said: Option<String>,
    /// The calls that the client answered.
    pub(super) answered: HashSet<String>,
}

impl AguiThread {
    /// Creates an empty thread. A tool is an object with `name`, `description` and `parameters`.
    pub fn new(thread: String, state: Option<Value>, tools: Vec<Value>, forwarded_props: Option<Value>) -> Self {
        Self {
            thread,
            state: state.unwrap_or_else(empty),
            tools,
            forwarded_props: forwarded_props.filter(|props| !props.is_null()).unwrap_or_else(empty),
            ..Self::default()
        }
    }

    /// The thread's id.
    pub fn thread(&self) -> &str {
        &self.thread
    }

    /// All messages so far, in the protocol's format.
    pub fn messages(&self) -> &[Value] {
        &self.history.messages
    }

    /// Adds messages with `role` and `content`. Fails while interrupts are open.
    pub fn say(&mut self, messages: &[Value], fresh_id: &mut dyn FnMut() -> String) -> Result<(), String> {
        if !self.interrupts.is_empty() {
            return Err(format!(
                "the agent is waiting for an answer to {}: add an `agui:resume` turn before any other message",
                interrupt::names(&self.interrupts)
            ));
        }
        for message in messages {
            let Some(fields) = message.as_object() else { return Err("a message must be an object".into()) };
            let mut said = Map::new();
            said.insert("id".into(), Value::String(fresh_id()));
            said.extend(fields.iter().map(|(name, value)| (name.clone(), value.clone())));
            said.entry("role").or_insert_with(|| "user".into());
            let said = message::without_nulls(said);
            self.fresh.push(comparable(&said));
            self.said = Some(text(&said, "id").to_owned());
            self.history.push(said);
        }
        Ok(())
    }

    /// Answers a call of a client tool. The result is sent with the next run.
    pub fn answer(&mut self, call_id: &str, result: &Value, error: Option<&str>, fresh_id: &mut dyn FnMut() -> String) {
        let content = match (result, error) {
            (Value::Null, Some(error)) => error.to_owned(),
            (Value::String(text), _) => text.clone(),
            (other, _) => other.to_string(),
        };
        let message = message::answer(&fresh_id(), call_id, content.into(), error);
        self.fresh.push(comparable(&message));
        self.answered.insert(call_id.to_owned());
        self.history.answer(call_id, message);
    }

    /// The input of the next run.
    pub fn run_input(&self, run_id: &str, resume: Option<&Resume>) -> Value {
        // Activities are for the client's display and not sent to the agent.
        let sent = self.messages().iter().filter(|message| text(message, "role") != "activity").cloned().collect();
        self.input(run_id, sent, resume)
    }

    /// The input of a request to connect: the server has the messages.
    pub fn connect_input(&self, run_id: &str) -> Value {
        self.input(run_id, Vec::new(), None)
    }

    fn input(&self, run_id: &str, messages: Vec<Value>, resume: Option<&Resume>) -> Value {
        let mut props = self.forwarded_props.clone();
        if let Some(command) = resume.and_then(|resume| resume.command.as_ref()) {
            if !props.is_object() {
                props = empty();
            }
            if !props.get("command").is_some_and(Value::is_object) {
                message::set(&mut props, "command", Some(empty()));
            }
            if let Some(place) = props.get_mut("command") {
                message::set(place, "resume", Some(command.clone()));
            }
        }
        let state = if self.state.is_null() { empty() } else { self.state.clone() };
        let mut input = message::object([
            ("threadId", self.thread.as_str().into()),
            ("runId", run_id.into()),
            (VERSION, "1.0".into()),
            ("messages", messages.into()),
            ("state", state),
            ("tools", self.tools.clone().into()),
            ("context", Value::Array(Vec::new())),
            ("forwardedProps", props),
        ]);
        let entries = resume.map(|resume| &resume.entries).filter(|entries| !entries.is_empty());
        message::set(&mut input, "resume", entries.map(|entries| entries.clone().into()));
        input
    }

    /// Reads the answers to the open interrupts from the arguments of `agui:resume`: `{resume: {<id>: {status,
    /// payload}}}`, or one `{status, payload}` for all.
    pub fn resume(&self, arguments: &Value) -> Result<Resume, String> {
        interrupt::resume(&self.interrupts, arguments)
    }

    /// The identity by which a replay finds a request: it contains no generated ids. Call it before the answer is read.
    pub fn identity(&self, method: AguiMethod, resume: Option<&Resume>) -> Value {
        let mut identity = json!({
            "method": method.name(),
            "messages": self.fresh,
            "tools": self.tools.iter().map(|tool| text(tool, "name")).collect::<Vec<_>>(),
        });
        if let Some(Resume { entries, command }) = resume {
            message::set(&mut identity, "resume", Some(entries.clone().into()).filter(|_| !entries.is_empty()));
            message::set(&mut identity, "command", command.clone());
        }
        identity
    }

    /// Handles the start of an answer: all messages are sent.
    pub(super) fn begin(&mut self) {
        self.fresh.clear();
        self.history.settle();
    }

    /// Whether a tool is a client tool.
    pub(super) fn declares(&self, tool: &str) -> bool {
        self.tools.iter().any(|declared| text(declared, "name") == tool)
    }

    /// Forgets the result of a call whose id is reused.
    pub(super) fn forget_answer(&mut self, call_id: &str) {
        self.answered.remove(call_id);
        self.history.answered.remove(call_id);
    }
}

fn empty() -> Value {
    Value::Object(Map::new())
}

/// A message without its generated id.
fn comparable(message: &Value) -> Value {
    let mut compared = Map::new();
    for field in ["role", "content", "toolCallId", "error"] {
        if let Some(value) = message.get(field) {
            compared.insert(field.into(), value.clone());
        }
    }
    Value::Object(compared)
}
