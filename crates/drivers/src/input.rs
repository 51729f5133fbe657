//! The input of a turn, with variables filled in.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value, json};

/// The input of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A task: an object that the suite defines.
    Task(Arc<Value>),
    /// Messages of a conversation, each with `role` and `content`.
    Messages(Vec<Value>),
    /// A protocol action and its arguments.
    Action {
        /// Its name, with the protocol as a prefix, such as `mcp:call`.
        kind: String,
        arguments: Value,
    },
}

impl Input {
    /// The input as one value, as it is sent to a program and shown in the trace.
    pub fn value(&self) -> Arc<Value> {
        match self {
            Input::Task(task) => Arc::clone(task),
            Input::Messages(_) | Input::Action { .. } => Arc::new(self.as_value().into_owned()),
        }
    }

    /// The input as one value, borrowed if possible.
    pub fn as_value(&self) -> Cow<'_, Value> {
        Cow::Owned(match self {
            Input::Task(task) => return Cow::Borrowed(task),
            Input::Messages(messages) => json!({ "messages": messages }),
            Input::Action { kind, arguments } => Value::Object(Map::from_iter([(kind.clone(), arguments.clone())])),
        })
    }
}
