//! Reports the outcome of a fork, writes it, and determines the exit code.

use std::fmt::Write as _;
use std::path::Path;

use agentci::report::{one_line, printable};
use agentci::trace::ModelTrouble;
use agentci_recorder::{AnswerChange, Forked};

use super::super::outcome::{ReplayOutcome, exactness, listed, miss};
use crate::cli::record::{grouped, say_left, say_warnings, warn};
use crate::cli::recorded::{self, StopReason};
use crate::cli::{CliContext, CommandResult, ExitStatus, command_line, counted};

/// How many misses and problems are explained.
const MOST_EXPLAINED: usize = 3;

/// A finished fork.
#[derive(Debug)]
pub(super) struct ForkOutcome<'a> {
    pub(super) replay: ReplayOutcome<'a>,
    pub(super) until: u64,
    pub(super) changes: &'a [AnswerChange],
    /// The script after the fork; `None` for the live world.
    pub(super) script: Option<&'a Path>,
    pub(super) troubles: &'a [ModelTrouble],
    pub(super) out: &'a Path,
}

impl ForkOutcome<'_> {
    /// Reports the outcome, and writes the fork if the agent reached it.
    pub(super) fn say(&self, context: &CliContext) -> CommandResult {
        let ReplayOutcome { finished, ended, .. } = &self.replay;
        say_left(&ended.left, context);
        say_warnings(&finished.warnings, context);
        let forked = finished.forked.clone().unwrap_or_default();
        let mut failed = self.replay.say_bypassed(context);
        if ended.stopped == Some(StopReason::TooLong) {
            context.complain("the command was stopped: it took longer than `--timeout`", None);
            failed = true;
        }
        if !forked.is_reached() {
            self.say_not_reached(&forked, context);
            context.say(&format!("{}\n", self.beginning()));
            return Ok(ended.interrupted().unwrap_or(ExitStatus::Failed));
        }
        failed |= self.say_misses(context);
        failed |= self.say_troubles(context);
        self.say_unused(context);
        context.say(&format!("{}\n", self.beginning()));
        for change in self.changes {
            context.say(&format!("changed {}\n", one_line(change.place())));
        }
        context.say(&format!("{}\n", self.then(&forked)));
        recorded::write(self.out, &finished.recording, &finished.secrets)?;
        let shown = one_line(&self.out.display().to_string()).into_owned();
        context.say(&format!("wrote {shown} ({})\n", recorded::size(self.out)));
        let files = command_line(&[self.replay.arguments.file.as_os_str(), self.out.as_os_str()]);
        context.say(&format!("next: agentci recording diff {files}\n"));
        Ok(if failed { ended.interrupted().unwrap_or(ExitStatus::Failed) } else { ended.status() })
    }

    /// Reports that the agent did not make the calls before the fork, so that there is none.
    fn say_not_reached(&self, forked: &Forked, context: &CliContext) {
        let until = self.until;
        let file = self.file();
        let missing = listed(&forked.awaited);
        let Some(first) = self.replay.finished.misses.first() else {
            let message = format!("the agent exited before call {until}; calls not made: {missing}");
            let help = "is it the recorded command, and does it get that far? nothing was written";
            return context.complain(&message, Some(help));
        };
        let (told, _) = miss(first, &self.replay.arguments.file, self.replay.command);
        let told = told.split_once('\n').map_or("", |(_, rest)| rest);
        let mut message = format!("the agent did not reach call {until} of {file} as recorded");
        if !forked.awaited.is_empty() {
            let _ = write!(message, "; calls not made: {missing}");
        }
        let _ = write!(message, "\n{}", told.trim_end());
        context.complain(&message, Some(&format!("{}; nothing was written", self.earlier(forked))));
    }

    /// The remedy if the agent diverges before the fork.
    fn earlier(&self, forked: &Forked) -> String {
        let Some(before) = forked.awaited.first().map(|first| first.saturating_sub(1)) else {
            return format!("check why it makes this call, which was not recorded before call {}", self.until);
        };
        match self.changes.iter().map(|change| change.call).max() {
            Some(call) if call < self.until && call <= before => format!(
                "after the change to call {call} the agent sends a request that is not recorded: \
                 fork there, with `--until {call}`"
            ),
            _ => format!("fork before that, with `--until {before}`"),
        }
    }

    fn say_misses(&self, context: &CliContext) -> bool {
        let misses = &self.replay.finished.misses;
        for missed in misses.iter().take(MOST_EXPLAINED) {
            let (told, _) = miss(missed, &self.replay.arguments.file, self.replay.command);
            let told = told.split_once('\n').map_or("", |(_, rest)| rest).trim_end().to_owned();
            let message = format!("call {} has no answer after the fork\n{told}", missed.number);
            let help = match self.script {
                Some(_) => "a script answers model calls only; new tool calls need `--then live`",
                None if missed.asked.contains(" stdio:") => {
                    "check why the server does not start: does its command work on its own?"
                }
                None => "a server with Streamable HTTP can continue live; with a script, the recording answers",
            };
            context.complain(&message, Some(&missed.remedy.as_ref().map_or(help.to_owned(), ToString::to_string)));
        }
        if let Some(more) = misses.len().checked_sub(MOST_EXPLAINED).filter(|more| *more > 0) {
            context.say(&format!("and {more} more calls without an answer\n"));
        }
        !misses.is_empty()
    }

    /// Reports the problems of the scripted model, however the agent handled them.
    fn say_troubles(&self, context: &CliContext) -> bool {
        let script = self.script.map_or_else(String::new, |script| command_line(&[script.as_os_str()]));
        let (warnings, wrong): (Vec<_>, Vec<_>) = self.troubles.iter().partition(|trouble| trouble.warning);
        for trouble in warnings.iter().take(MOST_EXPLAINED) {
            warn(&printable(&trouble.message), context);
        }
        for trouble in wrong.iter().take(MOST_EXPLAINED) {
            let kind = trouble.kind.name();
            let message = format!("{script} does not match the agent's requests ({kind}): {}", trouble.message);
            context.complain(&printable(&message), Some("change the script, or fix the agent's requests"));
        }
        !wrong.is_empty()
    }

    /// Warns about requests that were sent more often when the agent was recorded.
    fn say_unused(&self, context: &CliContext) {
        let unused = &self.replay.finished.tally.unused;
        if !unused.is_empty() {
            let ids: Vec<String> = unused.iter().take(10).map(ToString::to_string).collect();
            warn(&format!("calls that the agent did not repeat before the fork: {}", ids.join(", ")), context);
        }
    }

    /// `6 of 6 calls answered from agent.jsonl, 5 exact, 1 with holes (2 id)`
    fn beginning(&self) -> String {
        let tally = &self.replay.finished.tally;
        let made = self.replay.expected.saturating_sub(tally.unused.len());
        let mut text = format!("{} of {}", grouped(made as u64), counted(self.replay.expected, "call", "calls"));
        let _ = write!(text, " answered from {}{}", self.file(), exactness(tally));
        text
    }

    /// `then 3 calls answered by script.yaml, 1 call by the rest of the recording`
    fn then(&self, forked: &Forked) -> String {
        let calls = |count| counted(count, "call", "calls");
        let Some(script) = self.script else {
            return format!("then {} to the live world", calls(forked.live));
        };
        let script = command_line(&[script.as_os_str()]);
        let mut text = format!("then {} answered by {script}", calls(forked.scripted));
        if forked.recorded > 0 {
            let _ = write!(text, ", {} by the rest of the recording", calls(forked.recorded));
        }
        text
    }

    fn file(&self) -> String {
        command_line(&[self.replay.arguments.file.as_os_str()])
    }
}
