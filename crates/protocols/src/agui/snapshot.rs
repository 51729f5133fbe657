//! Snapshots of all messages. What stands only there was said and called all the same.

use std::collections::{HashMap, HashSet};

use agentci_trace::{Kind, ToolResult};
use serde_json::Value;

use super::calls::Closed;
use super::content::{plain, result, texts};
use super::conversation::Conversation;
use super::fields::{Broken, Fields};
use super::history::calls_of;
use super::lint::Named;
use super::message::{self, text};
use super::reader::Reader;
use super::text_events::ASSISTANT;
use super::texts::Voice;

/// Something that was not known before a snapshot.
enum New {
    Text(String),
    Call { id: String, name: String, arguments: String },
    Answer(ToolResult),
}

impl Reader {
    pub(super) fn messages_snapshot(
        &mut self,
        mut fields: Fields,
        conversation: &mut Conversation,
    ) -> Result<(), Broken> {
        let messages = messages(&mut fields)?;
        // Who joins a thread is told what happened before.
        if !self.joined {
            for new in self.news(&messages, conversation) {
                self.tell(new, conversation)?;
            }
        }
        conversation.history.replace(messages);
        Ok(())
    }

    /// What a snapshot has that was neither sent nor seen before, in its order. Servers that stream and then send a snapshot may
    /// give their messages other ids there, so a message with the words of another is that one. What stands before the words the
    /// user said last is older than this run.
    fn news(&self, messages: &[Value], conversation: &Conversation) -> Vec<New> {
        let history = &conversation.history;
        let place = |list: &[Value]| {
            let said = conversation.said()?;
            list.iter().position(|message| text(message, "id") == said)
        };
        let (known, messages) = match (place(history.messages()), place(messages)) {
            (Some(here), Some(there)) => (history.messages().get(here..), messages.get(there..)),
            _ => (Some(history.messages()), Some(messages)),
        };
        let known = known.unwrap_or_default();
        // How often each was said; those whose words are still coming are not in the history yet.
        let mut heard: HashMap<String, usize> = HashMap::new();
        let open = || self.texts.iter().filter(|open| open.voice == Voice::Text);
        for words in known.iter().filter_map(words).chain(open().map(|open| open.text.clone())) {
            *heard.entry(words).or_default() += 1;
        }
        // A message that was known by its calls alone may still get its words.
        let silent: HashSet<&str> =
            known.iter().filter(|message| words(message).is_none()).map(|message| text(message, "id")).collect();
        let is_known =
            |id: &str| history.knows_message(id) && (!silent.contains(id) || open().any(|open| open.id == id));
        let (mut calls, mut answers) = (HashSet::new(), HashSet::new());
        let mut news = Vec::new();
        for message in messages.unwrap_or_default() {
            if let Some(words) = words(message) {
                let before = heard.get_mut(&words).filter(|left| **left > 0).map(|left| *left -= 1).is_some();
                if !before && !self.said.contains(&words) && !is_known(text(message, "id")) {
                    news.push(New::Text(words));
                }
            }
            for call in calls_of(message) {
                let id = text(call, "id");
                if !history.knows_call(id) && calls.insert(id) {
                    let function = call.get("function").unwrap_or(&Value::Null);
                    let arguments = function.get("arguments").cloned().map(plain).unwrap_or_default();
                    news.push(New::Call { id: id.to_owned(), name: text(function, "name").to_owned(), arguments });
                }
            }
            let id = text(message, "toolCallId");
            if text(message, "role") == "tool" && !history.is_answered(id) && answers.insert(id) {
                let content = message.get("content").unwrap_or(&Value::Null);
                news.push(New::Answer(result(id, content, message.get("error").cloned().map(plain))));
            }
        }
        news
    }

    fn tell(&mut self, new: New, conversation: &mut Conversation) -> Result<(), Broken> {
        match new {
            New::Text(words) => {
                self.keep(words.len())?;
                self.push(Kind::Text(words));
            }
            New::Call { id, name, .. } if id.is_empty() || name.is_empty() => {
                self.violation(format_args!("a call {} has no `id` or no `function.name`", Named(&id)));
            }
            New::Call { id, name, arguments } => {
                self.enter_call(&id, name, conversation);
                self.call_arguments(&id, &arguments, None)?;
                if let Closed::Completed(completed) = self.calls.close(&id, None) {
                    self.complete_call(completed, conversation);
                }
                self.calls.release(&mut self.out);
            }
            New::Answer(result) => {
                self.keep(result.result.to_string().len())?;
                let id = result.call_id.clone();
                if !self.made.contains(&id) && !conversation.history.knows_call(&id) {
                    self.violation(format_args!("call {} was never begun", Named(&id)));
                }
                self.answered.insert(id);
                let (completed, passed_on) = self.calls.answer(self.at, result);
                if let Some(completed) = completed {
                    self.complete_call(completed, conversation);
                }
                if let Some(result) = passed_on {
                    self.push(Kind::ToolResult(result));
                }
                self.calls.release(&mut self.out);
            }
        }
        Ok(())
    }
}

/// What the assistant says in a message, if anything.
fn words(message: &Value) -> Option<String> {
    let words = match message.get("content")? {
        Value::String(text) => text.clone(),
        Value::Array(parts) => texts(parts)?,
        _ => return None,
    };
    (text(message, "role") == ASSISTANT && !words.is_empty()).then_some(words)
}

/// The messages of a snapshot, each an object with an id and a role.
fn messages(fields: &mut Fields) -> Result<Vec<Value>, Broken> {
    let mut messages = Vec::new();
    for message in fields.list("messages")? {
        let Value::Object(map) = message else {
            return Err(fields.wrong("messages", "a list of objects", &message));
        };
        let message = message::without_nulls(map);
        if text(&message, "id").is_empty() || text(&message, "role").is_empty() {
            return Err(fields.wrong("messages", "a list of messages with `id` and `role`", &message));
        }
        messages.push(message);
    }
    Ok(messages)
}
