//! Limits on tokens and costs of which nothing was reported. Where a model was asked, the case fails; where none was, nothing
//! was used; and where that cannot be told, a warning says once per suite that the limit was not checked.

use agentci_plan::{Limit, Limits, Target, Verdicts};
use agentci_trace::{Event, EventKind, Trace, Usage};
use agentci_verdict::{Cause, Finding, Metrics};

use crate::{job::CaseJob, meter, model_trouble::TroubleReport};

/// A limit of which nothing was reported.
struct UnreportedLimit {
    name: &'static str,
    key: &'static str,
    what: &'static str,
    limit: Limit,
    /// The turn whose limit it is.
    turn: Option<u32>,
}

/// Judges the limits of a case that came to its end, and those of its turns.
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
            // The scripted model itself says what it read and wrote, also where the agent does not.
            if let Some(used) = tokens_of_model(events, unknown.key) {
                if used > unknown.limit.most {
                    let finding = meter::exceeded(unknown.name, unknown.limit, used, job.run.sources);
                    self.findings.push(Finding { turn, ..finding });
                }
            } else if was_asked(events) && job.run.suite.habits.verdicts == Verdicts::Strict {
                self.findings.push(unknown.finding(job));
            } else if (was_asked(events) || !sees_models(job))
                && job.run.shared.unmet.limits.borrow_mut().insert(unknown.name)
            {
                self.warnings.push(unknown.warning());
            }
        }
    }
}

impl UnreportedLimit {
    fn finding(&self, job: &CaseJob<'_>) -> Finding {
        let Self { name, key, what, limit, turn } = self;
        let message = format!("a model was asked, and nothing reported its {what}: `{key}` cannot be judged");
        let help = if let Target::Process(_) = &*job.case.target {
            format!("let the agent send a line `{{\"type\":\"usage\",\"{key}\":..}}`, or remove `limits.{key}`")
        } else {
            format!("let the agent or its provider report it, or remove `limits.{key}`")
        };
        let finding =
            Finding::new(Cause::Limit, message).at(job.place(limit.span), "nothing to compare with").help(help);
        Finding { turn: *turn, name: (*name).to_owned(), ..finding }
    }

    fn warning(&self) -> String {
        let Self { name, key, what, .. } = self;
        format!("`{name}` was not checked: the agent reported no {what} (`{key}` of a `usage` message)")
    }
}

/// Whether a model was asked, as far as it is seen.
fn was_asked(events: &[&Event]) -> bool {
    events.iter().any(|event| matches!(event.kind, EventKind::ModelCall { .. }))
}

/// Whether every request to a model would be seen, so that one that was not seen was not made.
pub(crate) fn sees_models(job: &CaseJob<'_>) -> bool {
    job.case.world.model.is_some()
        || job.case.recorded_world().is_some()
        || matches!(&*job.case.target, Target::Chat(_) | Target::Mock(_))
}

/// The tokens that a scripted model says it read or wrote; nothing if it was not asked or does not say.
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
