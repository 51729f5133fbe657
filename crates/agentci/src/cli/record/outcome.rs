//! What is done and said once a recorded command has ended.

use std::path::Path;

use agentci::report::one_line;
use agentci_recorder::{EndKind, FinishedSession, Recording};

use super::destination::keep_elsewhere;
use super::peers::peers;
use super::{RecordBudget, summary};
use crate::cli::recorded::{self, AgentEnd, StopReason};
use crate::cli::{CliContext, ExitStatus, command_line};

/// Writes the recording, and says what is in it and what is not.
pub(super) fn report(
    path: &Path,
    finished: &FinishedSession,
    ended: &AgentEnd,
    (budget, kept): (&RecordBudget, Option<usize>),
    context: &CliContext,
) -> ExitStatus {
    summary::say_left(&ended.left, context);
    let recording = &finished.recording;
    if recording.exchanges.is_empty() {
        return nothing(finished, ended, context);
    }
    if is_unanswered(recording) {
        return unanswered(finished, ended, budget, context);
    }
    if let Err(status) = write(path, finished, context) {
        return status;
    }
    context.say(&peers(recording, kept, budget));
    summary::say_bypassed(&finished.bypassed, context);
    summary::say_warnings(&finished.warnings, context);
    let shown = one_line(&path.display().to_string()).into_owned();
    context.say(&format!("wrote {shown} ({})\n", recorded::size(path)));
    let mut status = ended.status();
    match ended.stopped {
        Some(StopReason::TooLong) => {
            context.complain(
                "the command was ended: it took longer than `--max-wall`",
                Some("what it did until then is in the recording"),
            );
            status = ExitStatus::Failed;
        }
        Some(StopReason::Asked(_)) if status != ExitStatus::Success => {
            context.say("interrupted: the recording holds what was exchanged until then\n");
        }
        _ => {}
    }
    if budget.is_spent() {
        context.complain(&budget.spent_message(), Some("raise `--max-cost`, and continue with `--update`"));
        status = ExitStatus::Failed;
    }
    context.say(&format!("next: agentci replay {}\n", command_line(&[path.as_os_str()])));
    status
}

/// Whether no call that counts reached its host: there is nothing to replay but the failure.
fn is_unanswered(recording: &Recording) -> bool {
    let mut calls = recording.exchanges.iter().filter(|exchange| !exchange.chatter).peekable();
    calls.peek().is_some() && calls.all(|exchange| matches!(exchange.end.how, EndKind::Unreachable(_)))
}

/// Says which hosts could not be reached.
fn unanswered(finished: &FinishedSession, ended: &AgentEnd, budget: &RecordBudget, context: &CliContext) -> ExitStatus {
    context.say(&peers(&finished.recording, None, budget));
    summary::say_bypassed(&finished.bypassed, context);
    summary::say_warnings(&finished.warnings, context);
    let help = "the lines above say why; nothing was written, so run the same command again";
    context.complain("nothing was recorded: no host could be reached", Some(help));
    ended.interrupted().unwrap_or(ExitStatus::Failed)
}

/// Says that the recording has nothing in it, and why that may be.
fn nothing(finished: &FinishedSession, ended: &AgentEnd, context: &CliContext) -> ExitStatus {
    summary::say_bypassed(&finished.bypassed, context);
    summary::say_warnings(&finished.warnings, context);
    if let Some(status) = ended.interrupted() {
        context.say("interrupted: nothing was recorded until then\n");
        return status;
    }
    let absent = &finished.recording.header.absent;
    let help = if !finished.bypassed.is_empty() {
        "the connections above did not go through the recorder; `--pass HOST` leaves one alone that need not be recorded"
            .to_owned()
    } else if !finished.warnings.is_empty() {
        "the warnings above name what the command did and what was not recorded; `--only` and `--pass` leave hosts out"
            .into()
    } else if !absent.is_empty() {
        format!("the command asked {}, where nothing listens: is the server running?", absent.join(", "))
    } else if let ExitStatus::Command(code) = ended.status() {
        format!(
            "the command ended with exit code {code} before it made an HTTP request; does it run without the recorder?"
        )
    } else {
        "the command made no HTTP request to anything but servers of its own; is it the one that talks to the model?"
            .into()
    };
    context.complain("nothing was recorded", Some(&help));
    ExitStatus::Failed
}

/// Writes the recording where it belongs, or where it can be found.
fn write(path: &Path, finished: &FinishedSession, context: &CliContext) -> Result<(), ExitStatus> {
    recorded::write(path, &finished.recording, &finished.secrets).map_err(|mut error| {
        if let Some(kept) = keep_elsewhere(path, &finished.recording, &finished.secrets) {
            error.help = Some(format!("it is kept in `{}`: move it from there", kept.display()));
        }
        error.tell(context)
    })
}
