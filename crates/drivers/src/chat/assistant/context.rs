//! The context of a conversation, as prompt variables and hooks see it.
//!
//! The input is the target's context mapping, with the native format's names for its keys.

use agentci_plan::ChatTarget;
use serde_json::{Map, Value, json};

use crate::DriverContext;
use crate::template_parts::as_text;

/// The user agent of Yao's test command.
const USER_AGENT: &str = "yao-agent-test/1.0";

/// The context of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AssistantContext {
    agent: String,
    about: Vec<(String, String)>,
    facts: Map<String, Value>,
}

impl AssistantContext {
    pub(super) fn new(target: &ChatTarget, context: &DriverContext<'_>) -> Self {
        let again = if context.attempt > 1 { format!("-run{}", context.attempt) } else { String::new() };
        let mut facts = target.context.clone();
        facts.entry("chat").or_insert_with(|| format!("test-{}{again}", context.case_id).into());
        Self { agent: target.agent.clone(), about: target.assistant.about.clone(), facts }
    }

    /// The value of `$CTX.NAME`; empty for an unknown name.
    pub(super) fn word(&self, name: &str) -> String {
        match name {
            "ASSISTANT_ID" => self.agent.clone(),
            "CHAT_ID" => self.text("chat").to_owned(),
            "LOCALE" => self.text("locale").to_owned(),
            "REFERER" => self.text("referer").to_owned(),
            "CLIENT_TYPE" => self.text("client_type").to_owned(),
            "USER_ID" => self.text("user").to_owned(),
            "TEAM_ID" => self.text("team").to_owned(),
            _ => match self.about.iter().find(|(known, _)| known == name) {
                Some((_, value)) => value.clone(),
                None => self.metadata_word(name),
            },
        }
    }

    /// An entry of the metadata as text; case-insensitive if there is no exact match.
    fn metadata_word(&self, name: &str) -> String {
        let exact = self.metadata(name);
        let same = || {
            let metadata = self.facts.get("metadata")?.as_object()?;
            metadata.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
        };
        exact.or_else(same).filter(|value| !value.is_null()).map(as_text).unwrap_or_default()
    }

    /// The prompt preset that the conversation's metadata selects.
    pub(super) fn preset(&self) -> Option<&str> {
        self.metadata("__prompt_preset").and_then(Value::as_str).filter(|name| !name.is_empty())
    }

    /// Whether the conversation's metadata disables global prompts.
    pub(super) fn own_prompts(&self) -> bool {
        self.metadata("__disable_global_prompts").and_then(Value::as_bool).unwrap_or(false)
    }

    pub(super) fn set_locale(&mut self, locale: String) {
        self.facts.insert("locale".into(), locale.into());
    }

    /// Adds entries to the metadata, replacing those of the same name.
    pub(super) fn extend_metadata(&mut self, entries: impl IntoIterator<Item = (String, Value)>) {
        let metadata = self.facts.entry("metadata").or_insert_with(|| Map::new().into());
        if let Value::Object(metadata) = metadata {
            metadata.extend(entries);
        }
    }

    /// The context as hooks see it.
    pub(super) fn value(&self) -> Value {
        json!({
            "chat_id": self.text("chat"),
            "assistant_id": self.agent,
            "locale": self.text("locale"),
            "authorized": { "user_id": self.text("user"), "team_id": self.text("team") },
            "client": { "type": self.text("client_type"), "ip": self.text("client_ip"), "user_agent": USER_AGENT },
            "referer": self.text("referer"),
            "accept": self.text("accept"),
            "metadata": self.facts.get("metadata").cloned().unwrap_or_else(|| Map::new().into()),
        })
    }

    fn text(&self, key: &str) -> &str {
        self.facts.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    fn metadata(&self, name: &str) -> Option<&Value> {
        self.facts.get("metadata")?.get(name)
    }
}
