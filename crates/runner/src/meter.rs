//! Counts the usage of an attempt and compares it with the limits.

use std::collections::BTreeSet;

use agentci_plan::{Limit, Limits};
use agentci_source::Sources;
use agentci_text::count_of;
use agentci_trace::{CallChange, Event, EventKind, Joiner, ModelAttempts, Redactor, ToolCall, Trace, Usage};
use agentci_verdict::{Cause, Finding, Metrics};

use crate::fingerprint::{STEPS, step};
use crate::job::CaseJob;

/// The maximum number of failed tools that a finding names.
const FAILED_NAMED: usize = 5;

/// The usage of the case and of the current turn, and the joined calls for both.
pub(crate) struct Meters<'m> {
    pub(crate) joiner: Joiner,
    case: Meter<'m>,
    pub(crate) turn: Option<(u32, Meter<'m>)>,
    /// Whether a limit was exceeded. The first exceeded limit ends the case; what the agent does until it is stopped is
    /// counted but no longer compared with limits.
    pub(crate) over: bool,
}

impl<'m> Meters<'m> {
    pub(crate) fn new(case: Meter<'m>) -> Self {
        Self { joiner: Joiner::default(), case, turn: None, over: false }
    }

    /// Counts an event; returns the limits that it exceeded, of the case and of the turn.
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

    /// The total usage of the case.
    pub(crate) fn conclude(self) -> Meter<'m> {
        let mut meter = self.case;
        meter.conclude(&self.joiner);
        meter
    }
}

/// Counts usage and reports exceeded limits.
#[derive(Debug)]
pub(crate) struct Meter<'m> {
    limits: &'m Limits,
    sources: &'m Sources,
    pub(crate) metrics: Metrics,
    /// Requests to a model.
    asked: ModelAttempts,
    /// The forms by which tool failures were recognised.
    recognised: BTreeSet<String>,
    /// Needed to compare steps without their secrets. If `None`, only values with a limit are counted.
    secrets: Option<Redactor>,
}

impl<'m> Meter<'m> {
    /// A meter for a case, which keeps everything.
    pub(crate) fn of_case(limits: &'m Limits, sources: &'m Sources, secrets: Redactor) -> Self {
        Self { secrets: Some(secrets), ..Self::of_turn(limits, sources) }
    }

    /// A meter for a turn, which only counts against its limits.
    pub(crate) fn of_turn(limits: &'m Limits, sources: &'m Sources) -> Self {
        let (metrics, asked, recognised) = Default::default();
        Self { limits, sources, metrics, asked, recognised, secrets: None }
    }

    /// Counts an event and the changes it caused; returns a limit that it exceeded.
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

    /// Computes the final metrics, once no more events follow.
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

    /// The first limit that is exceeded so far, except wall time.
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
                    let known =
                        self.recognised.iter().map(|form| format!("recognised as a failure by its form, {form}"));
                    finding.notes.extend(known);
                }
                finding
            })
        })
    }

    /// The tools that failed, and how often.
    fn failed_calls(&self) -> String {
        let failed = &self.metrics.tool_errors_by_name;
        let mut named: Vec<String> = Vec::new();
        for (name, count) in failed.iter().filter(|(name, _)| !name.is_empty()).take(FAILED_NAMED) {
            named.push(if *count == 1 { name.clone() } else { format!("{name} ({count} times)") });
        }
        if failed.len() > FAILED_NAMED {
            named.push(format!("{} more", failed.len() - FAILED_NAMED));
        }
        let calls = count_of(self.metrics.tool_errors, "call");
        let colon = if named.is_empty() { "" } else { ": " };
        format!("{calls} failed{colon}{}", named.join(", "))
    }
}

/// Recounts the usage of an attempt after events were added to its trace; also returns the limit that it exceeds.
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
        message: format!("budget exceeded: {} limit={} actual={}", limit.key, limit.most, used),
        place: Some(sources.place(limit.span)),
        label: match name {
            "max_tool_calls" => format!("the agent made {}", count_of(used, "call")),
            "max_model_calls" => format!("the agent called its model {}", count_of(used, "time")),
            "max_tokens_in" => format!("the agent sent {} to its model", count_of(used, "token")),
            "max_tokens_out" => format!("the agent wrote {}", count_of(used, "token")),
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
