//! Reads the trajectories of a run from its events.

use std::collections::HashMap;
use std::sync::Arc;

use agentci_trace::{Event, EventKind, Moment, Observer, ToolCall, ToolResult, Trace};
use agentci_verdict::{Body, CaseEnd, CaseStatus, Rows, RunEvent, STEPS_RULE};
use serde_json::Value;

use crate::steps::steps_of;
use crate::{CaseTrajectories, RunKind, RunTrajectories, Trajectory};

/// Collects the events of a run. Traces are turned into steps as soon as their attempt ends.
#[derive(Debug, Default)]
pub struct RunReader {
    run: RunTrajectories,
    mode: String,
    any: bool,
    open: HashMap<(Arc<str>, u32), UnendedAttempt>,
    /// The number of attempts that were opened, which orders those that did not end.
    opened: usize,
    /// Ended attempts by the position of their case.
    cases: std::collections::BTreeMap<usize, CaseTrajectories>,
    rows: Rows,
}

/// An attempt that has not ended.
#[derive(Debug, Default)]
struct UnendedAttempt {
    number: usize,
    input: Option<Arc<Value>>,
    trace: Trace,
    events: u64,
}

impl RunReader {
    pub fn add(&mut self, event: RunEvent) {
        self.any = true;
        let (from, to) = &mut self.run.time;
        *from = if *from == 0 { event.timestamp } else { (*from).min(event.timestamp) };
        *to = (*to).max(event.timestamp);
        if self.run.suite.is_empty() {
            self.run.suite = event.suite.to_string();
        }
        self.rows.add(&event);
        match event.body {
            Body::RunStart(start) => self.mode = start.mode,
            Body::RunEnd(end) => self.run.ended = !end.interrupted,
            Body::Gates(_) | Body::Stability(_) | Body::Check(_) => {}
            body => {
                let (Some(id), Some(attempt)) = (event.case_id, event.attempt) else { return };
                match body {
                    Body::CaseEnd(end) => self.end(&id, attempt, &end),
                    body => self.of_attempt(id, attempt, event.timestamp, body),
                }
            }
        }
    }

    /// Whether there was any event.
    pub fn is_empty(&self) -> bool {
        !self.any
    }

    /// Whether tools were replayed, recorded or live.
    pub fn mode(&self) -> &str {
        &self.mode
    }

    /// The trajectories, and the results of the cases.
    pub fn finish(mut self) -> (RunTrajectories, Rows) {
        let mut open: Vec<_> = self.open.drain().collect();
        open.sort_by_key(|(_, attempt)| attempt.number);
        let mut cases: Vec<CaseTrajectories> = self.cases.into_values().collect();
        for ((id, number), attempt) in open {
            let trajectory = Trajectory { number, steps: attempt.steps(), ..Trajectory::default() };
            let known = cases.iter().position(|case| *case.id == *id);
            let at = known.unwrap_or_else(|| {
                cases.push(CaseTrajectories { id: id.to_string(), ..CaseTrajectories::default() });
                cases.len() - 1
            });
            let case = &mut cases[at];
            case.runs += 1;
            case.attempts.push(trajectory);
        }
        (RunTrajectories { kind: RunKind::Run, cases, steps_rule: STEPS_RULE, ..self.run }, self.rows)
    }

    fn of_attempt(&mut self, id: Arc<str>, number: u32, timestamp: u64, body: Body) {
        let opened = self.opened;
        let attempt = self.open.entry((id, number)).or_insert_with(|| {
            self.opened += 1;
            UnendedAttempt { number: opened, ..UnendedAttempt::default() }
        });
        attempt.add(timestamp, body);
    }

    fn end(&mut self, id: &Arc<str>, number: u32, end: &CaseEnd) {
        let attempt = self.open.remove(&(Arc::clone(id), number)).unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "no attempt takes that long")]
        let wall_ms = end.micros() as f64 / 1000.0;
        let trajectory = Trajectory {
            number,
            status: Some(end.status),
            cause: end.cause.map(Into::into),
            wall_ms: (end.status != CaseStatus::Skipped).then_some(wall_ms),
            usage: end.metrics.usage,
            steps: attempt.steps(),
        };
        let case = self.cases.entry(end.index).or_default();
        case.id = id.to_string();
        case.runs += 1;
        case.passes += u64::from(end.status == CaseStatus::Pass);
        case.attempts.push(trajectory);
        case.attempts.sort_by_key(|attempt| attempt.number);
    }
}

impl UnendedAttempt {
    fn add(&mut self, timestamp: u64, body: Body) {
        let (turn, kind) = match body {
            Body::TaskStart(start) => {
                self.input = Some(start.input);
                return;
            }
            Body::TurnStart(start) => (start.turn, EventKind::TurnStart(start.input)),
            Body::Text(said) => (said.turn, EventKind::Text(said.text)),
            Body::ToolCall(made) => {
                let observer = made.observer.as_deref().and_then(Observer::read).unwrap_or_default();
                let call = ToolCall { call_id: made.call_id, name: made.name, args: made.args, observer, begun: None };
                (made.turn, EventKind::ToolCall(call))
            }
            Body::ToolResult(given) => {
                let observer = given.observer.as_deref().and_then(Observer::read).unwrap_or_default();
                let result = ToolResult {
                    call_id: given.call_id,
                    ok: given.ok,
                    result: given.result,
                    error: given.error,
                    fault: given.fault,
                    observer,
                    refused: given.refused,
                    recognised: given.recognised,
                };
                (given.turn, EventKind::ToolResult(result))
            }
            Body::ModelCall(made) => {
                (made.turn, EventKind::ModelCall { request: made.request, response: made.response })
            }
            Body::TaskError(error) => (0, EventKind::AgentError { message: error.message, data: error.data }),
            Body::FinalOutput(output) => (0, EventKind::FinalOutput(output.output)),
            _ => return,
        };
        // The offset is the position of the event, which orders steps.
        let at = Moment { unix_ms: timestamp, offset_us: self.events };
        self.events += 1;
        self.trace.push(Event { at, turn, kind });
    }

    fn steps(&self) -> Vec<crate::TrajectoryStep> {
        steps_of(self.input.as_deref(), &self.trace)
    }
}
