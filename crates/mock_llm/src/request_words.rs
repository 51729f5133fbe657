//! All texts of a request, for rules that look at more than the last user message.

use agentci_trace::ModelRequest;
use serde_json::Value;

/// Bytes of an earlier request to keep for requests that continue it.
const REMEMBERED: usize = 64 << 10;

/// The texts and tool names of a request, independent of its provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RequestTexts {
    /// The system prompt; empty if there is none.
    pub(super) system: String,
    /// The texts of the messages, without system prompts.
    pub(super) messages: Vec<String>,
    /// The names of the offered tools.
    pub(super) tools: Vec<String>,
    /// The part of the system prompt that also applies to requests that continue this one.
    carried: String,
}

impl RequestTexts {
    pub(super) fn read(body: &[u8]) -> Self {
        let Ok(body) = serde_json::from_slice::<Value>(body) else { return Self::default() };
        let request = ModelRequest::alone(&body);
        Self {
            system: request.system.to_string(),
            messages: request.messages.iter().map(|message| message.text.to_string()).collect(),
            tools: request.tools.iter().map(|tool| tool.name.to_owned()).collect(),
            carried: request.carried().collect::<Vec<_>>().join("\n"),
        }
    }

    /// Prepends the earlier texts of a conversation that the provider keeps.
    pub(super) fn go_on_from(&mut self, earlier: &Self) {
        self.system = joined(&earlier.carried, &self.system);
        self.carried = joined(&earlier.carried, &self.carried);
        self.messages.splice(0..0, earlier.messages.iter().cloned());
    }

    /// The part to keep, together with the answer: the last messages, up to the limit.
    pub(super) fn remembered(&self, answer: &str) -> Self {
        let said = Some(answer).filter(|answer| !answer.is_empty());
        let mut room = REMEMBERED.saturating_sub(self.carried.len());
        let last = self.messages.iter().map(String::as_str).chain(said).rev().take_while(|message| {
            let fits = message.len() <= room;
            room = room.saturating_sub(message.len());
            fits
        });
        let mut messages: Vec<String> = last.map(str::to_owned).collect();
        messages.reverse();
        let carried = if self.carried.len() <= REMEMBERED { self.carried.clone() } else { String::new() };
        Self { system: String::new(), messages, tools: Vec::new(), carried }
    }
}

fn joined(first: &str, second: &str) -> String {
    if first.is_empty() || second.is_empty() { format!("{first}{second}") } else { format!("{first}\n{second}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn continuation_inherits_messages_but_not_instructions() {
        let read = |body: &Value| RequestTexts::read(body.to_string().as_bytes());
        let first = read(&json!({"instructions": "Once.", "tools": [{"type": "function", "name": "find"}], "input": [
            {"role": "system", "content": "Always."}, {"role": "user", "content": "hi"}
        ]}));
        assert_eq!((first.system.as_str(), first.tools.as_slice()), ("Once.\nAlways.", ["find".to_owned()].as_slice()));
        let mut then = read(&json!({"instructions": "Now.", "input": "and?"}));
        then.go_on_from(&first.remembered("hello"));
        assert_eq!((then.system.as_str(), then.messages.join(" ")), ("Always.\nNow.", "hi hello and?".to_owned()));
        assert!(then.tools.is_empty());
    }

    #[test]
    fn remembered_text_is_limited() {
        let long =
            RequestTexts { messages: vec!["a".repeat(REMEMBERED), "b".into(), "c".into()], ..RequestTexts::default() };
        assert_eq!(long.remembered("d").messages, ["b", "c", "d"]);
        let prompt =
            RequestTexts { carried: "a".repeat(REMEMBERED + 1), messages: vec!["b".into()], ..RequestTexts::default() };
        assert_eq!(prompt.remembered(""), RequestTexts::default());
    }

    #[test]
    fn invalid_json_body_has_no_texts() {
        assert_eq!(RequestTexts::read(b"{"), RequestTexts::default());
    }
}
