//! Decides what to say: the rule that fits, the turn of its replies, and whether something goes wrong.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agentci_plan::{Finish, ModelFailureKind, ModelRule, ModelScript};
use agentci_wire::FetchedSecrets;
use serde_json::Value;

use super::answer::{Answer, CallForm, Place, WantedCall, numbered};
use super::asked::Asked;
use super::closest::unmatched;
use super::index::{Index, IndexError};
use super::journal::{Entry, Journal};
use super::observer::WireObserver;
use super::openai::responses;
use super::refusal::Refusal;
use super::strict::responses::Earlier;
use super::telling::Pending;
use super::template::Templates;
use super::tokens;
use agentci_plan::draw;

/// What a model calls itself when neither request nor script says.
const NAMELESS: &str = "gpt-test";
/// How many answers are remembered for requests that go on from one of them.
const REMEMBERED: usize = 10_000;
/// How much of the user's text is remembered for them.
const REMEMBERED_TEXT: usize = 10_000;
/// How many answers of the Responses API can be asked for once more, and how many bytes of text they may have.
const KEPT: usize = 100;
const KEPT_TEXT: usize = 16 << 20;

/// What to do with a request.
#[derive(Debug)]
pub(super) enum Decision {
    Say(Answer),
    /// Say it, and spoil it on the way.
    Spoil(Spoilt, Answer),
    /// Refuse it, after this time.
    Refuse(Refusal, Duration),
    /// Refuse it, since no rule fits; this one comes closest.
    Miss(Refusal, Option<usize>),
}

/// How an answer is spoilt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spoilt {
    Malformed,
    Cut,
    Hang,
}

impl Spoilt {
    pub(super) fn name(self) -> &'static str {
        match self {
            Spoilt::Malformed => "malformed",
            Spoilt::Cut => "cut",
            Spoilt::Hang => "hang",
        }
    }
}

/// A scripted model: the script, the index over it, and what has happened so far.
#[derive(Debug)]
pub(super) struct Mind {
    script: Arc<ModelScript>,
    index: Arc<Index>,
    seed: u64,
    state: Mutex<State>,
    templates: Templates,
    pub(super) manners: Manners,
}

/// How a model treats requests, beside its script.
#[derive(Debug, Default)]
pub(super) struct Manners {
    /// Whether it refuses what its provider would refuse; the script says so where this does not.
    pub(super) strict: Option<bool>,
    /// The keys that requests may have; any if there are none.
    pub(super) keys: Vec<String>,
    /// Where other keys are made known.
    pub(super) secrets: Option<FetchedSecrets>,
}

/// What has happened so far.
#[derive(Debug, Default)]
pub(super) struct State {
    rules: Vec<RuleState>,
    defaults: usize,
    requests: u64,
    calls: u64,
    pub(super) journal: Journal,
    pub(super) observer: Option<WireObserver>,
    conversations: HashMap<String, Conversation>,
    conversation_order: VecDeque<String>,
    /// Answers that can be asked for once more, by their ids.
    kept: VecDeque<(String, Answer)>,
    /// Answers that are being sent, by the numbers of their requests.
    pub(super) pending: BTreeMap<u64, Pending>,
}

#[derive(Debug, Clone, Copy, Default)]
struct RuleState {
    /// How often it replied.
    replies: usize,
    /// How often it was asked whether it fails.
    draws: u32,
    failures: u32,
}

/// Where a conversation stood after an answer.
#[derive(Debug, Clone)]
struct Conversation {
    user: String,
    answers: u32,
    /// The calls so far.
    calls: Earlier,
    /// Those of the last answer, in their order.
    last: Vec<String>,
    /// The tools that were offered, where they hold for what follows.
    tools: Option<Arc<str>>,
}

impl Mind {
    pub(super) fn new(
        script: Arc<ModelScript>,
        seed: Option<u64>,
        observer: Option<WireObserver>,
    ) -> Result<Self, IndexError> {
        let index = Arc::new(Index::new(&script.rules)?);
        Ok(Self::indexed(script, index, seed, observer))
    }

    /// One whose rules are indexed already.
    pub(super) fn indexed(
        script: Arc<ModelScript>,
        index: Arc<Index>,
        seed: Option<u64>,
        observer: Option<WireObserver>,
    ) -> Self {
        let seed = seed.or(script.seed).unwrap_or_default();
        let state = State { rules: vec![RuleState::default(); script.rules.len()], observer, ..State::default() };
        let (templates, manners) = (Templates::default(), Manners::default());
        Self { script, index, seed, state: Mutex::new(state), templates, manners }
    }

    /// Whether it refuses what its provider would refuse.
    pub(super) fn is_strict(&self) -> bool {
        self.manners.strict.unwrap_or_else(|| self.script.is_strict())
    }

    /// Whether a rule misbehaves on purpose.
    pub(super) fn misbehaves(&self, rule: Option<usize>) -> bool {
        rule.is_some_and(|rule| self.script.rules[rule].misbehaves)
    }

    pub(super) fn script(&self) -> &ModelScript {
        &self.script
    }

    /// Answers that were given before.
    pub(super) fn templates(&self) -> &Templates {
        &self.templates
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a new request, from 1.
    pub(super) fn begin(&self) -> u64 {
        let mut state = self.state();
        state.requests += 1;
        state.requests
    }

    /// Forgets everything that happened.
    pub(super) fn reset(&self) {
        let mut state = self.state();
        let observer = state.observer.take();
        *state = State { rules: vec![RuleState::default(); self.script.rules.len()], observer, ..State::default() };
    }

    /// The models that the script knows.
    pub(super) fn models(&self) -> Vec<&str> {
        let of_rules = self.script.rules.iter().filter_map(|rule| rule.when.model.as_deref());
        let mut models: Vec<&str> = self.script.model.as_deref().into_iter().chain(of_rules).collect();
        models.sort_unstable();
        models.dedup();
        if models.is_empty() { vec![NAMELESS] } else { models }
    }

    /// What to do with a request of so many bytes, and the rule that says so; the entry takes down its line.
    pub(super) fn decide(&self, asked: &Asked, bytes: usize, entry: &mut Entry) -> (Decision, Option<usize>) {
        let state = &mut *self.state();
        let mut failure = None;
        let fitting = self.index.first(asked, |number| {
            let rule = &self.script.rules[number];
            failure = self.failing(number, rule, &mut state.rules[number]);
            failure.is_some() || !rule.replies.is_empty() || !rule.tool_calls.is_empty()
        });
        let Some(number) = fitting else {
            if self.script.default.is_empty() {
                let (message, closest) = unmatched(&self.script.rules, asked);
                return (Decision::Miss(Refusal::new(400, message).code("no_rule_fits"), closest), None);
            }
            let reply = state.defaults % self.script.default.len();
            let text = self.script.default[reply].clone();
            state.defaults += 1;
            let place = Place { rule: None, reply };
            return (Decision::Say(self.answer(asked, bytes, entry, Some(text), Vec::new(), place)), None);
        };
        let rule = &self.script.rules[number];
        entry.rule = Some(rule.span.line);
        let at = state.rules[number].replies.min(rule.replies.len().saturating_sub(1));
        let text = rule.replies.get(at).cloned();
        let mut calls = calls(rule, &mut state.calls);
        if asked.form == CallForm::Function {
            calls.truncate(1);
        }
        let answer = self.answer(asked, bytes, entry, text, calls, Place { rule: Some(number), reply: at });
        if let Some(kind) = failure {
            return (fail(kind, answer, entry), Some(number));
        }
        state.rules[number].replies += 1;
        (Decision::Say(answer), Some(number))
    }

    /// Whether a rule fails this time.
    fn failing(&self, number: usize, rule: &ModelRule, state: &mut RuleState) -> Option<ModelFailureKind> {
        let failure = rule.failure.as_ref()?;
        if failure.times.is_some_and(|times| state.failures >= times) {
            return None;
        }
        state.draws += 1;
        let fails = failure.rate >= 1.0 || draw(self.seed, number as u64, "", state.draws) < failure.rate;
        state.failures += u32::from(fails);
        fails.then(|| failure.kind.clone())
    }

    fn answer(
        &self,
        asked: &Asked,
        bytes: usize,
        entry: &Entry,
        text: Option<String>,
        calls: Vec<WantedCall>,
        place: Place,
    ) -> Answer {
        let rule = place.rule.map(|number| &self.script.rules[number]);
        let model = asked.model.as_deref().or(self.script.model.as_deref()).unwrap_or(NAMELESS);
        let by_content = if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        let mut answer = Answer {
            number: entry.number,
            created: entry.unix_ms / 1000,
            model: model.to_owned(),
            text,
            calls,
            form: asked.form,
            finish: rule.and_then(|rule| rule.finish).unwrap_or(by_content),
            input_tokens: 0,
            output_tokens: 0,
            choices: asked.choices.max(1),
            include_usage: asked.include_usage,
            pace: rule.map(|rule| rule.pace).unwrap_or_default(),
            conversation: asked.conversation.clone(),
            place: None,
        };
        // Calls have ids that differ each time, and so have conversations.
        answer.place = (answer.calls.is_empty() && answer.conversation.is_none()).then_some(place);
        let usage = rule.and_then(|rule| rule.usage);
        answer.input_tokens = usage.and_then(|usage| usage.input).unwrap_or_else(|| tokens::estimate(bytes));
        answer.output_tokens =
            usage.and_then(|usage| usage.output).unwrap_or_else(|| answer.spoken().saturating_mul(answer.choices));
        answer
    }

    /// Lets a request go on from an earlier answer, if it names one or the conversation it was given in. A conversation that is
    /// not known begins with it: one lives longer than a server of tests.
    pub(super) fn resume(&self, asked: &mut Asked) -> Result<(), Refusal> {
        let state = self.state();
        for reference in &asked.items.references {
            state.refer(reference, &mut asked.earlier);
        }
        let id = asked.previous.as_ref().or(asked.conversation.as_ref()).or(asked.thread.as_ref());
        let Some(id) = id else { return Ok(()) };
        let Some(known) = state.conversations.get(id) else {
            let Some(previous) = &asked.previous else {
                asked.earlier.unknown = true;
                return Ok(());
            };
            let message = format!("Previous response with id '{previous}' not found.");
            return Err(Refusal::of_part("previous_response_id", message).code("previous_response_not_found"));
        };
        asked.earlier.made.extend(known.calls.made.iter().cloned());
        asked.earlier.open.extend(known.calls.open.iter().cloned());
        asked.earlier.unknown |= known.calls.unknown;
        if asked.tools.is_none() {
            asked.tools.clone_from(&known.tools);
        }
        asked.answers = asked.answers.saturating_add(known.answers);
        if asked.user.is_empty() {
            asked.user.clone_from(&known.user);
        }
        Ok(())
    }

    /// Remembers where a conversation stands after so many answers, the last of which asks for these calls.
    pub(super) fn remember(&self, id: String, asked: &Asked, answers: u32, last: &[WantedCall]) {
        let user = asked.user.chars().take(REMEMBERED_TEXT).collect();
        let last: Vec<String> = last.iter().map(|call| call.id.clone()).collect();
        let mut calls = asked.earlier.clone().and(&asked.items);
        calls.made.extend(last.iter().cloned());
        calls.open.extend(last.iter().cloned());
        let conversation = Conversation { user, answers, calls, last, tools: asked.tools.clone() };
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

    /// The calls that an answer asked for, if it is known.
    pub(super) fn last_calls(&self, answer: &str) -> Option<Vec<String>> {
        self.state().conversations.get(answer).map(|known| known.last.clone())
    }

    /// Keeps an answer of the Responses API for whoever asks for it once more.
    pub(super) fn keep(&self, answer: &Answer) {
        let mut state = self.state();
        state.kept.push_back((responses::id(answer), answer.clone()));
        let text = |answer: &Answer| answer.text.as_ref().map_or(0, String::len);
        let mut bytes: usize = state.kept.iter().map(|(_, answer)| text(answer)).sum();
        while state.kept.len() > KEPT || bytes > KEPT_TEXT {
            let Some((_, oldest)) = state.kept.pop_front() else { break };
            bytes -= text(&oldest);
        }
    }

    /// An answer that was kept.
    pub(super) fn kept(&self, id: &str) -> Option<Answer> {
        self.state().kept.iter().find(|(known, _)| known == id).map(|(_, answer)| answer.clone())
    }
}

impl State {
    /// Takes an item that a request refers to for a part of that request. It may be one of a call; one that is not known may be
    /// anything.
    fn refer(&self, reference: &str, earlier: &mut Earlier) {
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

/// What comes of a failure.
fn fail(kind: ModelFailureKind, answer: Answer, entry: &mut Entry) -> Decision {
    let spoilt = match kind {
        ModelFailureKind::Status { status, retry_after, message } => {
            entry.failure = Some("status");
            let message = message.unwrap_or_else(|| format!("status {status} on purpose"));
            return Decision::Refuse(Refusal { retry_after, ..Refusal::new(status, message) }, answer.pace.latency);
        }
        ModelFailureKind::Malformed => Spoilt::Malformed,
        ModelFailureKind::Cut => Spoilt::Cut,
        ModelFailureKind::Hang => Spoilt::Hang,
    };
    entry.failure = Some(spoilt.name());
    Decision::Spoil(spoilt, answer)
}

fn calls(rule: &ModelRule, made: &mut u64) -> Vec<WantedCall> {
    let call = |(name, args): (&String, &Value)| {
        *made += 1;
        WantedCall { id: numbered("call_", *made, 20), name: name.clone(), args: args.clone(), json: args.to_string() }
    };
    rule.tool_calls.iter().map(|call| (&call.name, &call.args)).map(call).collect()
}

#[cfg(test)]
mod tests {
    use agentci_plan::Pace;

    use super::*;

    #[test]
    fn only_so_many_answers_are_kept() {
        let mind = Mind::new(Arc::default(), None, None).unwrap();
        let mut answer = Answer {
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
            pace: Pace::default(),
            conversation: None,
            place: None,
        };
        for number in 1..=KEPT as u64 + 1 {
            answer.number = number;
            mind.keep(&answer);
        }
        let id = |number| numbered("resp_", number, 24);
        assert!(mind.kept(&id(1)).is_none() && mind.kept(&id(2)).is_some());
        answer.text = Some("x".repeat(KEPT_TEXT));
        answer.number = 1000;
        mind.keep(&answer);
        answer.number = 1001;
        mind.keep(&answer);
        assert!(mind.kept(&id(1000)).is_none() && mind.kept(&id(1001)).is_some());
    }

    #[test]
    fn only_so_many_conversations_are_remembered() {
        let mind = Mind::new(Arc::default(), None, None).unwrap();
        let asked = Asked { user: "é".repeat(2 * REMEMBERED_TEXT), ..Asked::default() };
        let empty = Asked::default();
        for number in 0..REMEMBERED + 10 {
            let asked = if number < 10 { &asked } else { &empty };
            mind.remember(number.to_string(), asked, 1, &[]);
            if number == 5 {
                assert_eq!(mind.state().conversations["5"].user.chars().count(), REMEMBERED_TEXT);
            }
        }
        let state = mind.state();
        assert_eq!((state.conversations.len(), state.conversation_order.len()), (REMEMBERED, REMEMBERED));
        assert!(!state.conversations.contains_key("9") && state.conversations.contains_key("10"));
    }
}
