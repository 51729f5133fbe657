//! Turns a trace into steps.

use agentci_trace::{EventKind, Trace, TracedCall};
use serde_json::Value;

use crate::batches::{CallSpan, batches, in_canonical_order};
use crate::model_steps::model_steps;
use crate::{PartKind, StepKind, TrajectoryStep};

/// The state of a call that its model requested and the agent answered, but that was not seen to run.
pub(crate) const ONLY_ANSWERED: &str = "answered, not seen to run";
/// The state of an exchange with a stub during a call.
pub(crate) const PART_OF_CALL: &str = "during a call";

/// The steps of an attempt, each batch in a fixed order.
pub(crate) fn steps_of(input: Option<&Value>, trace: &Trace) -> Vec<TrajectoryStep> {
    let mut steps: Vec<(u64, TrajectoryStep)> = Vec::new();
    let has_first_turn =
        trace.events().iter().any(|event| matches!(&event.kind, EventKind::TurnStart(_)) && event.turn == 0);
    if let Some(input) = input.filter(|_| !has_first_turn) {
        steps.push((0, TrajectoryStep::new(StepKind::Turn, "1").with(PartKind::Input, input.clone())));
    }
    let mut text: Option<(u64, String)> = None;
    for event in trace.events() {
        let order = event.at.offset_us + 1;
        if let EventKind::Text(said) = &event.kind {
            text.get_or_insert_with(|| (order, String::new())).1 += said;
            continue;
        }
        let step = match &event.kind {
            EventKind::TurnStart(input) => TrajectoryStep::new(StepKind::Turn, (u64::from(event.turn) + 1).to_string())
                .with(PartKind::Input, Value::clone(input)),
            EventKind::FinalOutput(output) => {
                TrajectoryStep::new(StepKind::Output, "").with(PartKind::Result, Value::clone(output))
            }
            EventKind::AgentError { message, data } => {
                let step = TrajectoryStep::new(StepKind::Error, "").with(PartKind::Error, message.as_str().into());
                match data {
                    Some(data) => step.with(PartKind::Result, Value::clone(data)),
                    None => step,
                }
            }
            // Text of an agent is streamed in pieces, also between the events of a call.
            EventKind::ToolCall(_) | EventKind::ToolResult(_) | EventKind::ModelCall { .. } => {
                steps.extend(text.take().map(said));
                continue;
            }
            _ => continue,
        };
        steps.extend(text.take().map(said));
        steps.push((order, step));
    }
    steps.extend(text.take().map(said));
    steps.extend(model_steps(trace));
    steps.extend(calls(trace));
    steps.sort_by_key(|(order, _)| *order);
    in_canonical_order(steps.into_iter().map(|(_, step)| step).collect())
}

fn said((order, text): (u64, String)) -> (u64, TrajectoryStep) {
    (order, TrajectoryStep::new(StepKind::Text, "").with(PartKind::Answer, text.into()))
}

/// The calls with the position of their observation.
fn calls(trace: &Trace) -> Vec<(u64, TrajectoryStep)> {
    let calls = trace.asked_calls();
    let order_of = |call: &agentci_trace::ToolCall| {
        let is = |kind: &EventKind| matches!(kind, EventKind::ToolCall(other) if std::ptr::eq(other, call));
        trace.events().iter().position(|event| is(&event.kind))
    };
    let answers = |order: usize| {
        trace.events()[..order].iter().filter(|event| matches!(event.kind, EventKind::ModelCall { .. })).count()
    };
    let spans: Vec<CallSpan> = calls
        .iter()
        .map(|call| {
            let own = usize::try_from(call.at.offset_us).unwrap_or(usize::MAX);
            let requested = call.request.and_then(order_of);
            CallSpan {
                start: requested.map_or(own, |requested| requested.min(own)),
                end: call.answered.map(|at| usize::try_from(at.offset_us).unwrap_or(usize::MAX)),
                answer: requested.map(answers),
                part_of: call.part_of,
            }
        })
        .collect();
    let batches = batches(&spans);
    calls
        .iter()
        .zip(batches)
        .map(|(call, batch)| (call.at.offset_us + 1, TrajectoryStep { batch, ..call_step(call) }))
        .collect()
}

fn call_step(call: &TracedCall<'_>) -> TrajectoryStep {
    let mut step =
        TrajectoryStep::new(StepKind::Call, &call.call.name).with(PartKind::Arguments, Value::clone(&call.call.args));
    step.ms = call.answered.map(|answered| answered.unix_ms.saturating_sub(call.at.unix_ms));
    if let Some(state) = state(call) {
        step = step.with(PartKind::State, state.into());
    }
    let Some(result) = call.result else { return step };
    if let Some(error) = &result.error {
        step = step.with(PartKind::Error, error.as_str().into());
    } else if !result.ok {
        step = step.with(PartKind::Error, Value::Bool(true));
    }
    if result.ok || !result.result.is_null() {
        step = step.with(PartKind::Result, Value::clone(&result.result));
    }
    step
}

fn state(call: &TracedCall<'_>) -> Option<&'static str> {
    if call.part_of.is_some() {
        return Some(PART_OF_CALL);
    }
    if call.refused().is_some() {
        return Some("refused");
    }
    match (call.counts, call.is_unobserved) {
        (true, _) => (call.was_requested() && !call.was_executed).then_some(ONLY_ANSWERED),
        (false, true) => Some("requested, outcome not observed"),
        (false, false) => Some("requested, not made"),
    }
}
