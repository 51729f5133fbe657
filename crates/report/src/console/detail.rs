//! Details below the line of a case, for verbose output.
//!
//! ```text
//! PASS t1 (56 ms, 1 tool call)
//!   t1: search_docs {"q":"reset"}
//!   t1: check `contains` passed
//!   t1: search_docs: requested, answered; seen by model_wire
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use agentci_verdict::{Body, CheckEnd, CheckStatus, ReplaySource, RunEvent};

use crate::{cut, one_line, score, similarity};

/// Lines that are printed after the line of their case.
#[derive(Debug, Default)]
pub(super) struct CaseLines {
    width: usize,
    /// By case and attempt, while the attempt is running: the position of a case is only known at its end.
    running: BTreeMap<(Arc<str>, u32), Vec<String>>,
    /// By position, then attempt.
    ended: BTreeMap<usize, BTreeMap<u32, Vec<String>>>,
}

impl CaseLines {
    pub(super) fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    pub(super) fn add(&mut self, event: &RunEvent) {
        let Some(id) = &event.case_id else { return };
        let attempt = event.attempt.unwrap_or(1);
        let line = match &event.body {
            Body::ToolCall(call) => match call.observer.as_deref() {
                Some("model_wire") => format!("the model requests {} {}", call.name, call.args),
                Some(observer) => format!("{} {} (seen by {observer})", call.name, call.args),
                None => format!("{} {}", call.name, call.args),
            },
            Body::Check(check) => {
                let lines = self.running.entry((Arc::clone(id), attempt)).or_default();
                lines.push(said(check));
                lines.extend(score::printed(check));
                return;
            }
            Body::CaseEnd(end) => {
                let mut lines = self.running.remove(&(Arc::clone(id), attempt)).unwrap_or_default();
                lines.extend(end.calls.iter().map(|call| format!("{}: {}", call.tool, call.words())));
                lines.extend(end.replay.as_deref().and_then(matched));
                lines.extend(end.replay.as_deref().and_then(renamed));
                lines.extend(end.replay.as_deref().and_then(unused));
                let run = if end.runs > 1 { format!(" run {attempt}") } else { String::new() };
                let shown = lines.iter().map(|line| {
                    let line = format!("  {id}{run}: {line}");
                    cut::fit(&one_line(&line), self.width) + "\n"
                });
                self.ended.entry(end.index).or_default().insert(attempt, shown.collect());
                return;
            }
            _ => return,
        };
        self.running.entry((Arc::clone(id), attempt)).or_default().push(line);
    }

    /// Takes the lines of a case, with all its attempts in order.
    pub(super) fn take(&mut self, index: usize) -> String {
        self.ended.remove(&index).unwrap_or_default().into_values().flatten().collect()
    }
}

/// The ids that differ from the recording.
fn renamed(replay: &ReplaySource) -> Option<String> {
    let renamed = &replay.matched.as_ref()?.renamed;
    (!renamed.is_empty()).then(|| format!("ids that differ: {}", renamed.join(", ")))
}

/// How requests were matched with a recording.
fn matched(replay: &ReplaySource) -> Option<String> {
    let matched = replay.matched.as_ref()?;
    let answered = matched.exact + matched.with_holes;
    let kinds = [
        (matched.ids, "ids"),
        (matched.clock, "times"),
        (matched.folders, "folders"),
        (matched.learned, "places known to differ"),
        (matched.ignored, "ignored"),
    ];
    let differ: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let differ = if differ.is_empty() {
        String::new()
    } else {
        format!(", {} with differences ({})", matched.with_holes, differ.join(", "))
    };
    Some(format!("{answered} requests answered from {}, {} exact{differ}", replay.cassette_path, matched.exact))
}

/// The unused lines of the recording.
fn unused(replay: &ReplaySource) -> Option<String> {
    let lines: Vec<String> = replay.unused_lines.iter().map(ToString::to_string).collect();
    (!lines.is_empty()).then(|| format!("unused in {}: line {}", replay.cassette_path, lines.join(", ")))
}

fn said(check: &CheckEnd) -> String {
    let became = match check.status {
        CheckStatus::Passed => "passed",
        CheckStatus::Failed => "failed",
        CheckStatus::Error => "could not be evaluated",
        CheckStatus::NotEvaluated => "was not evaluated",
    };
    let message = check.message.as_deref().map(|message| {
        let named = message.strip_prefix(check.name.as_str()).and_then(|rest| rest.strip_prefix(": "));
        format!(": {}", named.unwrap_or(message))
    });
    // What failed says why; what passed shows what was expected.
    let arguments = check.subject.as_deref().filter(|_| check.status == CheckStatus::Passed);
    let message = message.or_else(|| arguments.map(|line| format!(": {line}"))).unwrap_or_default();
    let measured = similarity::of_check(check).or_else(|| score::of_check(check));
    let measured = measured.map(|measured| format!("; {measured}")).unwrap_or_default();
    format!("check `{}` {became}{message}{measured}", check.name)
}
