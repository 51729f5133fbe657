//! Builds findings.

use std::collections::HashSet;
use std::time::Duration;

use agentci_plan::Check;
use agentci_source::{Diagnostics, Place, Sources, print_duration};
use agentci_stubs::ToolboxError;
use agentci_trace::{EventKind, Observer, Trace};
use agentci_verdict::{Cause, Failure, Finding, Outcome};

use crate::budget::MAX_WALL;

/// Configuration errors of the case itself.
pub(crate) fn config(problems: &Diagnostics, sources: &Sources) -> Vec<Finding> {
    problems
        .iter()
        .filter(|problem| problem.severity == agentci_source::Severity::Error)
        .map(|problem| {
            let finding = Finding::new(Cause::Config, problem.message.clone());
            Finding { help: problem.help.clone(), ..finding.at(problem.place(sources), problem.label.clone()) }
        })
        .collect()
}

/// A variable has no value.
pub(crate) fn unset(message: impl Into<String>, place: Place) -> Finding {
    let message = message.into();
    let help = match () {
        () if message.contains("`MODEL.") => OF_MODEL,
        () if message.contains("`MCP.") => OF_SERVERS,
        () if message.contains("`row.") => OF_ROW,
        () => OF_CASE,
    };
    Finding::new(Cause::Config, message).at(place, "").help(help)
}

const OF_MODEL: &str = "a scripted model (`world: { model: { script: .. } }`) sets `MODEL.url`, \
                        `MODEL.openai_base_url`, `MODEL.anthropic_base_url`, `MODEL.azure_endpoint`, \
                        `MODEL.gemini_base_url`, `MODEL.ollama_host` and `MODEL.api_key`; if there is none, add a \
                        default: `${MODEL.openai_base_url:-https://api.openai.com/v1}`";

const OF_SERVERS: &str = "an MCP server of the case (`world: { mcp: { orders: { scripted: .. } } }`) sets \
                          `MCP.orders.url` and `MCP.orders.sse_url`; all servers together set `MCP.config`; \
                          `-` in a name becomes `_`";

const OF_ROW: &str =
    "the row of this case has no such column: add it to the data, or add a default: `${row.NAME:-none}`";

const OF_CASE: &str = "set it in a hook, in the environment (`${ENV.NAME}`) or under `variables` if the format has \
                       them, or add a default with `:-`; `$${..}` is literal text";

/// A variable that an agent's connector uses has no value.
pub(crate) fn unset_connector(message: impl Into<String>, place: Place) -> Finding {
    let help = "set it in the environment or, for assistants, in the `-e` file or in the application's `.env`";
    Finding::new(Cause::Config, message).at(place, "").help(help)
}

/// A tool that should be executed is not available.
pub(crate) fn toolbox(error: ToolboxError, sources: &Sources) -> Finding {
    let place = error.span.map(|span| sources.place(span));
    Finding { place, ..Finding::new(Cause::Config, error.message).help(error.help) }
}

/// The help text that shows how to record and replay calls of a tool.
pub(crate) fn how_to_record(tool: &str) -> String {
    format!(
        "add `world: {{ tools: {{ cassette: \"cassettes/{{case}}.jsonl\", live: {{ {tool}: {{ command: [..] }} }} }} }}` to the suite, then `agentci record`"
    )
}

/// The user stopped the run.
pub(crate) fn interrupted() -> Finding {
    Finding::new(Cause::Interrupted, "the run was interrupted")
}

/// The note for an agent that never sent anything.
pub(crate) const SILENT: &str = "it never sent a message";

/// The agent exceeded its timeout.
pub(crate) fn timeout(limit: Duration, facts: Vec<String>) -> Finding {
    let finding = Finding::new(Cause::Timeout, format!("the agent did not finish within {}", print_duration(limit)));
    Finding { notes: facts, ..finding.help("raise `--timeout` or the case's own limit if it needs longer") }
}

/// A ceiling of the run ended the case, which says nothing about its agent.
pub(crate) fn ceiling(reason: impl Into<String>) -> Finding {
    Finding::new(Cause::Interrupted, reason).help("run the case again: `--resume` continues the run")
}

/// The suite exceeded its timeout, or the ceiling for the time of the run.
pub(crate) fn suite_timeout(limit: Duration, flag: &str) -> Finding {
    if flag == MAX_WALL {
        return ceiling(format!("ended by `{MAX_WALL}` of {}", print_duration(limit)));
    }
    Finding::new(Cause::Timeout, format!("the suite did not finish within {}", print_duration(limit)))
        .help(format!("raise `{flag}` if the suite needs longer"))
}

/// Puts unanswered tool requests before their consequences: an agent that did not get an answer is not to blame if it
/// fails, gives up or is late after that. Findings that already exist are not added again.
pub(crate) fn put_first(found: &mut Vec<Finding>, misses: Vec<Finding>) {
    before(found, misses, &[&CONSEQUENCES[..], &[Cause::Check]].concat());
}

/// Possible consequences of a tool or a model that did not answer.
pub(crate) const CONSEQUENCES: [Cause; 6] =
    [Cause::Timeout, Cause::AgentError, Cause::AgentExited, Cause::Protocol, Cause::Limit, Cause::Unreachable];

/// Removes duplicates and keeps the order.
pub(crate) fn each_once(texts: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    let mut known = HashSet::new();
    texts.filter(move |text| known.insert(text.clone()))
}

/// Puts findings before those that may be their consequences, and adds the messages of the latter to the notes of the first.
pub(crate) fn before(found: &mut Vec<Finding>, new: Vec<Finding>, consequences: &[Cause]) {
    let known = |new: &Finding| found.iter().any(|old| old.cause == new.cause && old.message == new.message);
    let new: Vec<Finding> = new.into_iter().filter(|new| !known(new)).collect();
    if new.is_empty() {
        return;
    }
    let (later, mut kept): (Vec<Finding>, Vec<Finding>) =
        std::mem::take(found).into_iter().partition(|finding| consequences.contains(&finding.cause));
    let causes: Vec<Cause> = new.iter().map(|finding| finding.cause).collect();
    let position = kept.iter().take_while(|finding| causes.contains(&finding.cause)).count();
    kept.splice(position..position, new);
    if let Some(first) = kept.first_mut() {
        for finding in &later {
            first.notes.push(format!("after that, {}", finding.message));
            first.notes.extend(finding.notes.iter().cloned());
        }
    }
    *found = kept;
}

/// What is known about an agent that timed out.
pub(crate) fn last_seen(trace: &Trace, unread: usize, elapsed: Duration) -> Vec<String> {
    let mut facts = Vec::new();
    let last = trace.events().iter().rev().find_map(|event| {
        let what = match &event.kind {
            EventKind::ToolCall(call) if call.observer != Observer::ModelWire => format!("a call to `{}`", call.name),
            EventKind::Log { .. } => "a log line".into(),
            EventKind::Usage(_) => "a usage message".into(),
            EventKind::Text(_) => "text".into(),
            _ => return None,
        };
        Some((what, Duration::from_micros(event.at.offset_us)))
    });
    facts.push(match last {
        None => SILENT.into(),
        Some((what, at)) => {
            format!("its last message was {what}, {:.1} s earlier", elapsed.saturating_sub(at).as_secs_f64())
        }
    });
    if unread > 0 {
        facts.push(format!("the agent left {unread} bytes of its input unread"));
    }
    facts
}

/// The finding for a check that was not evaluated although nothing prevented it: it must not count as passed.
pub(crate) fn not_evaluated(check: &Check, reason: &str, sources: &Sources) -> Finding {
    let message = format!("`{}` could not be evaluated: {reason}", check.name());
    let finding = Finding::new(Cause::Config, message).at(sources.place(check.kind.span), "");
    Finding { name: check.name(), ..finding }
}

/// The finding for a check that failed or could not be evaluated.
pub(crate) fn check(check: &Check, outcome: &Outcome, sources: &Sources) -> Option<Finding> {
    let (failure, cause): (&Failure, Cause) = match outcome {
        Outcome::Failed(failure) => (failure, Cause::Check),
        Outcome::Error(failure) => (failure, Cause::Config),
        Outcome::Passed | Outcome::NotEvaluated(_) => return None,
    };
    Some(Finding {
        cause,
        name: check.name(),
        message: failure.message.clone(),
        place: Some(sources.place(failure.span.unwrap_or(check.kind.span))),
        label: failure.label.clone(),
        notes: failure.notes.clone(),
        details: failure.details.clone(),
        help: None,
        turn: None,
    })
}

#[cfg(test)]
mod tests {
    use agentci_verdict::settle;

    use super::*;

    fn miss(message: &str) -> Finding {
        Finding::new(Cause::StubMiss, message)
    }

    #[test]
    fn miss_precedes_and_includes_its_consequences() {
        let late =
            Finding { notes: vec!["it never sent a message".into()], ..Finding::new(Cause::Timeout, "it was late") };
        let mut found = vec![late];
        put_first(&mut found, vec![miss("no answer to `a`"), miss("no answer to `b`")]);
        let messages: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages, ["no answer to `a`", "no answer to `b`"]);
        assert_eq!(found[0].notes, ["after that, it was late", "it never sent a message"]);
        assert_eq!(settle(&found).1, Some(Cause::StubMiss));
    }

    #[test]
    fn known_findings_are_not_repeated() {
        let mut found = vec![miss("a")];
        put_first(&mut found, vec![miss("a"), miss("b")]);
        assert_eq!(found.len(), 2);
        let mut found = vec![Finding::new(Cause::Timeout, "late")];
        put_first(&mut found, Vec::new());
        assert_eq!(found[0].cause, Cause::Timeout);
    }

    #[test]
    fn interruption_is_not_a_consequence() {
        let mut found = vec![interrupted()];
        put_first(&mut found, vec![miss("a")]);
        assert_eq!(settle(&found).1, Some(Cause::Interrupted));
    }
}
