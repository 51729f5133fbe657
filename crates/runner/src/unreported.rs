//! Judges limits on tokens and costs without reported usage. If a model was called, the case fails; if none was called,
//! nothing was used; if that is unknown, a warning says once per suite that the limit was not checked.

use agentci_plan::{Limit, Limits, Target, Verdicts};
use agentci_trace::{Event, EventKind, Trace, Usage};
use agentci_verdict::{Cause, Finding, Metrics};

use crate::{job::CaseJob, meter, model_trouble::TroubleReport};

/// A limit without reported usage.
struct UnreportedLimit {
    name: &'static str,
    key: &'static str,
    what: &'static str,
    limit: Limit,
    /// The turn that the limit belongs to.
    turn: Option<u32>,
}

/// Judges the limits of a finished case and of its turns.
pub(crate) fn judge(job: &CaseJob<'_>, trace: &Trace, metrics: &Metrics) -> TroubleReport {
    let mut judged = TroubleReport::default();
    let all: Vec<&Event> = trace.events().iter().collect();
    judged.judge_limits(job, &job.case.limits, &all, metrics.usage, None);
    for (number, turn) in (0..).zip(&job.case.turns) {
        let events: Vec<&Event> = all.iter().copied().filter(|event| event.turn == number).collect();
        let usage = |kind: &EventKind| if let EventKind::Usage(usage) = kind { Some(*usage) } else { None };
        let used = events.iter().filter_map(|event| usage(&event.kind)).fold(Usage::default(), Usage::plus);
        judged.judge_limits(job, &turn.limits, &events, used, Some(number));
    }
    judged
}

impl TroubleReport {
    fn judge_limits(&mut self, job: &CaseJob<'_>, limits: &Limits, events: &[&Event], used: Usage, turn: Option<u32>) {
        let unknown =
            |name, key, what, limit: Option<Limit>| Some(UnreportedLimit { name, key, what, limit: limit?, turn });
        let sent =
            unknown("max_tokens_in", "tokens_in", "tokens", limits.tokens_in.filter(|_| used.tokens_in.is_none()));
        let tokens =
            unknown("max_tokens_out", "tokens_out", "tokens", limits.tokens_out.filter(|_| used.tokens_out.is_none()));
        let cost = unknown("max_cost_usd", "cost_usd", "cost", limits.cost_usd.filter(|_| used.cost_usd.is_none()));
        for unknown in sent.into_iter().chain(tokens).chain(cost) {
            // The scripted model reports its own token counts, even if the agent does not.
            if let Some(used) = tokens_of_model(events, unknown.key) {
                if used > unknown.limit.most {
                    let finding = meter::exceeded(unknown.name, unknown.limit, used, job.run.sources);
                    self.findings.push(Finding { turn, ..finding });
                }
            } else if was_asked(events) && job.run.suite.conventions.verdicts == Verdicts::Strict {
                self.findings.push(unknown.finding(job));
            } else if (was_asked(events) || !sees_models(job))
                && job.run.shared.pending_faults.limits.borrow_mut().insert(unknown.name)
            {
                self.warnings.push(unknown.warning());
            }
        }
    }
}

impl UnreportedLimit {
    fn finding(&self, job: &CaseJob<'_>) -> Finding {
        let Self { name, key, what, limit, turn } = self;
        let message = format!("a model was called, but nothing reported its {what}: `{key}` cannot be checked");
        let help = if let Target::Process(_) = &*job.case.target {
            format!("make the agent send a line `{{\"type\":\"usage\",\"{key}\":..}}`, or remove `limits.{key}`")
        } else {
            format!("make the agent or its provider report it, or remove `limits.{key}`")
        };
        let finding =
            Finding::new(Cause::Limit, message).at(job.place(limit.span), "nothing to compare with").help(help);
        Finding { turn: *turn, name: (*name).to_owned(), ..finding }
    }

    fn warning(&self) -> String {
        let Self { key, what, limit, .. } = self;
        let name = limit.key;
        format!("`{name}` was not checked: the agent reported no {what} (`{key}` of a `usage` message)")
    }
}

/// Whether a model call was observed.
fn was_asked(events: &[&Event]) -> bool {
    events.iter().any(|event| matches!(event.kind, EventKind::ModelCall { .. }))
}

/// Whether every request to a model is observed, so that an unobserved one did not happen.
pub(crate) fn sees_models(job: &CaseJob<'_>) -> bool {
    job.case.world.model.is_some()
        || job.case.recorded_world().is_some()
        || matches!(&*job.case.target, Target::Chat(_) | Target::Mock(_))
}

/// The tokens that a scripted model reports as read or written; `None` if it was not called or reports none.
fn tokens_of_model(events: &[&Event], key: &str) -> Option<f64> {
    let keys = match key {
        "tokens_in" => ["prompt_tokens", "input_tokens"],
        "tokens_out" => ["completion_tokens", "output_tokens"],
        _ => return None,
    };
    let mut sum = None;
    for event in events {
        let EventKind::ModelCall { response, .. } = &event.kind else { continue };
        let usage = &response["usage"];
        if let Some(used) = keys.iter().find_map(|key| usage[key].as_f64()) {
            sum = Some(sum.unwrap_or(0.0) + used);
        }
    }
    sum
}
