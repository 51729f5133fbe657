//! What the scripted model complains of, as findings of the case, whatever the agent makes of it; and a model that was never
//! asked.

use agentci_checks::may_go_unasked;
use agentci_plan::{ModelWorld, UnansweredRoute};
use agentci_source::Place;
use agentci_trace::{EventKind, ModelTrouble, Trace, TroubleKind};
use agentci_verdict::{Cause, Finding};

use crate::{findings, job::CaseJob, recorded_world::started_program};

/// How many complaints are told of a case; all are in the run's events.
const TOLD: usize = 10;

/// What complaints result in.
#[derive(Debug, Default)]
pub(crate) struct TroubleReport {
    pub(crate) findings: Vec<Finding>,
    pub(crate) warnings: Vec<String>,
}

/// Judges what the scripted model complained of, each complaint once.
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
        last.notes.push(format!("the scripted model complained of {more} more requests; they are in `run.jsonl`"));
    }
    judged
}

/// Puts complaints before what came of them: an agent whose model did not answer is not to blame for what it does after that.
/// What is found already is not found again.
pub(crate) fn put_first(found: &mut Vec<Finding>, troubles: Vec<Finding>) {
    findings::before(found, troubles, &findings::CONSEQUENCES);
}

fn finding(job: &CaseJob<'_>, world: &ModelWorld, trouble: &ModelTrouble) -> Option<Finding> {
    let (cause, help) = match trouble.kind {
        TroubleKind::ProviderWouldRefuse => (
            Cause::ProviderWouldRefuse,
            "fix what the agent sends; `strict: false` in the script turns these rules off (docs/reference/mock-llm.md)",
        ),
        TroubleKind::ToolNotOffered => (
            Cause::ToolNotOffered,
            "let the agent offer the tool, or change the script; a rule that calls it on purpose says `misbehaves: true`",
        ),
        TroubleKind::ArgumentsDoNotFit => (
            Cause::ArgumentsDoNotFit,
            "change the script if the tool was changed on purpose; a rule that does this on purpose says `misbehaves: true`",
        ),
        TroubleKind::FormatNotMet => (
            Cause::FormatNotMet,
            "let the script answer in the format; a rule that leaves it on purpose says `misbehaves: true`",
        ),
        TroubleKind::ModelMiss => (
            Cause::ModelMiss,
            "add a rule for the request, or fix what the agent asks; `miss: warn` in the script makes this a warning",
        ),
        TroubleKind::ForeignKey => return None,
    };
    let (place, label) = place(job, world, trouble);
    Some(Finding::new(cause, trouble.message.clone()).at(place, label).help(help))
}

/// The rule that a complaint is about, or where the suite names the script.
fn place(job: &CaseJob<'_>, world: &ModelWorld, trouble: &ModelTrouble) -> (Place, &'static str) {
    match trouble.rule.and_then(|rule| world.script.rules.get(rule)) {
        Some(rule) if trouble.kind == TroubleKind::ModelMiss => (job.place(rule.span), "the closest rule"),
        Some(rule) if rule.step.is_some() => (job.place(rule.span), "this step"),
        Some(rule) => (job.place(rule.span), "this rule"),
        None => (job.place(world.span), "this model"),
    }
}

/// The finding for a case whose agent never asked its model for an answer, unless it may do without; it may have reached these paths.
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

/// How a case says that it needs no model.
pub(crate) const NO_MODEL: &str =
    "a case that needs no model says so by `world: { model: { optional: true } }` or `not: model_called`";

/// What to say of a model that was not asked for an answer: the message, the label of its place, and what to do.
fn unasked(reached: &[String]) -> (String, &'static str, &'static str) {
    if reached.is_empty() {
        return (
            "the agent never asked its model: does it read the address from `OPENAI_BASE_URL` or `ANTHROPIC_BASE_URL`?"
                .into(),
            "nothing was asked of this model",
            "it is in `GOOGLE_GEMINI_BASE_URL` and `OLLAMA_HOST`, too; write `${MODEL.url}` into any other variable, in the target's `env`",
        );
    }
    let paths: Vec<String> = reached.iter().map(|path| format!("`{}`", path.escape_debug())).collect();
    (
        format!("the agent never asked its model for an answer: it asked only for {}", paths.join(", ")),
        "no answer was asked of this model",
        "answers come from `/v1/chat/completions`, `/v1/responses`, `/v1/messages`, `/v1beta/models/{model}:generateContent` or \
         `/api/chat`: does the agent send them elsewhere?",
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
    fn what_was_reached_is_named() {
        assert!(unasked(&[]).0.contains("`OPENAI_BASE_URL`"));
        let reached = unasked(&["/v1/models".into(), "/v1/embeddings".into()]).0;
        assert!(reached.ends_with("it asked only for `/v1/models`, `/v1/embeddings`"), "{reached}");
    }
}
