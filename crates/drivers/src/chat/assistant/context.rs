//! Who asks whom in a conversation: what prompts may say of it, and what the agent's functions see.

use agentci_plan::{ChatContext, ChatTarget};
use serde_json::{Value, json};

use crate::Context;

/// The program that asks, as the original's test command names itself.
const USER_AGENT: &str = "yao-agent-test/1.0";

/// Who asks whom.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Setting {
    agent: String,
    about: Vec<(String, String)>,
    chat: String,
    pub(super) context: ChatContext,
}

impl Setting {
    pub(super) fn new(target: &ChatTarget, context: &Context<'_>) -> Self {
        let again = if context.attempt > 1 { format!("-run{}", context.attempt) } else { String::new() };
        let usual = || format!("test-{}{again}", context.case_id);
        Self {
            agent: target.agent.clone(),
            about: target.about.clone(),
            chat: target.context.chat.clone().unwrap_or_else(usual),
            context: target.context.clone(),
        }
    }

    /// What stands for `$CTX.NAME`; nothing is known by a name that nobody gave.
    pub(super) fn word(&self, name: &str) -> String {
        let ChatContext { user, team, locale, client_type, referer, metadata, .. } = &self.context;
        let own = match name {
            "ASSISTANT_ID" => Some(&self.agent),
            "CHAT_ID" => Some(&self.chat),
            "LOCALE" => Some(locale),
            "REFERER" => Some(referer),
            "CLIENT_TYPE" => Some(client_type),
            "USER_ID" => Some(user),
            "TEAM_ID" => Some(team),
            _ => self.about.iter().find(|(known, _)| known == name).map(|(_, value)| value),
        };
        if let Some(own) = own {
            return own.clone();
        }
        let exact = metadata.get(name);
        let same = || metadata.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value);
        match exact.or_else(same) {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => String::new(),
            Some(other) => other.to_string(),
        }
    }

    /// The prompts that the conversation's own data asks for.
    pub(super) fn preset(&self) -> Option<&str> {
        self.context.metadata.get("__prompt_preset").and_then(Value::as_str).filter(|name| !name.is_empty())
    }

    /// Whether the conversation's own data asks for the prompts of the agent alone.
    pub(super) fn own_prompts(&self) -> bool {
        self.context.metadata.get("__disable_global_prompts").and_then(Value::as_bool).unwrap_or(false)
    }

    /// What the agent's functions see.
    pub(super) fn value(&self) -> Value {
        let ChatContext { user, team, locale, client_type, client_ip, referer, accept, metadata, .. } = &self.context;
        json!({
            "chat_id": self.chat,
            "assistant_id": self.agent,
            "locale": locale,
            "authorized": { "user_id": user, "team_id": team },
            "client": { "type": client_type, "ip": client_ip, "user_agent": USER_AGENT },
            "referer": referer,
            "accept": accept,
            "metadata": metadata,
        })
    }
}
