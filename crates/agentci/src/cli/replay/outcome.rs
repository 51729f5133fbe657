//! Reports the outcome of a replay, and determines the exit code.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use agentci::report::{one_line, printable};
use agentci_recorder::{Bypass, FinishedSession, Holes, Miss, ReplayTally};

use super::arguments::{MissAction, ReplayArguments};
use crate::cli::record::{grouped, say_left, say_warnings, warn, who};
use crate::cli::recorded::{AgentEnd, StopReason, record_again};
use crate::cli::{CliContext, ExitStatus, counted};

/// How many misses are explained.
const MOST_EXPLAINED: usize = 3;

/// How many calls are listed.
const LISTED: usize = 10;

/// A finished replay.
#[derive(Debug)]
pub(super) struct ReplayOutcome<'a> {
    pub(super) arguments: &'a ReplayArguments,
    pub(super) command: &'a [OsString],
    /// The number of recorded calls.
    pub(super) expected: usize,
    /// The number of calls that the live world answered.
    pub(super) live: usize,
    pub(super) finished: &'a FinishedSession,
    pub(super) ended: &'a AgentEnd,
}

impl ReplayOutcome<'_> {
    /// Reports the outcome. A miss fails the replay, however the agent handled it.
    pub(super) fn say(&self, context: &CliContext) -> ExitStatus {
        let Self { arguments, finished, ended, .. } = self;
        say_left(&ended.left, context);
        say_warnings(&finished.warnings, context);
        let answered = finished.tally.exact + finished.tally.with_holes;
        let mut failed = false;
        if arguments.on_miss == MissAction::Fail {
            failed |= self.say_misses(context);
        }
        failed |= self.say_bypassed(context);
        if answered == 0 && self.live == 0 && self.expected > 0 && finished.misses.is_empty() {
            let message = format!("the agent sent none of the {} recorded requests", grouped(self.expected as u64));
            context.complain(&message, Some("is it the recorded command, and does it get that far?"));
            failed = true;
        }
        failed |= self.say_unused(context);
        if ended.stopped == Some(StopReason::TooLong) {
            context.complain("the command was stopped: it took longer than `--timeout`", None);
            failed = true;
        }
        context.say(&format!("{}\n", tally(&finished.tally, self.expected)));
        context.say(&renamed(&finished.tally));
        if failed { ended.interrupted().unwrap_or(ExitStatus::Failed) } else { ended.status() }
    }

    fn say_misses(&self, context: &CliContext) -> bool {
        let misses = &self.finished.misses;
        for missed in misses.iter().take(MOST_EXPLAINED) {
            let (message, help) = miss(missed, &self.arguments.file, self.command);
            context.complain(&message, Some(&help));
        }
        if let Some(more) = misses.len().checked_sub(MOST_EXPLAINED).filter(|more| *more > 0) {
            context.say(&format!("and {more} more requests that are not in the recording\n"));
        }
        !misses.is_empty() || self.finished.tally.misses > 0
    }

    /// Reports connections that bypassed the recorder: a replay proves nothing about an agent that got its answers
    /// elsewhere.
    pub(super) fn say_bypassed(&self, context: &CliContext) -> bool {
        let allowed = |bypass: &&Bypass| !self.arguments.allow.contains(&bypass.to);
        let mut any = false;
        for bypass in self.finished.bypassed.iter().filter(allowed) {
            let to = &bypass.to;
            let message = format!("{}, so {to} was not answered from the recording", who(bypass));
            context.complain(&one_line(&message), Some(&format!("`--allow {to}` permits it, if the agent needs it")));
            any = true;
        }
        any
    }

    fn say_unused(&self, context: &CliContext) -> bool {
        let unused = &self.finished.tally.unused;
        // After a miss, the agent may not get that far.
        let is_consequence = !self.finished.misses.is_empty() && !self.arguments.strict;
        if unused.is_empty() || is_consequence {
            return false;
        }
        let message = format!(
            "{} of {} recorded calls {} not made: {}",
            grouped(unused.len() as u64),
            grouped(self.expected as u64),
            if unused.len() == 1 { "was" } else { "were" },
            listed(unused)
        );
        if self.arguments.strict {
            let again = record_again(&["--update".into()], &self.arguments.file, self.command);
            context.complain(&message, Some(&format!("`{again}` removes calls that are no longer made")));
        } else {
            warn(&message, context);
        }
        self.arguments.strict
    }
}

/// The message and the help for a miss.
pub(in crate::cli) fn miss(miss: &Miss, file: &Path, command: &[OsString]) -> (String, String) {
    let again = record_again(&["--update".into()], file, command);
    let text = miss.explain(&file.display().to_string(), Some(&again));
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let (message, help) = text.rsplit_once("\nhelp: ").unwrap_or((text, ""));
    (printable(message).into_owned(), printable(help).trim_end().to_owned())
}

/// `14 of 14 answered, 11 exact, 3 with holes (6 id, 2 clock)`
fn tally(tally: &ReplayTally, expected: usize) -> String {
    let answered = tally.exact + tally.with_holes;
    let asked = answered + tally.misses;
    let mut text = format!("{} of {} answered", grouped(answered as u64), grouped(asked as u64));
    text += &exactness(tally);
    let _ = write!(text, "; {} recorded", grouped(expected as u64));
    text
}

/// The recorded ids that were matched with other ids, one per line, so that a reader notices if one of them matters,
/// such as a customer id.
fn renamed(tally: &ReplayTally) -> String {
    let lines = tally.examples.iter().map(|renamed| format!("  id {}\n", one_line(&renamed.to_string())));
    let mut text: String = lines.collect();
    if let Some(more) = tally.renamed.checked_sub(tally.examples.len()).filter(|more| *more > 0) {
        let _ = writeln!(text, "  and {}", counted(more, "more id", "more ids"));
    }
    text
}

/// `, 11 exact, 3 with holes (6 id, 2 clock)`
pub(super) fn exactness(tally: &ReplayTally) -> String {
    let exact = format!(", {} exact", grouped(tally.exact as u64));
    match tally.with_holes {
        0 => exact,
        count => format!("{exact}, {} with holes ({})", grouped(count as u64), holes(&tally.holes)),
    }
}

/// The first of several call numbers: `3, 4, 7, ..`
pub(super) fn listed(calls: &[u64]) -> String {
    let shown: Vec<String> = calls.iter().take(LISTED).map(ToString::to_string).collect();
    let more = if calls.len() > shown.len() { ", .." } else { "" };
    shown.join(", ") + more
}

fn holes(holes: &Holes) -> String {
    let kinds = [
        (holes.ids, "id"),
        (holes.clock, "clock"),
        (holes.roots, "folder"),
        (holes.learned, "learned"),
        (holes.ignored, "ignored"),
    ];
    let found = kinds.iter().filter(|(count, _)| *count > 0).map(|(count, kind)| format!("{count} {kind}"));
    found.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use agentci_recorder::Renamed;

    use super::*;

    #[test]
    fn counts_holes_by_kind() {
        let holes = Holes { ids: 6, clock: 2, ..Holes::default() };
        let counted = ReplayTally { exact: 11, with_holes: 3, holes, ..ReplayTally::default() };
        assert_eq!(tally(&counted, 14), "14 of 14 answered, 11 exact, 3 with holes (6 id, 2 clock); 14 recorded");
        assert_eq!(renamed(&counted), "");
    }

    #[test]
    fn lists_renamed_ids() {
        let example = |call| Renamed {
            recorded: "b7e2a1c0..f00d".into(),
            sent: "91c4d5e6..beef".into(),
            call,
            at: "/messages/0/content".into(),
        };
        let tally = ReplayTally { renamed: 3, examples: vec![example(1), example(2)], ..ReplayTally::default() };
        let expected = "  id b7e2a1c0..f00d -> 91c4d5e6..beef (call 1 /messages/0/content)
  id b7e2a1c0..f00d -> 91c4d5e6..beef (call 2 /messages/0/content)
  and 1 more id
";
        assert_eq!(renamed(&tally), expected);
    }
}
