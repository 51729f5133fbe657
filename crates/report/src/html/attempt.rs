//! An attempt at a case, while it runs and when it is over.
//!
//! What the page shows of it is made when it is known that it will be shown: of an attempt that says little the events wait for
//! that, of one that says much the steps are made as they come, so that no more than 192 KB are kept of it.

use agentci_verdict::{Body, CheckStatus, RunEvent};
use serde::Serialize;
use serde_json::Value;

use super::check::Checks;
use super::step::Step;
use super::steps::Steps;
use super::value;

/// How much of the steps of an attempt is kept, in bytes.
const STEPS_LIMIT: usize = 192 * 1024;
/// How many events wait, at most and most often, and how large one of them may be, in bytes.
const WAITING: usize = 48;
const USUAL: usize = 12;
const LARGEST: usize = 1024;

/// An attempt that is running.
#[derive(Debug)]
pub(super) struct Attempt {
    begun: u64,
    /// Its first events, if nothing of them was made into steps yet.
    waiting: Vec<RunEvent>,
    shown: Shown,
    /// Whether steps are made as they come.
    much: bool,
}

/// What is shown of an attempt.
#[derive(Debug, Default, Serialize)]
pub(super) struct Shown {
    pub(super) number: u32,
    pub(super) checks: Checks,
    steps: Steps,
    #[serde(skip)]
    pub(super) held: usize,
    /// What the agent gave, in HTML, unless it passed.
    #[serde(skip)]
    pub(super) output: String,
}

impl Attempt {
    pub(super) fn new(number: u32, begun: u64) -> Self {
        Self { begun, waiting: Vec::with_capacity(USUAL), shown: Shown { number, ..Shown::default() }, much: false }
    }

    pub(super) fn add(&mut self, event: &RunEvent) {
        if !self.much && self.waiting.len() < WAITING && is_small(&event.body) {
            self.waiting.push(event.clone());
            return;
        }
        self.much = true;
        self.take_waiting(true);
        self.shown.add(event, self.begun, true);
    }

    /// What is shown of it; of one that passed nobody wants evidence.
    pub(super) fn into_shown(mut self, passed: bool) -> Shown {
        self.take_waiting(!passed);
        self.shown
    }

    fn take_waiting(&mut self, evidence: bool) {
        self.shown.steps.reserve(self.waiting.len());
        for event in std::mem::take(&mut self.waiting) {
            self.shown.add(&event, self.begun, evidence);
        }
    }
}

impl Shown {
    fn add(&mut self, event: &RunEvent, begun: u64, evidence: bool) {
        match &event.body {
            Body::Check(check) => {
                self.held += usize::from(check.status == CheckStatus::Held);
                self.checks.add(check);
            }
            Body::FinalOutput(given) if evidence => self.output = value::json(&given.output, value::SHORT),
            _ => {}
        }
        if let Some(step) = Step::of(event, begun) {
            self.steps.add(step, STEPS_LIMIT);
        }
    }

    pub(super) fn shorten(&mut self, each: usize, limit: usize) {
        self.steps.shorten(each, limit);
        self.checks.shorten(limit);
    }
}

/// Whether an event takes little room.
fn is_small(body: &Body) -> bool {
    let text = |text: &str| text.len() <= LARGEST;
    let value = |value: &Value| room_beside(value, LARGEST).is_some();
    match body {
        Body::TaskStart(task) => value(&task.input),
        Body::TurnStart(turn) => value(&turn.input),
        Body::Text(said) => text(&said.text),
        Body::ToolCall(call) => text(&call.name) && text(&call.call_id) && value(&call.args),
        Body::ToolResult(given) => {
            text(given.error.as_deref().unwrap_or_default()) && text(&given.call_id) && value(&given.result)
        }
        Body::ModelCall(call) => value(&call.request) && value(&call.response),
        Body::Usage(_) => true,
        Body::FinalOutput(given) => value(&given.output),
        Body::Check(check) => {
            let texts = [Some(&check.name), check.subject.as_ref(), check.message.as_ref()];
            texts.into_iter().flatten().all(|part| text(part)) && check.evidence.is_none()
        }
        _ => false,
    }
}

/// What is left of some room, in bytes, when a value was put there, if it fits.
fn room_beside(value: &Value, room: usize) -> Option<usize> {
    let room = room.checked_sub(16)?;
    match value {
        Value::String(text) => room.checked_sub(text.len()),
        Value::Number(number) => room.checked_sub(number.as_str().len()),
        Value::Array(items) => items.iter().try_fold(room, |room, item| room_beside(item, room)),
        Value::Object(map) => {
            map.iter().try_fold(room, |room, (key, value)| room_beside(value, room.checked_sub(key.len())?))
        }
        _ => Some(room),
    }
}

#[cfg(test)]
mod tests {
    use agentci_trace::Usage;
    use agentci_verdict::{FinalOutput, TextSaid};
    use serde_json::json;

    use super::*;

    fn event(body: Body) -> RunEvent {
        RunEvent { suite: "s".into(), case_id: Some("t".into()), attempt: Some(1), timestamp: 9, body }
    }

    fn said(text: &str) -> RunEvent {
        event(Body::Text(TextSaid { turn: 0, text: text.into() }))
    }

    /// What is shown when every event is made into a step at once.
    fn at_once(events: &[RunEvent]) -> String {
        let mut shown = Shown { number: 1, ..Shown::default() };
        for event in events {
            shown.add(event, 2, true);
        }
        serde_json::to_string(&shown).unwrap()
    }

    #[test]
    fn what_waits_is_shown_as_what_does_not() {
        let large = event(Body::FinalOutput(FinalOutput { output: json!({ "a": "x".repeat(2 * LARGEST) }).into() }));
        let small = event(Body::FinalOutput(FinalOutput { output: json!({ "a": [1, "b"] }).into() }));
        let usage = event(Body::Usage(Usage::default()));
        let few = vec![said("one"), usage.clone(), small.clone()];
        let one_large = vec![said("one"), large, said("two"), usage.clone()];
        let many = vec![usage; 2 * WAITING];
        for events in [few, one_large, many] {
            let mut attempt = Attempt::new(1, 2);
            for event in &events {
                attempt.add(event);
            }
            assert!(attempt.waiting.len() <= WAITING);
            assert_eq!(serde_json::to_string(&attempt.into_shown(false)).unwrap(), at_once(&events));
        }
    }

    #[test]
    fn much_does_not_wait() {
        let mut attempt = Attempt::new(1, 0);
        attempt.add(&said("small"));
        assert_eq!(attempt.waiting.len(), 1);
        attempt.add(&said(&"x".repeat(LARGEST + 1)));
        attempt.add(&said("small"));
        assert!(attempt.waiting.is_empty());
        let nested = json!([[{ "key": "x".repeat(LARGEST / 2) }], { "key": "x".repeat(LARGEST / 2) }]);
        assert!(!is_small(&Body::FinalOutput(FinalOutput { output: nested.into() })));
    }
}
