//! Paced answers are reported when they have been sent: a client that disconnects early got only a part of the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use super::rule_engine::{RuleEngine, State};
use super::{answer::SpokenAnswer, delivery::whole, parsed_request::GivenResult, routes::ModelRoute, tokens::tokens};
use agentci_wire::serve::SendProgress;

/// An answer that is being sent.
#[derive(Debug)]
pub(super) struct PendingDelivery {
    request: Value,
    route: ModelRoute,
    answer: SpokenAnswer,
    /// The number of tokens sent so far.
    said: Arc<AtomicU32>,
}

impl PendingDelivery {
    /// Whether it may have requested the call of a result by name: the result has no id, or the answer was sent
    /// completely.
    fn has_call_of(&self, result: &GivenResult) -> bool {
        let Some(function) = &result.function else { return false };
        let may_be = result.call_id.is_empty() || self.said.load(Ordering::Relaxed) >= self.answer.spoken();
        may_be && self.answer.calls.iter().any(|call| call.name == function.name)
    }
}

/// Reports an answer when dropped, unless it has been reported already.
#[derive(Debug)]
pub(super) struct DeliveryReport {
    engine: Arc<RuleEngine>,
    number: u64,
    said: Arc<AtomicU32>,
}

impl DeliveryReport {
    /// Registers an answer that is about to be sent.
    pub(super) fn begin(
        engine: &Arc<RuleEngine>,
        state: &mut State,
        number: u64,
        route: ModelRoute,
        request: Value,
        answer: &SpokenAnswer,
    ) -> Self {
        let said = Arc::new(AtomicU32::new(0));
        let pending = PendingDelivery { request, route, answer: answer.clone(), said: Arc::clone(&said) };
        state.pending.insert(number, pending);
        Self { engine: Arc::clone(engine), number, said }
    }
}

impl SendProgress for DeliveryReport {
    fn said(&self, tokens: u32) {
        self.said.store(tokens, Ordering::Relaxed);
    }
}

impl Drop for DeliveryReport {
    fn drop(&mut self) {
        self.engine.state().tell(self.number);
    }
}

impl RuleEngine {
    /// Reports all answers that are being sent, as far as they were sent.
    pub(super) fn tell_pending(&self) {
        let mut state = self.state();
        while let Some(number) = state.pending.keys().next().copied() {
            state.tell(number);
        }
    }
}

impl State {
    /// Reports an answer as far as it was sent, unless it has been reported already.
    fn tell(&mut self, number: u64) {
        let Some(PendingDelivery { request, route, answer, said }) = self.pending.remove(&number) else { return };
        let Some(observer) = &mut self.observer else { return };
        let sent = beginning(answer, said.load(Ordering::Relaxed));
        observer.answer(request, whole(route, &sent), &sent);
    }

    /// Reports the answers that requested the calls of these results: a client with results has read the calls.
    pub(super) fn tell_asked(&mut self, results: &[GivenResult]) {
        if self.pending.is_empty() {
            return;
        }
        let of = |result: &GivenResult| {
            let by_name = || self.pending.iter().find(|(_, pending)| pending.has_call_of(result));
            let has_id = |answer: &SpokenAnswer| answer.calls.iter().any(|call| call.id == result.call_id);
            let by_id = self.pending.iter().find(|(_, pending)| has_id(&pending.answer));
            by_id.or_else(by_name).map(|(number, _)| *number)
        };
        let found: Vec<u64> = results.iter().filter_map(of).collect();
        for number in found {
            self.tell(number);
        }
    }
}

/// The part of an answer in its first `said` tokens: the text so far, and the calls with complete arguments.
fn beginning(mut answer: SpokenAnswer, said: u32) -> SpokenAnswer {
    if said >= answer.spoken() {
        return answer;
    }
    let mut left = said;
    if let Some(text) = &mut answer.text {
        let count = super::tokens::count(text);
        if left < count {
            *text = tokens(text).take(left as usize).collect();
        }
        left = left.saturating_sub(count);
    }
    let mut whole = 0;
    for call in &answer.calls {
        let count = super::tokens::count(&call.json);
        if left < count {
            break;
        }
        left -= count;
        whole += 1;
    }
    answer.calls.truncate(whole);
    answer.output_tokens = answer.output_tokens.min(said);
    answer
}
