//! What an attempt has used so far, and whether it may.

use std::collections::BTreeSet;

use agentci_plan::{Limit, Limits};
use agentci_source::Sources;
use agentci_trace::{CallChange, Event, EventKind, Joiner, ModelAttempts, Redactor, ToolCall, Trace, Usage};
use agentci_verdict::{Cause, Finding, Metrics};

use crate::fingerprint::{STEPS, step};
use crate::job::CaseJob;

/// How many of the tools that failed are named.
const FAILED_NAMED: usize = 5;

/// What the case and the present turn have used, and the calls that were joined for both.
pub(crate) struct Meters<'m> {
    pub(crate) joiner: Joiner,
    case: Meter<'m>,
    pub(crate) turn: Option<(u32, Meter<'m>)>,
    /// Whether a limit was exceeded. The first one ends the case; what the agent still does until it is stopped is counted, and
    /// compared with no limit.
    pub(crate) over: bool,
}

impl<'m> Meters<'m> {
    pub(crate) fn new(case: Meter<'m>) -> Self {
        Self { joiner: Joiner::default(), case, turn: None, over: false }
    }

    /// Takes note of an event. The findings are the limits that it exceeded: that of the case, and that of the turn.
    pub(crate) fn count(&mut self, event: &Event, changes: &[CallChange]) -> Vec<Finding> {
        let mut found: Vec<Finding> = self.case.count(event, &self.joiner, changes).into_iter().collect();
        if let Some((number, turn)) = &mut self.turn {
            let of_turn = turn.count(event, &self.joiner, changes);
            found.extend(of_turn.map(|finding| Finding { turn: Some(*number), ..finding }));
        }
        if self.over {
            found.clear();
        }
        self.over |= !found.is_empty();
        found
    }

    /// What the case used in all.
    pub(crate) fn conclude(self) -> Meter<'m> {
        let mut meter = self.case;
        meter.conclude(&self.joiner);
        meter
    }
}

/// Counts what happens and says when a limit is exceeded.
#[derive(Debug)]
pub(crate) struct Meter<'m> {
    limits: &'m Limits,
    sources: &'m Sources,
    pub(crate) metrics: Metrics,
    /// Requests to a model.
    asked: ModelAttempts,
    /// Forms that failures of tools were recognised by.
    recognised: BTreeSet<String>,
    /// Steps are told apart without looking at secrets. Without these only what has a limit is counted.
    secrets: Option<Redactor>,
}

impl<'m> Meter<'m> {
    /// For a case, of which everything is kept.
    pub(crate) fn of_case(limits: &'m Limits, sources: &'m Sources, secrets: Redactor) -> Self {
        Self { secrets: Some(secrets), ..Self::of_turn(limits, sources) }
    }

    /// For a turn, which only has to keep to its limits.
    pub(crate) fn of_turn(limits: &'m Limits, sources: &'m Sources) -> Self {
        let (metrics, asked, recognised) = Default::default();
        Self { limits, sources, metrics, asked, recognised, secrets: None }
    }

    /// Takes note of an event and of what it changed; the finding is a limit that it exceeded.
    fn count(&mut self, event: &Event, joiner: &Joiner, changes: &[CallChange]) -> Option<Finding> {
        match &event.kind {
            EventKind::ModelCall { request, response } => {
                self.asked.take(request, response);
                return self.exceeded();
            }
            EventKind::Usage(usage) => {
                self.metrics.usage = self.metrics.usage.plus(*usage);
                return self.exceeded();
            }
            EventKind::ToolResult(result) => self.recognised.extend(result.recognised.clone()),
            _ => {}
        }
        for change in changes {
            match *change {
                CallChange::Counts(_) => self.metrics.tool_calls += 1,
                CallChange::Refused(_) => self.metrics.tool_calls = self.metrics.tool_calls.saturating_sub(1),
                CallChange::Failed(number) => self.failed(joiner.decisive(number)),
                CallChange::PartFailed(number, part) => self.failed(joiner.part(number, part)),
            }
        }
        if changes.is_empty() { None } else { self.exceeded() }
    }

    fn failed(&mut self, call: Option<&ToolCall>) {
        self.metrics.tool_errors += 1;
        let name = call.map(|call| call.name.as_str()).unwrap_or_default();
        *self.metrics.tool_errors_by_name.entry(name.to_owned()).or_default() += 1;
    }

    /// Nothing more happens: what was made is what was made.
    fn conclude(&mut self, joiner: &Joiner) {
        self.metrics.tool_calls = joiner.count(true);
        self.metrics.model_calls = Some(self.asked.calls() as u64).filter(|calls| *calls > 0);
        let Some(secrets) = &self.secrets else { return };
        for made in joiner.made() {
            if !made.within {
                *self.metrics.tool_calls_by_name.entry(made.call.name.clone()).or_default() += 1;
            }
            if self.metrics.steps.len() < STEPS {
                self.metrics.steps.push(step(&made, secrets));
            }
        }
    }

    /// The first limit that is exceeded by now, wall time aside.
    pub(crate) fn exceeded(&self) -> Option<Finding> {
        let Usage { tokens_in, tokens_out, cost_usd } = self.metrics.usage;
        let used = [
            ("max_tool_calls", self.limits.tool_calls, Some(float(self.metrics.tool_calls))),
            ("max_tool_errors", self.limits.tool_errors, Some(float(self.metrics.tool_errors))),
            ("max_model_calls", self.limits.model_calls, Some(float(self.asked.calls() as u64))),
            ("max_tokens_in", self.limits.tokens_in, tokens_in.map(float)),
            ("max_tokens_out", self.limits.tokens_out, tokens_out.map(float)),
            ("max_cost_usd", self.limits.cost_usd, cost_usd),
        ];
        used.into_iter().find_map(|(name, limit, used)| {
            let (limit, used) = (limit?, used?);
            (used > limit.most).then(|| {
                let mut finding = exceeded(name, limit, used, self.sources);
                if name == "max_tool_errors" {
                    finding.label = self.failed_calls();
                    let known = self.recognised.iter().map(|form| format!("known as a failure by its form, {form}"));
                    finding.notes.extend(known);
                }
                finding
            })
        })
    }

    /// Which tools failed, and how often each.
    fn failed_calls(&self) -> String {
        let failed = &self.metrics.tool_errors_by_name;
        let mut named: Vec<String> = Vec::new();
        for (name, count) in failed.iter().filter(|(name, _)| !name.is_empty()).take(FAILED_NAMED) {
            named.push(if *count == 1 { name.clone() } else { format!("{name} ({count} times)") });
        }
        if failed.len() > FAILED_NAMED {
            named.push(format!("{} more", failed.len() - FAILED_NAMED));
        }
        let count = self.metrics.tool_errors;
        let calls = if count == 1 { "call" } else { "calls" };
        let colon = if named.is_empty() { "" } else { ": " };
        format!("{count} {calls} failed{colon}{}", named.join(", "))
    }
}

/// What an attempt used, counted again over a trace to which something was added; and the limit that this exceeds.
pub(crate) fn recount(job: &CaseJob<'_>, trace: &Trace) -> (Metrics, Option<Finding>) {
    let mut meters = Meters::new(Meter::of_case(&job.case.limits, job.run.sources, job.secrets.brought()));
    for event in trace.events() {
        let changes = meters.joiner.take(event);
        meters.count(event, &changes);
    }
    let meter = meters.conclude();
    let exceeded = meter.exceeded();
    (meter.metrics, exceeded)
}

/// The finding for a limit that was exceeded.
pub(crate) fn exceeded(name: &str, limit: Limit, used: f64, sources: &Sources) -> Finding {
    Finding {
        cause: Cause::Limit,
        name: name.to_owned(),
        message: format!("budget exceeded: {name} limit={} actual={}", limit.most, used),
        place: Some(sources.place(limit.span)),
        label: match name {
            "max_tool_calls" => format!("the agent made {used} calls"),
            "max_model_calls" => format!("the agent asked its model {used} times"),
            "max_tokens_in" => format!("the agent sent {used} tokens to its model"),
            "max_tokens_out" => format!("the agent wrote {used} tokens"),
            "max_cost_usd" => format!("it cost {used} US dollars"),
            _ => format!("the agent took {used} ms"),
        },
        details: vec![agentci_verdict::Detail {
            path: String::new(),
            expected: limit.most.into(),
            actual: used.into(),
        }],
        ..Finding::default()
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}
