//! Handles snapshots of all messages, which may contain messages and calls that were not streamed.

use std::collections::{HashMap, HashSet};

use agentci_trace::{EventKind, ToolResult};
use serde_json::Value;

use super::chunks::ChunkStream;
use super::content::{plain, result, texts};
use super::fields::{AguiFields, AguiResult};
use super::history::calls_of;
use super::lint::QuotedName;
use super::message::{self, text};
use super::reader::EventReader;
use super::text_events::ASSISTANT;

/// New content of a snapshot.
enum SnapshotContent {
    Text(String),
    Call { id: String, name: String, arguments: String },
    Answer(ToolResult),
}

impl EventReader<'_> {
    pub(super) fn messages_snapshot(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        let messages = messages(&mut fields)?;
        // The snapshot of a joined thread contains earlier messages.
        if !self.state.joined {
            for new in self.news(&messages) {
                self.tell(new)?;
            }
        }
        self.conversation.history.replace(messages);
        Ok(())
    }

    /// The content of a snapshot that was neither sent nor seen before, in order. Servers that stream and then send a
    /// snapshot may use other ids in it, so messages with the same text are the same. Messages before the last user
    /// message are older than this run.
    fn news(&self, messages: &[Value]) -> Vec<SnapshotContent> {
        let history = &self.conversation.history;
        let place = |list: &[Value]| {
            let said = self.conversation.said.as_deref()?;
            list.iter().position(|message| text(message, "id") == said)
        };
        let (known, messages) = match (place(&history.messages), place(messages)) {
            (Some(here), Some(there)) => (&history.messages[here..], &messages[there..]),
            _ => (history.messages.as_slice(), messages),
        };
        // How often each text was seen; messages that are still being streamed are not in the history yet.
        let mut heard: HashMap<String, usize> = HashMap::new();
        let open = || self.state.texts.iter().filter(|open| open.stream == ChunkStream::Text);
        for words in known.iter().filter_map(words).chain(open().map(|open| open.text.clone())) {
            *heard.entry(words).or_default() += 1;
        }
        // A message that had only calls may get text.
        let silent: HashSet<&str> =
            known.iter().filter(|message| words(message).is_none()).map(|message| text(message, "id")).collect();
        let is_known =
            |id: &str| history.seen.contains(id) && (!silent.contains(id) || open().any(|open| open.id == id));
        let (mut calls, mut answers) = (HashSet::new(), HashSet::new());
        let mut news = Vec::new();
        for message in messages {
            if let Some(words) = words(message) {
                let before = heard.get_mut(&words).filter(|left| **left > 0).map(|left| *left -= 1).is_some();
                if !before && !self.state.seen.said.contains(&words) && !is_known(text(message, "id")) {
                    news.push(SnapshotContent::Text(words));
                }
            }
            for call in calls_of(message) {
                let id = text(call, "id");
                if !history.calls.contains(id) && calls.insert(id) {
                    let function = call.get("function").unwrap_or(&Value::Null);
                    let arguments = function.get("arguments").cloned().map(plain).unwrap_or_default();
                    news.push(SnapshotContent::Call {
                        id: id.to_owned(),
                        name: text(function, "name").to_owned(),
                        arguments,
                    });
                }
            }
            let id = text(message, "toolCallId");
            if text(message, "role") == "tool" && !history.answered.contains(id) && answers.insert(id) {
                let content = message.get("content").unwrap_or(&Value::Null);
                news.push(SnapshotContent::Answer(result(id, content, message.get("error").cloned().map(plain))));
            }
        }
        news
    }

    fn tell(&mut self, new: SnapshotContent) -> AguiResult {
        match new {
            SnapshotContent::Text(words) => {
                self.state.keep(words.len())?;
                self.state.push(EventKind::Text(words));
            }
            SnapshotContent::Call { id, name, .. } if id.is_empty() || name.is_empty() => {
                self.state.violation(format!("a call {} has no `id` or no `function.name`", QuotedName(&id)));
            }
            SnapshotContent::Call { id, name, arguments } => {
                self.enter_call(&id, name);
                self.add_arguments(&id, &arguments, None)?;
                self.close_call(&id, None);
            }
            SnapshotContent::Answer(result) => {
                self.state.keep(result.result.to_string().len())?;
                let id = &result.call_id;
                if !self.state.seen.made.contains(id) && !self.conversation.history.calls.contains(id) {
                    self.state.violation(format!("call {} was never started", QuotedName(id)));
                }
                self.answer_call(result);
            }
        }
        Ok(())
    }
}

/// The text of an assistant message, if any.
fn words(message: &Value) -> Option<String> {
    let words = match message.get("content")? {
        Value::String(text) => text.clone(),
        Value::Array(parts) => texts(parts)?,
        _ => return None,
    };
    (text(message, "role") == ASSISTANT && !words.is_empty()).then_some(words)
}

/// The messages of a snapshot, each an object with an id and a role.
fn messages(fields: &mut AguiFields<'_>) -> AguiResult<Vec<Value>> {
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
