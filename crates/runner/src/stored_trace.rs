//! Stores what the lines of a trace's events do not contain, and rebuilds the trace of a stored attempt.
//!
//! Most events of a trace have a line of their own, made by [`translate`](crate::translate). The `trace_end` of the
//! attempt lists all events in order with their kind, turn and time, and contains those without a line.

use std::sync::Arc;

use agentci_trace::{
    Event, EventKind, ModelTrouble, Moment, Observer, ToolCall, ToolResult, Trace, TroubleKind, Usage,
};
use agentci_verdict::{Body, RunEvent, TraceEnd, TraceKind, TraceMark};
use serde_json::{Value, json};

/// What checks need of a trace beyond the lines of its events.
pub(crate) fn trace_end(trace: &Trace, judged: Vec<usize>) -> TraceEnd {
    TraceEnd { events: trace.events().iter().map(mark).collect(), judged }
}

fn mark(event: &Event) -> TraceMark {
    let (kind, data) = match &event.kind {
        EventKind::TurnStart(_) => (TraceKind::TurnStart, None),
        EventKind::Text(_) => (TraceKind::Text, None),
        EventKind::TextTakenBack => (TraceKind::TextTakenBack, None),
        EventKind::Reasoning(_) => (TraceKind::Reasoning, None),
        EventKind::State(_) => (TraceKind::State, None),
        EventKind::Violation(_) => (TraceKind::Violation, None),
        EventKind::ToolCall(_) => (TraceKind::ToolCall, None),
        EventKind::ToolResult(_) => (TraceKind::ToolResult, None),
        EventKind::ModelCall { .. } => (TraceKind::ModelCall, None),
        EventKind::ModelTrouble(trouble) => (TraceKind::ModelTrouble, Some(json!([trouble.rule, trouble.warning]))),
        EventKind::Usage(_) => (TraceKind::Usage, None),
        EventKind::Log { .. } => (TraceKind::Log, None),
        EventKind::AgentError { .. } => (TraceKind::TaskError, None),
        EventKind::FinalOutput(_) => (TraceKind::FinalOutput, None),
        EventKind::Beside(value) => (TraceKind::Beside, Some(Value::clone(value))),
        EventKind::Finish(reason) => (TraceKind::Finish, Some(json!(reason))),
        EventKind::Miss { tool, message } => (TraceKind::Miss, Some(json!([tool, message]))),
        EventKind::TurnEnd => (TraceKind::TurnEnd, None),
    };
    let begun = if let EventKind::ToolCall(call) = &event.kind { call.begun } else { None };
    TraceMark {
        kind,
        turn: event.turn,
        us: event.at.offset_us,
        begun_us: begun.map(|begun| begun.offset_us),
        data: data.map(Arc::new),
    }
}

/// Rebuilds the trace of a stored attempt from its lines; `None` if they do not belong together.
pub(crate) fn rebuild<'l>(end: &TraceEnd, lines: impl Iterator<Item = &'l RunEvent> + Clone) -> Option<Trace> {
    let lines = lines.filter(|line| is_of_trace(&line.body));
    let told = end.events.iter().filter(|mark| mark.kind.has_line()).count();
    let before = lines.clone().count().checked_sub(told)?;
    // The runner itself logs that a try failed, before the next one begins.
    if !lines.clone().take(before).all(|line| matches!(line.body, Body::Log(_))) {
        return None;
    }
    let mut lines = lines.skip(before);
    let mut trace = Trace::default();
    let mut unix_ms = 0;
    for mark in &end.events {
        let kind = match mark.kind {
            TraceKind::TextTakenBack => EventKind::TextTakenBack,
            TraceKind::TurnEnd => EventKind::TurnEnd,
            TraceKind::Beside => EventKind::Beside(mark.data.clone()?),
            TraceKind::Finish => EventKind::Finish(mark.data.as_ref()?.as_str()?.to_owned()),
            TraceKind::Miss => miss(mark.data.as_deref()?)?,
            _ => {
                let line = lines.next()?;
                unix_ms = line.timestamp;
                of_line(mark, &line.body, unix_ms)?
            }
        };
        trace.push(Event { at: Moment { unix_ms, offset_us: mark.us }, turn: mark.turn, kind });
    }
    Some(trace)
}

/// Whether a line is about an event of the trace. The first turn has two lines in some protocols.
fn is_of_trace(body: &Body) -> bool {
    match body {
        Body::TurnStart(start) => start.turn > 0,
        Body::TaskStart(_)
        | Body::Text(_)
        | Body::ToolCall(_)
        | Body::ToolResult(_)
        | Body::ModelCall(_)
        | Body::Usage(_)
        | Body::Log(_)
        | Body::TaskError(_)
        | Body::FinalOutput(_) => true,
        Body::RunStart(_)
        | Body::TraceEnd(_)
        | Body::Check(_)
        | Body::CaseEnd(_)
        | Body::Stability(_)
        | Body::Gates(_)
        | Body::RunEnd(_) => false,
    }
}

fn miss(data: &Value) -> Option<EventKind> {
    Some(EventKind::Miss { tool: data[0].as_str()?.to_owned(), message: data[1].as_str()?.to_owned() })
}

/// The event of a mark and its line; `None` if they are of different kinds.
fn of_line(mark: &TraceMark, body: &Body, unix_ms: u64) -> Option<EventKind> {
    Some(match (mark.kind, body) {
        (TraceKind::TurnStart, Body::TaskStart(start)) => EventKind::TurnStart(Arc::clone(&start.input)),
        (TraceKind::TurnStart, Body::TurnStart(start)) => EventKind::TurnStart(Arc::clone(&start.input)),
        (TraceKind::Text, Body::Text(said)) => EventKind::Text(said.text.clone()),
        (TraceKind::Reasoning, Body::Log(log)) => EventKind::Reasoning(log.message.clone()),
        (TraceKind::State, Body::Log(log)) => EventKind::State(log.data.clone()?),
        (TraceKind::Violation, Body::Log(log)) => EventKind::Violation(log.message.clone()),
        (TraceKind::ModelTrouble, Body::Log(log)) => EventKind::ModelTrouble(ModelTrouble {
            kind: TroubleKind::read(&log.level)?,
            message: log.message.clone(),
            rule: mark.data.as_ref()?[0].as_u64().and_then(|rule| usize::try_from(rule).ok()),
            warning: mark.data.as_ref()?[1].as_bool()?,
        }),
        (TraceKind::Log, Body::Log(log)) => {
            EventKind::Log { level: log.level.clone(), message: log.message.clone(), data: log.data.clone() }
        }
        (TraceKind::ToolCall, Body::ToolCall(call)) => EventKind::ToolCall(ToolCall {
            call_id: call.call_id.clone(),
            name: call.name.clone(),
            args: Arc::clone(&call.args),
            observer: observer(call.observer.as_deref())?,
            begun: mark.begun_us.map(|offset_us| Moment {
                unix_ms: unix_ms.saturating_sub(mark.us.saturating_sub(offset_us) / 1000),
                offset_us,
            }),
        }),
        (TraceKind::ToolResult, Body::ToolResult(given)) => EventKind::ToolResult(ToolResult {
            call_id: given.call_id.clone(),
            ok: given.ok,
            result: Arc::clone(&given.result),
            error: given.error.clone(),
            fault: given.fault.clone(),
            observer: observer(given.observer.as_deref())?,
            refused: given.refused.clone(),
            recognised: given.recognised.clone(),
        }),
        (TraceKind::ModelCall, Body::ModelCall(call)) => {
            EventKind::ModelCall { request: Arc::clone(&call.request), response: Arc::clone(&call.response) }
        }
        (TraceKind::Usage, Body::Usage(usage)) => EventKind::Usage(Usage::clone(usage)),
        (TraceKind::TaskError, Body::TaskError(error)) => {
            EventKind::AgentError { message: error.message.clone(), data: error.data.clone() }
        }
        (TraceKind::FinalOutput, Body::FinalOutput(given)) => EventKind::FinalOutput(Arc::clone(&given.output)),
        _ => return None,
    })
}

fn observer(name: Option<&str>) -> Option<Observer> {
    name.map_or(Some(Observer::Protocol), Observer::read)
}

#[cfg(test)]
mod tests {
    use agentci_verdict::RunEvent;

    use super::*;
    use crate::translate::translate;

    fn all_kinds() -> Vec<EventKind> {
        let value = |text: &str| Arc::new(json!({ "a": text }));
        let call = ToolCall {
            begun: Some(Moment { unix_ms: 999, offset_us: 1_000 }),
            ..ToolCall::new("1", "pay", json!({}), Observer::Stub)
        };
        let result =
            ToolResult { fault: Some("cut".into()), ..ToolResult::new("1", Err("no".into()), Observer::ModelWire) };
        vec![
            EventKind::TurnStart(value("q")),
            EventKind::Text("t".into()),
            EventKind::TextTakenBack,
            EventKind::Reasoning("r".into()),
            EventKind::State(value("s")),
            EventKind::Violation("v".into()),
            EventKind::ToolCall(call),
            EventKind::ToolResult(result),
            EventKind::ModelCall { request: value("m"), response: value("n") },
            EventKind::ModelTrouble(ModelTrouble::warning(TroubleKind::ModelMiss, "x").of_rule(Some(2))),
            EventKind::Usage(Usage { tokens_in: Some(1), ..Usage::default() }),
            EventKind::Log { level: "reasoning".into(), message: "l".into(), data: None },
            EventKind::AgentError { message: "e".into(), data: Some(value("d")) },
            EventKind::Beside(value("b")),
            EventKind::Finish("stop".into()),
            EventKind::Miss { tool: "pay".into(), message: "none".into() },
            EventKind::FinalOutput(value("o")),
            EventKind::TurnEnd,
        ]
    }

    fn stored(trace: &Trace) -> Vec<RunEvent> {
        let id: Arc<str> = "c".into();
        let line = |event: &Event| {
            let body = translate(event, &id)?;
            let (case_id, timestamp) = (Some(Arc::clone(&id)), event.at.unix_ms);
            Some(RunEvent { suite: "s".into(), case_id, attempt: Some(1), timestamp, body })
        };
        trace.events().iter().filter_map(line).collect()
    }

    #[test]
    fn stored_trace_equals_the_trace() {
        let mut trace = Trace::default();
        for turn in 0..2 {
            for (kind, number) in all_kinds().into_iter().zip(2..) {
                // Events without a line have the time of the line before.
                trace.push(Event { at: Moment { unix_ms: 1_000, offset_us: number * 1_000 }, turn, kind });
            }
        }
        let lines = stored(&trace);
        let end = trace_end(&trace, vec![18]);
        let text = serde_json::to_string(&end).unwrap();
        let rebuilt = rebuild(&serde_json::from_str(&text).unwrap(), lines.iter()).unwrap();
        assert_eq!(rebuilt.events().len(), trace.events().len());
        for (own, other) in trace.events().iter().zip(rebuilt.events()) {
            assert_eq!((own.turn, own.at.offset_us), (other.turn, other.at.offset_us));
            match (&own.kind, &other.kind) {
                (EventKind::ToolCall(own), EventKind::ToolCall(other)) => {
                    assert_eq!(own.begun.map(|at| at.offset_us), other.begun.map(|at| at.offset_us));
                    assert_eq!((&own.name, &own.args, own.observer), (&other.name, &other.args, other.observer));
                }
                (own, other) => assert_eq!(own, other),
            }
        }
    }

    #[test]
    fn lines_that_were_edited_are_not_a_trace() {
        let mut trace = Trace::default();
        for kind in all_kinds() {
            trace.push(Event { at: Moment::default(), turn: 0, kind });
        }
        let (end, lines) = (trace_end(&trace, Vec::new()), stored(&trace));
        for missing in 0..lines.len() {
            let mut fewer = lines.clone();
            fewer.remove(missing);
            assert_eq!(rebuild(&end, fewer.iter()), None, "without line {missing}");
        }
        assert_eq!(rebuild(&end, [lines.clone(), lines].concat().iter()), None);
    }
}
