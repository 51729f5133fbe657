//! Decides how to answer: which rule matches, which of its replies is next, and whether it fails.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hash::Hasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agentci_plan::{Finish, ModelFailureKind, ModelRule, ModelScript, draw};
use agentci_trace::{ModelTrouble, TroubleKind};
use agentci_wire::FetchedSecrets;
use rustc_hash::FxHasher;
use serde_json::Value;

use super::answer::{CallForm, SpokenAnswer, WantedCall};
use super::closest::unmatched;
use super::ids::numbered;
use super::in_process::ScriptIndex;
use super::index::RuleIndex;
use super::journal::{JournalEntry, RequestJournal};
use super::memory::RememberedConversation;
use super::observer::WireObserver;
use super::parsed_request::ParsedRequest;
use super::refusal::ModelRefusal;
use super::request_words::RequestTexts;
use super::sequences::{SequenceProgress, StepMatch};

use super::sent_answers::PendingDelivery;
use super::tokens;

/// The model name if neither the request nor the script has one.
const NAMELESS: &str = "gpt-test";
/// How a request is answered.
#[derive(Debug)]
pub(super) enum Decision {
    /// Send this answer, with a fault if there is one.
    Say(SpokenAnswer, Option<AnswerFault>),
    /// Refuse the request, after this time.
    Refuse(ModelRefusal, Duration),
}

/// A simulated fault of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum AnswerFault {
    /// The answer is not valid JSON.
    Malformed,
    /// The answer breaks off.
    Cut,
    /// No answer is sent.
    Hang,
}

impl AnswerFault {
    pub(super) fn name(self) -> &'static str {
        self.into()
    }
}

/// A scripted model: the script, its index, and the state so far.
#[derive(Debug)]
pub(super) struct RuleEngine {
    pub(super) script: Arc<ModelScript>,
    index: Arc<RuleIndex>,
    seed: u64,
    state: Mutex<State>,
    pub(super) policy: RequestPolicy,
}

/// Settings for requests that are not part of the script.
#[derive(Debug, Default)]
pub(super) struct RequestPolicy {
    /// Whether to refuse what the provider would refuse. Default: the script's setting.
    pub(super) strict: Option<bool>,
    /// The known keys. A request with another key causes a warning; if this is empty, all keys are accepted.
    pub(super) keys: Vec<String>,
    /// Receives other keys, to redact them.
    pub(super) secrets: Option<FetchedSecrets>,
}

/// The state so far.
#[derive(Debug, Default)]
pub(super) struct State {
    rules: Vec<RuleState>,
    defaults: usize,
    requests: u64,
    calls: u64,
    pub(super) journal: RequestJournal,
    pub(super) observer: Option<WireObserver>,
    pub(super) conversations: HashMap<String, RememberedConversation>,
    pub(super) conversation_order: VecDeque<String>,
    /// Answers that can be retrieved again, by id.
    pub(super) kept: VecDeque<(String, SpokenAnswer)>,
    /// Answers that are being sent, by request number.
    pub(super) pending: BTreeMap<u64, PendingDelivery>,
    /// The progress of conversations with steps.
    progress: SequenceProgress,
    /// Digests of requests that failed on purpose and may be retried.
    failed: HashSet<u64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct RuleState {
    /// The number of its replies so far.
    replies: usize,
    /// The number of its random choices so far.
    draws: u32,
    failures: u32,
    /// The number of requests that met its conditions; only counted for rules with `nth`.
    met: u32,
}

impl RuleEngine {
    pub(super) fn new(index: ScriptIndex, seed: Option<u64>, observer: Option<WireObserver>) -> Self {
        let ScriptIndex { script, index } = index;
        let seed = seed.or(script.seed).unwrap_or_default();
        let state = State { rules: vec![RuleState::default(); script.rules.len()], observer, ..State::default() };
        Self { script, index, seed, state: Mutex::new(state), policy: RequestPolicy::default() }
    }

    /// Whether to refuse what the provider would refuse.
    pub(super) fn is_strict(&self) -> bool {
        self.policy.strict.unwrap_or_else(|| self.script.is_strict())
    }

    /// Whether a rule misbehaves on purpose.
    pub(super) fn misbehaves(&self, rule: Option<usize>) -> bool {
        rule.is_some_and(|rule| self.script.rules[rule].misbehaves)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a new request, and returns its number, from 1.
    pub(super) fn begin(&self) -> u64 {
        let mut state = self.state();
        state.requests += 1;
        state.requests
    }

    /// Clears the state.
    pub(super) fn reset(&self) {
        let mut state = self.state();
        let observer = state.observer.take();
        *state = State { rules: vec![RuleState::default(); self.script.rules.len()], observer, ..State::default() };
    }

    /// The models that the script names.
    pub(super) fn models(&self) -> Vec<&str> {
        let of_rules = self.script.rules.iter().filter_map(|rule| rule.when.model.as_deref());
        let mut models: Vec<&str> = self.script.model.as_deref().into_iter().chain(of_rules).collect();
        models.sort_unstable();
        models.dedup();
        if models.is_empty() { vec![NAMELESS] } else { models }
    }

    /// Reads the parts of a request that only some rules need.
    pub(super) fn look_closer(&self, parsed: &mut ParsedRequest, body: &[u8]) {
        if self.index.conditions.looks_closer {
            parsed.spoken = RequestTexts::read(body);
        }
        if !self.index.conditions.counted.is_empty() {
            let mut hasher = FxHasher::default();
            hasher.write(body);
            parsed.body = Some(hasher.finish());
        }
    }

    /// Decides on a request of `bytes` bytes, and returns the rule that answers. `entry` gets the rule's line, or a
    /// miss.
    pub(super) fn decide(
        &self,
        parsed: &ParsedRequest,
        bytes: usize,
        entry: &mut JournalEntry,
    ) -> (Decision, Option<usize>) {
        let state = &mut *self.state();
        self.count(parsed, state);
        let Some((number, failure)) = self.fitting(parsed, state) else {
            if self.script.default.is_empty() {
                let (message, closest) = self.unmatched(parsed, state);
                entry.troubles.push(ModelTrouble::new(TroubleKind::ModelMiss, message.clone()).of_rule(closest));
                let refusal = ModelRefusal::new(400, message).code("no_rule_fits");
                return (Decision::Refuse(refusal, Duration::ZERO), None);
            }
            let reply = state.defaults % self.script.default.len();
            let text = self.script.default[reply].clone();
            state.defaults += 1;
            return (Decision::Say(self.answer(parsed, bytes, entry, Some(text), Vec::new(), None), None), None);
        };
        let rule = &self.script.rules[number];
        entry.rule = Some(rule.span.line);
        let at = state.rules[number].replies.min(rule.replies.len().saturating_sub(1));
        let text = rule.replies.get(at).cloned();
        let mut calls = calls(rule, &mut state.calls);
        if parsed.form == CallForm::Function {
            calls.truncate(1);
        }
        let answer = self.answer(parsed, bytes, entry, text, calls, Some(rule));
        if let Some(kind) = failure {
            state.failed.extend(parsed.body);
            return (fail(kind, answer, entry), Some(number));
        }
        state.rules[number].replies += 1;
        self.index.sequences.said(number, parsed, &answer, &mut state.progress);
        (Decision::Say(answer, None), Some(number))
    }

    /// The rule that answers, and its failure, if it fails this time. After a step that only fails, the next step
    /// answers.
    fn fitting(&self, parsed: &ParsedRequest, state: &mut State) -> Option<(usize, Option<ModelFailureKind>)> {
        let steps: Vec<usize> = match self.steps(parsed, state) {
            StepMatch::Next(steps) => steps.collect(),
            StepMatch::Over(_) | StepMatch::Nothing => Vec::new(),
        };
        let mut failure = None;
        let fitting = self.index.first(parsed, &steps, |number| {
            let (rule, state) = (&self.script.rules[number], &mut state.rules[number]);
            if rule.when.nth.is_some_and(|nth| nth != state.met) {
                return false;
            }
            failure = self.failing(number, rule, state);
            failure.is_some() || rule.has_answer()
        })?;
        Some((fitting, failure))
    }

    fn steps(&self, parsed: &ParsedRequest, state: &State) -> StepMatch {
        let begins = |rule: usize| {
            let nth = self.script.rules[rule].when.nth;
            self.index.conditions.fit(rule, parsed) && nth.is_none_or(|nth| nth == state.rules[rule].met)
        };
        self.index.sequences.find(parsed, &state.progress, begins)
    }

    /// Counts a request for rules with `nth`. A retry after a simulated failure is not counted again.
    fn count(&self, parsed: &ParsedRequest, state: &mut State) {
        if parsed.body.is_some_and(|body| state.failed.remove(&body)) {
            return;
        }
        for number in self.index.conditions.counting(parsed) {
            state.rules[number].met = state.rules[number].met.saturating_add(1);
        }
    }

    /// The message for a request that no rule matches, and the closest rule.
    fn unmatched(&self, parsed: &ParsedRequest, state: &State) -> (String, Option<usize>) {
        let over = match self.steps(parsed, state) {
            StepMatch::Over(first) => Some(first),
            StepMatch::Next(_) | StepMatch::Nothing => None,
        };
        let met = |rule: usize| state.rules[rule].met;
        unmatched(&self.script.rules, parsed, over, met)
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
        parsed: &ParsedRequest,
        bytes: usize,
        entry: &JournalEntry,
        text: Option<String>,
        calls: Vec<WantedCall>,
        rule: Option<&ModelRule>,
    ) -> SpokenAnswer {
        let model = parsed.model.as_deref().or(self.script.model.as_deref()).unwrap_or(NAMELESS);
        let by_content = if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        let mut answer = SpokenAnswer {
            number: entry.number,
            created: entry.unix_ms / 1000,
            model: model.to_owned(),
            text,
            calls,
            form: parsed.form,
            finish: rule.and_then(|rule| rule.finish).unwrap_or(by_content),
            input_tokens: 0,
            output_tokens: 0,
            choices: parsed.choices.max(1),
            include_usage: parsed.include_usage,
            pace: rule.map(|rule| rule.pace).unwrap_or_default(),
            conversation: parsed.conversation.clone(),
        };
        let usage = rule.and_then(|rule| rule.usage);
        answer.input_tokens = usage.and_then(|usage| usage.input).unwrap_or_else(|| tokens::estimate(bytes));
        answer.output_tokens =
            usage.and_then(|usage| usage.output).unwrap_or_else(|| answer.spoken().saturating_mul(answer.choices));
        answer
    }
}

/// Turns an answer into a failure.
fn fail(kind: ModelFailureKind, answer: SpokenAnswer, entry: &mut JournalEntry) -> Decision {
    let spoilt = match kind {
        ModelFailureKind::Status { status, retry_after, message } => {
            entry.failure = Some("status");
            let message = message.unwrap_or_else(|| format!("status {status} on purpose"));
            return Decision::Refuse(
                ModelRefusal { retry_after, ..ModelRefusal::new(status, message) },
                answer.pace.latency,
            );
        }
        ModelFailureKind::Malformed => AnswerFault::Malformed,
        ModelFailureKind::Cut => AnswerFault::Cut,
        ModelFailureKind::Hang => AnswerFault::Hang,
    };
    entry.failure = Some(spoilt.name());
    Decision::Say(answer, Some(spoilt))
}

fn calls(rule: &ModelRule, made: &mut u64) -> Vec<WantedCall> {
    let call = |(name, args): (&String, &Value)| {
        *made += 1;
        WantedCall { id: numbered("call_", *made, 20), name: name.clone(), args: args.clone(), json: args.to_string() }
    };
    rule.tool_calls.iter().map(|call| (&call.name, &call.args)).map(call).collect()
}
