//! Converts trace events to run events: the only place where the agent's actions leave the runner.

use std::sync::Arc;

use agentci_plan::Target;
use agentci_trace::{Event, EventKind, Observer, Trace};
use agentci_verdict::{
    Body, CallLife, FinalOutput, LogLine, ModelCallMade, TaskError, TaskStart, TextSaid, ToolCallMade, ToolResultGiven,
    TurnStart, TurnTimes,
};
use serde_json::Value;

use crate::fingerprint::STEPS;

fn note(level: &str, message: String, data: Option<Arc<Value>>) -> Body {
    Body::Log(LogLine { level: level.to_owned(), message, data })
}

/// The observer of an event, unless it is the protocol: what an agent reports itself needs no source.
fn observer(observer: Observer) -> Option<String> {
    (observer != Observer::Protocol).then(|| observer.name().to_owned())
}

/// The observed lives of an attempt's calls, if observers other than the protocol reported any.
pub(crate) fn lives(trace: &Trace) -> Vec<CallLife> {
    if trace.is_protocol_alone() {
        return Vec::new();
    }
    let calls = trace.asked_calls();
    if calls.iter().all(|call| call.observers().all(|observer| observer == Observer::Protocol)) {
        return Vec::new();
    }
    let mut lives: Vec<(usize, CallLife)> = Vec::new();
    for call in calls.iter().filter(|call| call.part_of.is_none()).take(STEPS) {
        let seen = [
            ("requested", call.was_requested()),
            ("executed", call.was_executed),
            ("answered", call.was_answered),
            ("refused", call.refused().is_some()),
            ("unobserved", call.is_unobserved),
        ];
        let life = CallLife {
            tool: call.call.name.clone(),
            turn: call.turn,
            seen: seen.iter().filter(|(_, is)| *is).map(|(word, _)| (*word).to_owned()).collect(),
            observers: call.observers().map(|observer| observer.name().to_owned()).collect(),
            counts: call.counts,
            parts: Vec::new(),
        };
        lives.push((call.number, life));
    }
    for call in &calls {
        let Some(of) = call.part_of else { continue };
        if let Some((_, life)) = lives.iter_mut().find(|(number, _)| *number == of) {
            life.parts.push(call.call.name.clone());
        }
    }
    lives.into_iter().map(|(_, life)| life).collect()
}

/// Whether a target uses a conversation protocol, whose turns are reported one by one, including the first.
pub(crate) fn tells_turns(target: &Target) -> bool {
    matches!(target, Target::Agui(_) | Target::A2a(_) | Target::Mcp(_))
}

/// The start and end of each turn.
pub(crate) fn turns(trace: &Trace) -> Vec<TurnTimes> {
    let mut turns: Vec<TurnTimes> = Vec::new();
    let mut done = false;
    for event in trace.events() {
        let at = event.at.unix_ms;
        match (&event.kind, turns.last_mut()) {
            (EventKind::TurnStart(_), _) => {
                turns.push(TurnTimes { turn: event.turn, turn_start_ts: at, turn_end_ts: at });
                done = false;
            }
            (kind, Some(turn)) if !done && event.turn == turn.turn => {
                turn.turn_end_ts = turn.turn_end_ts.max(at);
                done = *kind == EventKind::TurnEnd;
            }
            _ => {}
        }
    }
    turns
}

/// The turn event of the first turn, in addition to the task that it starts.
pub(crate) fn first_turn(event: &Event) -> Option<Body> {
    match &event.kind {
        EventKind::TurnStart(input) if event.turn == 0 => {
            Some(Body::TurnStart(TurnStart { turn: 0, input: Arc::clone(input) }))
        }
        _ => None,
    }
}

/// The run event for a trace event; `None` if only the trace needs it.
pub(crate) fn translate(event: &Event, case_id: &Arc<str>) -> Option<Body> {
    let turn = event.turn;
    Some(match &event.kind {
        EventKind::TurnStart(input) if turn == 0 => {
            Body::TaskStart(TaskStart { task_id: Arc::clone(case_id), input: Arc::clone(input), definition: None })
        }
        EventKind::TurnStart(input) => Body::TurnStart(TurnStart { turn, input: Arc::clone(input) }),
        EventKind::Text(text) => Body::Text(TextSaid { turn, text: text.clone() }),
        EventKind::Reasoning(text) => note("reasoning", text.clone(), None),
        EventKind::State(state) => note("state", "the agent's state".into(), Some(Arc::clone(state))),
        EventKind::Violation(message) => note("violation", message.clone(), None),
        EventKind::ToolCall(call) => Body::ToolCall(ToolCallMade {
            turn,
            name: call.name.clone(),
            call_id: call.call_id.clone(),
            args: Arc::clone(&call.args),
            observer: observer(call.observer),
        }),
        EventKind::ToolResult(result) => Body::ToolResult(ToolResultGiven {
            turn,
            call_id: result.call_id.clone(),
            ok: result.ok,
            result: Arc::clone(&result.result),
            error: result.error.clone(),
            fault: result.fault.clone(),
            observer: observer(result.observer),
            refused: result.refused.clone(),
            recognised: result.recognised.clone(),
        }),
        EventKind::ModelCall { request, response } => {
            Body::ModelCall(ModelCallMade { turn, request: Arc::clone(request), response: Arc::clone(response) })
        }
        EventKind::ModelTrouble(trouble) => note(trouble.kind.name(), trouble.message.clone(), None),
        EventKind::Usage(usage) => Body::Usage(*usage),
        EventKind::Log { level, message, data } => {
            Body::Log(LogLine { level: level.clone(), message: message.clone(), data: data.clone() })
        }
        EventKind::AgentError { message, data } => {
            Body::TaskError(TaskError { message: message.clone(), data: data.clone() })
        }
        EventKind::FinalOutput(output) => Body::FinalOutput(FinalOutput { output: Arc::clone(output) }),
        EventKind::TextTakenBack
        | EventKind::Beside(_)
        | EventKind::Finish(_)
        | EventKind::Miss { .. }
        | EventKind::TurnEnd => return None,
    })
}
