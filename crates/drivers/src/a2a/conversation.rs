//! What is known of a conversation between turns.

use serde_json::Value;

use super::outgoing::Outgoing;
use super::part::Part;
use super::task::Task;
use crate::Input;

/// What is known of a conversation between turns: its context and its last task, both named by the agent.
#[derive(Debug, Default)]
pub struct Conversation {
    pub(super) context: Option<String>,
    pub(super) task: Option<Task>,
}

impl Conversation {
    /// A conversation, in a context that the suite chose or in one that the agent will give.
    pub fn new(context: Option<String>) -> Self {
        Self { context, task: None }
    }

    /// The last task, if there was one.
    pub fn task(&self) -> Option<&Task> {
        self.task.as_ref()
    }

    /// What a turn says. A task that waits is gone on with; one that is over is not named again.
    pub fn say(&mut self, input: &Input, accepted: &[String]) -> Result<Outgoing, String> {
        let mut message = match input {
            Input::Messages(messages) => said(messages)?,
            Input::Action { kind, arguments } if kind == "a2a:send" => written(arguments)?,
            other => return Err(format!("an A2A agent can not take {}", other.value())),
        };
        if let Some(context) = &message.context {
            self.context = Some(context.clone());
        }
        message.context.clone_from(&self.context);
        match &message.task {
            Some(named) if self.task.as_ref().is_none_or(|task| task.id != *named) => self.task = None,
            Some(_) => {}
            None => {
                let waits = self.task.as_ref().filter(|task| task.state.is_interrupted());
                message.task = waits.map(|task| task.id.clone());
            }
        }
        message.accepted = accepted.to_vec();
        Ok(message)
    }
}

/// Messages of the user, each a part of the one message that a turn is.
fn said(messages: &[Value]) -> Result<Outgoing, String> {
    let mut parts = Vec::with_capacity(messages.len());
    for message in messages {
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
        if role != "user" {
            return Err(format!(
                "an A2A agent takes messages of the user alone, and this one is of `{}`",
                role.escape_debug()
            ));
        }
        parts.push(Part::text(message.get("content").and_then(Value::as_str).unwrap_or_default()));
    }
    Ok(Outgoing { parts, ..Outgoing::default() })
}

/// The arguments of `a2a:send`.
fn written(arguments: &Value) -> Result<Outgoing, String> {
    let Some(map) = arguments.as_object() else { return Err("`a2a:send` needs a mapping".into()) };
    let text = |key: &str, value: &Value| {
        value.as_str().map(str::to_owned).ok_or_else(|| format!("`{key}` of `a2a:send` must be text"))
    };
    let mut message = Outgoing::default();
    let mut parts = Vec::new();
    for (key, value) in map {
        match key.as_str() {
            "message" => message.parts.push(Part::text(text(key, value)?)),
            "parts" => {
                let items = value.as_array().ok_or("`parts` of `a2a:send` must be a list")?;
                parts = items.iter().map(Part::written).collect::<Result<_, _>>()?;
            }
            "metadata" => {
                let metadata = Some(value.clone()).filter(Value::is_object);
                message.metadata = Some(metadata.ok_or("`metadata` of `a2a:send` must be a mapping")?);
            }
            "contextId" => message.context = Some(text(key, value)?),
            "taskId" => message.task = Some(text(key, value)?),
            other => return Err(format!("`a2a:send` has no argument `{}`", other.escape_debug())),
        }
    }
    message.parts.extend(parts);
    if message.parts.is_empty() {
        return Err("`a2a:send` sends nothing: give it a `message` or `parts`".into());
    }
    Ok(message)
}
