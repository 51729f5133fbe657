//! Turns problems that the scripted model reports into findings of the case, whatever the agent does about them, and
//! finds models that were never called.

use agentci_checks::may_go_unasked;
use agentci_plan::{ModelWorld, UnansweredRoute};
use agentci_source::Place;
use agentci_trace::{EventKind, ModelTrouble, Trace, TroubleKind};
use agentci_verdict::{Cause, Finding};

use crate::{findings, job::CaseJob, recorded_world::started_program};

/// The maximum number of problems that are reported per case; all are in the run's events.
const TOLD: usize = 10;

/// The findings and warnings that result from problems.
#[derive(Debug, Default)]
pub(crate) struct TroubleReport {
    pub(crate) findings: Vec<Finding>,
    pub(crate) warnings: Vec<String>,
}

/// Judges the problems that the scripted model reported, without duplicates.
pub(crate) fn judge(job: &CaseJob<'_>, trace: &Trace) -> TroubleReport {
    let mut judged = TroubleReport::default();
    let Some(world) = &job.case.world.model else { return judged };
    let mut seen: Vec<&ModelTrouble> = Vec::new();
    let mut more = 0_usize;
    for event in trace.events() {
        let EventKind::ModelTrouble(trouble) = &event.kind else { continue };
        if seen.iter().any(|known| known.kind == trouble.kind && known.message == trouble.message) {
            continue;
        }
        seen.push(trouble);
        if trouble.warning || (trouble.kind == TroubleKind::ModelMiss && world.missed() == UnansweredRoute::Warn) {
            judged.warnings.push(trouble.message.clone());
        } else if judged.findings.len() < TOLD {
            judged.findings.extend(finding(job, world, trouble));
        } else {
            more += 1;
        }
    }
    if let Some(last) = judged.findings.last_mut().filter(|_| more > 0) {
        last.notes.push(format!("the scripted model rejected {more} more requests; see `run.jsonl`"));
    }
    judged
}

/// Puts these problems before their consequences: an agent whose model did not answer is not to blame for what it does
/// after that. Findings that already exist are not added again.
pub(crate) fn put_first(found: &mut Vec<Finding>, troubles: Vec<Finding>) {
    findings::before(found, troubles, &findings::CONSEQUENCES);
}

fn finding(job: &CaseJob<'_>, world: &ModelWorld, trouble: &ModelTrouble) -> Option<Finding> {
    let (cause, help) = match trouble.kind {
        TroubleKind::ProviderWouldRefuse => (
            Cause::ProviderWouldRefuse,
            "fix the agent's request; `strict: false` in the script turns these rules off (docs/reference/mock-llm.md)",
        ),
        TroubleKind::ToolNotOffered => (
            Cause::ToolNotOffered,
            "offer the tool in the agent, or change the script; if a rule calls it on purpose, set `misbehaves: true`",
        ),
        TroubleKind::ArgumentsDoNotFit => (
            Cause::ArgumentsDoNotFit,
            "change the script if the tool was changed on purpose; if a rule does this on purpose, set \
             `misbehaves: true`",
        ),
        TroubleKind::FormatNotMet => (
            Cause::FormatNotMet,
            "answer in this format in the script; if a rule violates it on purpose, set `misbehaves: true`",
        ),
        TroubleKind::ModelMiss => (
            Cause::ModelMiss,
            "add a rule for the request, or fix the agent's request; `miss: warn` in the script makes this a warning",
        ),
        TroubleKind::ForeignKey => return None,
    };
    let (place, label) = place(job, world, trouble);
    Some(Finding::new(cause, trouble.message.clone()).at(place, label).help(help))
}

/// The rule that the problem is about, or the place where the suite names the script.
fn place(job: &CaseJob<'_>, world: &ModelWorld, trouble: &ModelTrouble) -> (Place, &'static str) {
    match trouble.rule.and_then(|rule| world.script.rules.get(rule)) {
        Some(rule) if trouble.kind == TroubleKind::ModelMiss => (job.place(rule.span), "the closest rule"),
        Some(rule) if rule.step.is_some() => (job.place(rule.span), "this step"),
        Some(rule) => (job.place(rule.span), "this rule"),
        None => (job.place(world.span), "this model"),
    }
}

/// The finding for a case whose agent never requested an answer from its model, unless the case allows that; `reached`
/// lists the paths it did request.
pub(crate) fn never_asked(job: &CaseJob<'_>, trace: &Trace, reached: &[String]) -> Option<Finding> {
    let case = job.case;
    let world = case.world.model.as_ref()?;
    if started_program(&case.target).is_none() || was_asked(trace) || may_go_unasked(case) {
        return None;
    }
    let (message, label, help) = unasked(reached);
    let finding = Finding::new(Cause::ModelNeverAsked, message).at(job.place(world.span), label);
    Some(finding.help(format!("{help}; {NO_MODEL}")))
}

/// The help for cases that need no model.
pub(crate) const NO_MODEL: &str =
    "if the case needs no model, set `world: { model: { optional: true } }` or add `not: model_called`";

/// The message, label and help for a model that was never asked for an answer.
fn unasked(reached: &[String]) -> (String, &'static str, &'static str) {
    if reached.is_empty() {
        return (
            "the agent never called its model: does it read the address from `OPENAI_BASE_URL` or `ANTHROPIC_BASE_URL`?"
                .into(),
            "never called",
            "the address is also in `GOOGLE_GEMINI_BASE_URL` and `OLLAMA_HOST`; set any other variable to \
             `${MODEL.url}` in the target's `env`",
        );
    }
    let paths: Vec<String> = reached.iter().map(|path| format!("`{}`", path.escape_debug())).collect();
    (
        format!("the agent never requested an answer from its model: it requested only {}", paths.join(", ")),
        "no answer requested",
        "answers come from `/v1/chat/completions`, `/v1/responses`, `/v1/messages`, \
         `/v1beta/models/{model}:generateContent` or `/api/chat`: does the agent send its requests elsewhere?",
    )
}

fn was_asked(trace: &Trace) -> bool {
    trace.events().iter().any(|event| {
        matches!(&event.kind, EventKind::ModelCall { .. })
            || matches!(&event.kind, EventKind::ModelTrouble(trouble) if trouble.kind == TroubleKind::ModelMiss)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_requested_paths() {
        assert!(unasked(&[]).0.contains("`OPENAI_BASE_URL`"));
        let reached = unasked(&["/v1/models".into(), "/v1/embeddings".into()]).0;
        assert!(reached.ends_with("it requested only `/v1/models`, `/v1/embeddings`"), "{reached}");
    }
}
