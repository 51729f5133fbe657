//! What goes into a turn, variables filled in.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value, json};

/// What goes into a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A task: an object of the suite's making.
    Task(Arc<Value>),
    /// Messages of a conversation, each with `role` and `content`.
    Messages(Vec<Value>),
    /// A protocol action and its arguments.
    Action {
        /// Its name, protocol first.
        kind: String,
        /// Its arguments.
        arguments: Value,
    },
}

impl Input {
    /// The input as one value: what a program is sent, and what a trace shows.
    pub fn value(&self) -> Arc<Value> {
        match self {
            Input::Task(task) => Arc::clone(task),
            Input::Messages(_) | Input::Action { .. } => Arc::new(self.as_value().into_owned()),
        }
    }

    /// The same for who only looks at it.
    pub fn as_value(&self) -> Cow<'_, Value> {
        Cow::Owned(match self {
            Input::Task(task) => return Cow::Borrowed(task),
            Input::Messages(messages) => json!({ "messages": messages }),
            Input::Action { kind, arguments } => Value::Object(Map::from_iter([(kind.clone(), arguments.clone())])),
        })
    }
}
