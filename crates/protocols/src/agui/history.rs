//! The messages of a thread.

use std::collections::{HashMap, HashSet};

use agentci_trace::ToolCall;
use serde_json::{Map, Value};

use super::content::arguments;
use super::message::{self, text};

/// The messages of a thread, in order. Searches start from the end, where nearly all changes happen.
#[derive(Debug, Clone, Default)]
pub(super) struct ThreadHistory {
    pub(super) messages: Vec<Value>,
    /// The ids of all messages.
    ids: HashSet<String>,
    /// The ids of all messages ever seen, including those that a snapshot removed.
    pub(super) seen: HashSet<String>,
    /// The ids of all calls ever seen.
    pub(super) calls: HashSet<String>,
    /// The ids of the calls with a result.
    pub(super) answered: HashSet<String>,
    /// The number of messages before the current answer.
    settled: usize,
}

impl ThreadHistory {
    /// The number of messages and calls, including removed ones.
    pub(super) fn size(&self) -> usize {
        self.messages.len().max(self.seen.len()) + self.calls.len()
    }

    /// Appends a message.
    pub(super) fn push(&mut self, message: Value) {
        self.register(&message);
        self.messages.push(message);
    }

    /// Appends a message, unless there is one with its id.
    pub(super) fn push_unknown(&mut self, message: Value) {
        if !self.ids.contains(text(&message, "id")) {
            self.push(message);
        }
    }

    /// Opens a message that is about to be streamed. A message of the same answer and role is continued.
    pub(super) fn open_message(&mut self, id: &str, role: &str, name: Option<String>, lane: Option<String>) {
        let continued = self
            .newest(id)
            .filter(|found| *found >= self.settled)
            .and_then(|found| self.messages.get(found))
            .is_some_and(|message| text(message, "role") == role);
        if !continued {
            self.push(message::empty(id, role, name, lane));
        }
    }

    /// Completes the text of a message. A message that a snapshot removed is not added again.
    pub(super) fn finish_message(&mut self, id: &str, words: &str, metadata: Option<Map<String, Value>>) {
        let Some(message) = self.newest_mut(id) else { return };
        match message.get_mut("content") {
            Some(Value::String(content)) => content.push_str(words),
            _ => message::set(message, "content", Some(words.into())),
        }
        message::describe(message, metadata.map(Value::Object));
    }

    /// Opens a call in its parent message, or in a new message.
    pub(super) fn open_call(&mut self, id: &str, name: &str, parent: Option<&str>, lane: Option<String>) {
        let found = parent.and_then(|parent| self.newest(parent));
        let role = found.and_then(|found| self.messages.get(found)).map(|message| text(message, "role"));
        let owner = match (found, role) {
            (Some(found), Some("assistant")) => found,
            (found, _) => {
                // The id of a message with another role cannot be reused.
                let own = if found.is_some() { id } else { parent.unwrap_or(id) };
                self.push(message::caller(own, lane));
                self.messages.len() - 1
            }
        };
        let Some(message) = self.messages.get_mut(owner).and_then(Value::as_object_mut) else { return };
        let calls = message.entry("toolCalls").or_insert_with(|| Value::Array(Vec::new()));
        if let Some(calls) = calls.as_array_mut()
            && !calls.iter().any(|call| text(call, "id") == id)
        {
            calls.push(message::call(id, name));
        }
        self.calls.insert(id.to_owned());
    }

    /// Completes the arguments of a call.
    pub(super) fn finish_call(&mut self, id: &str, arguments: &str, metadata: Option<Map<String, Value>>) {
        if let Some(call) = self.call_mut(id) {
            message::describe(call, metadata.map(Value::Object));
            if let Some(function) = call.get_mut("function") {
                let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
                message::set(function, "arguments", Some(arguments.into()));
            }
        }
    }

    /// Inserts a result after its call, because model providers accept it nowhere else. A repeated result changes
    /// nothing.
    pub(super) fn answer(&mut self, call_id: &str, message: Value) {
        let Some(owner) = self.owner(call_id) else { return self.push(message) };
        let behind = owner + 1;
        let answers = self.messages.iter().skip(behind).take_while(|message| text(message, "role") == "tool");
        let mut place = behind;
        for answer in answers {
            if text(answer, "toolCallId") == call_id && answer.get("content") == message.get("content") {
                return;
            }
            place += 1;
        }
        if place < self.settled {
            self.settled += 1;
        }
        self.register(&message);
        self.messages.insert(place, message);
    }

    /// Replaces the messages with those of a snapshot. Activities and reasoning are kept if the snapshot has none,
    /// because most servers do not store them.
    pub(super) fn replace(&mut self, snapshot: Vec<Value>) {
        let has = |role: &str| snapshot.iter().any(|message| text(message, "role") == role);
        let (activities, reasoning) = (has("activity"), has("reasoning"));
        let order: Vec<String> = snapshot.iter().map(|message| text(message, "id").to_owned()).collect();
        let mut by_id: HashMap<String, Value> =
            snapshot.into_iter().map(|message| (text(&message, "id").to_owned(), message)).collect();
        let mut kept = Vec::new();
        for message in std::mem::take(&mut self.messages) {
            let role = text(&message, "role");
            if let Some(new) = by_id.remove(text(&message, "id")) {
                kept.push(new);
            } else if (role == "activity" && !activities) || (role == "reasoning" && !reasoning) {
                kept.push(message);
            }
        }
        kept.extend(order.iter().filter_map(|id| by_id.remove(id)));
        self.ids.clear();
        self.settled = kept.len();
        for message in kept {
            self.push(message);
        }
    }

    pub(super) fn activity_mut(&mut self, id: &str) -> Option<&mut Value> {
        self.newest_mut(id).filter(|message| text(message, "role") == "activity")
    }

    /// Stores an encrypted value of the model's provider in a call or a message; returns false if that is unknown.
    pub(super) fn seal(&mut self, of_call: bool, id: &str, value: String) -> bool {
        let Some(entity) = (if of_call { self.call_mut(id) } else { self.newest_mut(id) }) else { return false };
        message::set(entity, "encryptedValue", Some(value.into()));
        true
    }

    pub(super) fn call(&self, id: &str) -> Option<ToolCall> {
        let call = calls_of(self.messages.get(self.owner(id)?)?).iter().find(|call| text(call, "id") == id)?;
        let function = call.get("function")?;
        let args = arguments(text(function, "arguments")).0.into();
        Some(ToolCall { call_id: id.to_owned(), name: text(function, "name").to_owned(), args, ..ToolCall::default() })
    }

    /// Ends an answer: removes repeated messages, and returns the ids of two different messages with the same id.
    pub(super) fn settle(&mut self) -> Vec<String> {
        let mut twice = Vec::new();
        if self.ids.len() < self.messages.len() {
            let mut new = self.messages.split_off(self.settled.min(self.messages.len()));
            let old: HashMap<&str, &Value> =
                self.messages.iter().map(|message| (text(message, "id"), message)).collect();
            new.retain(|message| old.get(text(message, "id")) != Some(&message));
            let known = new.iter().map(|message| text(message, "id")).filter(|id| old.contains_key(id));
            twice.extend(known.map(str::to_owned));
            self.messages.append(&mut new);
        }
        self.settled = self.messages.len();
        twice
    }

    fn register(&mut self, message: &Value) {
        self.ids.insert(text(message, "id").to_owned());
        self.seen.insert(text(message, "id").to_owned());
        if text(message, "role") == "tool" {
            self.answered.insert(text(message, "toolCallId").to_owned());
        }
        self.calls.extend(calls_of(message).iter().map(|call| text(call, "id").to_owned()));
    }

    fn newest(&self, id: &str) -> Option<usize> {
        if !self.ids.contains(id) {
            return None;
        }
        self.messages.iter().rposition(|message| text(message, "id") == id)
    }

    fn newest_mut(&mut self, id: &str) -> Option<&mut Value> {
        let found = self.newest(id)?;
        self.messages.get_mut(found)
    }

    /// The index of the message that contains a call.
    fn owner(&self, call_id: &str) -> Option<usize> {
        if !self.calls.contains(call_id) {
            return None;
        }
        self.messages.iter().rposition(|message| calls_of(message).iter().any(|call| text(call, "id") == call_id))
    }

    fn call_mut(&mut self, id: &str) -> Option<&mut Value> {
        let owner = self.owner(id)?;
        let calls = self.messages.get_mut(owner)?.get_mut("toolCalls")?.as_array_mut()?;
        calls.iter_mut().find(|call| text(call, "id") == id)
    }
}

pub(super) fn calls_of(message: &Value) -> &[Value] {
    message.get("toolCalls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
