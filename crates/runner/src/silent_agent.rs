//! An agent that was asked something and put out nothing at all.

use agentci_plan::{OutputRule, Turn, TurnInput};
use agentci_trace::{EventKind, Trace};
use agentci_verdict::{Cause, Finding};

use crate::job::CaseJob;

/// The finding for a case in which the agent gave no sign of having done anything: neither words nor data nor a tool call. Such a
/// case would pass every check that only forbids something.
pub(crate) fn finding(job: &CaseJob<'_>, trace: &Trace) -> Option<Finding> {
    let case = job.case;
    let answers = case.target.output() == OutputRule::Required && case.turns.iter().any(is_question);
    let shown = || trace.events().iter().any(|event| is_sign(&event.kind)) || !trace.calls().is_empty();
    if !answers || !trace.conversation().is_empty() || shown() {
        return None;
    }
    let finding = Finding::new(Cause::AgentError, "the agent put out nothing: no words, no data, no tool call");
    let help = "fix the agent, or say `output: none` in its target if it may stay silent";
    Some(finding.at(job.place(case.target.span()), "").help(help))
}

/// Whether something is asked in a turn. Joining a thread or resuming a run may go without an answer.
fn is_question(turn: &Turn) -> bool {
    !matches!(turn.said, TurnInput::Action(_))
}

/// Whether an event shows that the agent did something that can be seen from outside.
fn is_sign(kind: &EventKind) -> bool {
    match kind {
        // Of an A2A task the state is always known; what it made counts.
        EventKind::State(state) => match state.get("task") {
            Some(task) => task["artifacts"].as_array().is_some_and(|made| !made.is_empty()),
            None => true,
        },
        // A run that stops to ask the user something.
        EventKind::Log { level, .. } => level == "interrupt",
        _ => false,
    }
}
