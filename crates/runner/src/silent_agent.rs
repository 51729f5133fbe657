//! Finds agents that were asked something and produced no output at all.

use agentci_plan::{OutputRule, Turn, TurnInput};
use agentci_trace::{EventKind, Trace};
use agentci_verdict::{Cause, Finding};

use crate::job::CaseJob;

/// The finding for a case whose agent produced no text, no data and no tool call. Such a case would pass every check
/// that only forbids something.
pub(crate) fn finding(job: &CaseJob<'_>, trace: &Trace) -> Option<Finding> {
    let case = job.case;
    let answers = case.target.output() == OutputRule::Required && case.turns.iter().any(is_question);
    let shown = || trace.events().iter().any(|event| is_sign(&event.kind)) || !trace.calls().is_empty();
    if !answers || !trace.conversation().is_empty() || shown() {
        return None;
    }
    let finding = Finding::new(Cause::AgentError, "the agent produced no output: no text, no data, no tool call");
    let help = "fix the agent, or set `output: none` in its target if no output is expected";
    Some(finding.at(job.place(case.target.span()), "").help(help))
}

/// Whether a turn expects an answer. Joining a thread or resuming a run may not produce one.
fn is_question(turn: &Turn) -> bool {
    !matches!(turn.said, TurnInput::Action(_))
}

/// Whether an event shows that the agent did something observable.
fn is_sign(kind: &EventKind) -> bool {
    match kind {
        // The state of an A2A task is always known; only its artifacts count.
        EventKind::State(state) => match state.get("task") {
            Some(task) => task["artifacts"].as_array().is_some_and(|made| !made.is_empty()),
            None => true,
        },
        // A run that stopped to ask the user.
        EventKind::Log { level, .. } => level == "interrupt",
        _ => false,
    }
}
