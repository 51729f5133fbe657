//! The memory of a scripted model: conversations that requests continue, and answers that clients can retrieve again.

use std::sync::Arc;

use serde_json::Value;

use super::answer::{SpokenAnswer, WantedCall};
use super::parsed_request::ParsedRequest;
use super::refusal::ModelRefusal;
use super::request_words::RequestTexts;
use super::rule_engine::{RuleEngine, State};
use super::strict::responses::EarlierCalls;

/// The maximum number of answers that later requests can continue.
const REMEMBERED: usize = 10_000;
/// Characters of the user's text to keep for each of them.
const REMEMBERED_TEXT: usize = 10_000;
/// Limits for the answers of the Responses API that can be retrieved again: their number, and the bytes of their texts.
const KEPT: usize = 100;
const KEPT_TEXT: usize = 16 << 20;

/// The state of a conversation after an answer.
#[derive(Debug, Clone)]
pub(super) struct RememberedConversation {
    user: String,
    answers: u32,
    calls: EarlierCalls,
    /// The calls of the last answer, in order.
    last: Vec<String>,
    /// The offered tools, if they also apply to later requests.
    tools: Option<Arc<Value>>,
    spoken: RequestTexts,
}

impl RuleEngine {
    /// Adds the state of the answer or conversation that a request continues. An unknown conversation starts with this
    /// request, since a provider keeps conversations longer than this server runs.
    pub(super) fn resume(&self, parsed: &mut ParsedRequest) -> Result<(), ModelRefusal> {
        let state = self.state();
        for reference in &parsed.items.references {
            state.refer(reference, &mut parsed.earlier);
        }
        let id = parsed.previous.as_ref().or(parsed.conversation.as_ref()).or(parsed.thread.as_ref());
        let Some(id) = id else { return Ok(()) };
        let Some(known) = state.conversations.get(id) else {
            let Some(previous) = &parsed.previous else {
                parsed.earlier.unknown = true;
                return Ok(());
            };
            let message = format!("Previous response with id '{previous}' not found.");
            return Err(ModelRefusal::of_part("previous_response_id", message).code("previous_response_not_found"));
        };
        parsed.earlier.made.extend(known.calls.made.iter().cloned());
        parsed.earlier.open.extend(known.calls.open.iter().cloned());
        parsed.earlier.unknown |= known.calls.unknown;
        if parsed.tools.is_none() {
            parsed.tools.clone_from(&known.tools);
        }
        parsed.spoken.go_on_from(&known.spoken);
        parsed.answers = parsed.answers.saturating_add(known.answers);
        if parsed.user.is_empty() {
            parsed.user.clone_from(&known.user);
        }
        Ok(())
    }

    /// Remembers a conversation after `answers` answers; `said` and `last` are the text and the calls of the last one.
    pub(super) fn remember(
        &self,
        id: String,
        parsed: &ParsedRequest,
        answers: u32,
        said: Option<&str>,
        last: &[WantedCall],
    ) {
        let user = parsed.user.chars().take(REMEMBERED_TEXT).collect();
        let last: Vec<String> = last.iter().map(|call| call.id.clone()).collect();
        let mut calls = parsed.earlier.clone().and(&parsed.items);
        calls.made.extend(last.iter().cloned());
        calls.open.extend(last.iter().cloned());
        let (tools, spoken) = (parsed.tools.clone(), parsed.spoken.remembered(said.unwrap_or_default()));
        let conversation = RememberedConversation { user, answers, calls, last, tools, spoken };
        let mut state = self.state();
        if let Some(known) = state.conversations.get_mut(&id) {
            *known = conversation;
            return;
        }
        if state.conversation_order.len() == REMEMBERED
            && let Some(oldest) = state.conversation_order.pop_front()
        {
            state.conversations.remove(&oldest);
        }
        state.conversation_order.push_back(id.clone());
        state.conversations.insert(id, conversation);
    }

    /// The calls that an answer requested, if it is known.
    pub(super) fn last_calls(&self, answer: &str) -> Option<Vec<String>> {
        self.state().conversations.get(answer).map(|known| known.last.clone())
    }

    /// Keeps an answer of the Responses API, so that a client can retrieve it again.
    pub(super) fn keep(&self, answer: &SpokenAnswer) {
        let mut state = self.state();
        state.kept.push_back((answer.id("resp_"), answer.clone()));
        let text = |answer: &SpokenAnswer| answer.text.as_ref().map_or(0, String::len);
        let mut bytes: usize = state.kept.iter().map(|(_, answer)| text(answer)).sum();
        while state.kept.len() > KEPT || bytes > KEPT_TEXT {
            let Some((_, oldest)) = state.kept.pop_front() else { break };
            bytes -= text(&oldest);
        }
    }

    pub(super) fn kept(&self, id: &str) -> Option<SpokenAnswer> {
        self.state().kept.iter().find(|(known, _)| known == id).map(|(_, answer)| answer.clone())
    }
}

impl State {
    /// Adds an item that a request refers to by id. If it is a known call, the call counts as made and open; an unknown
    /// item may be anything.
    fn refer(&self, reference: &str, earlier: &mut EarlierCalls) {
        let Some(item) = reference.strip_prefix("fc_") else {
            earlier.unknown |= !["msg_", "rs_"].iter().any(|kind| reference.starts_with(kind));
            return;
        };
        let call = item.split_once('_').and_then(|(answer, at)| {
            let conversation = self.conversations.get(&format!("resp_{answer}"))?;
            conversation.last.get(at.parse::<usize>().ok()?)
        });
        match call {
            Some(call) => {
                earlier.made.push(call.clone());
                earlier.open.push(call.clone());
            }
            None => earlier.unknown = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use agentci_plan::{AnswerPace, Finish};

    use super::*;
    use crate::answer::CallForm;
    use crate::in_process::ScriptIndex;

    #[test]
    fn stored_responses_are_limited() {
        let engine = RuleEngine::new(ScriptIndex::new(Arc::default()).unwrap(), None, None);
        let mut answer = SpokenAnswer {
            number: 0,
            created: 0,
            model: String::new(),
            text: None,
            calls: Vec::new(),
            form: CallForm::Tools,
            finish: Finish::Stop,
            input_tokens: 0,
            output_tokens: 0,
            choices: 1,
            include_usage: false,
            pace: AnswerPace::default(),
            conversation: None,
        };
        for number in 1..=KEPT as u64 + 1 {
            answer.number = number;
            engine.keep(&answer);
        }
        let id = |number| format!("resp_{number:024}");
        assert!(engine.kept(&id(1)).is_none() && engine.kept(&id(2)).is_some());
        answer.text = Some("x".repeat(KEPT_TEXT));
        answer.number = 1000;
        engine.keep(&answer);
        answer.number = 1001;
        engine.keep(&answer);
        assert!(engine.kept(&id(1000)).is_none() && engine.kept(&id(1001)).is_some());
    }

    #[test]
    fn stored_conversations_are_limited() {
        let engine = RuleEngine::new(ScriptIndex::new(Arc::default()).unwrap(), None, None);
        let parsed = ParsedRequest { user: "é".repeat(2 * REMEMBERED_TEXT), ..ParsedRequest::default() };
        let empty = ParsedRequest::default();
        for number in 0..REMEMBERED + 10 {
            let parsed = if number < 10 { &parsed } else { &empty };
            engine.remember(number.to_string(), parsed, 1, None, &[]);
            if number == 5 {
                assert_eq!(engine.state().conversations["5"].user.chars().count(), REMEMBERED_TEXT);
            }
        }
        let state = engine.state();
        assert_eq!((state.conversations.len(), state.conversation_order.len()), (REMEMBERED, REMEMBERED));
        assert!(!state.conversations.contains_key("9") && state.conversations.contains_key("10"));
    }
}
