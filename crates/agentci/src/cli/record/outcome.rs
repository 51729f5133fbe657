//! Writes the recording once the command has ended, and prints a summary.

use std::path::Path;

use agentci::report::one_line;
use agentci_recorder::{EndKind, FinishedSession, Recording};

use super::destination::keep_elsewhere;
use super::peers::peers;
use super::{RecordBudget, summary};
use crate::cli::recorded::{self, AgentEnd, StopReason};
use crate::cli::{CliContext, ExitStatus, command_line};

/// Writes the recording, and reports what it contains and what it lacks.
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
                "the command was stopped: it took longer than `--max-wall`",
                Some("the recording contains its calls until then"),
            );
            status = ExitStatus::Failed;
        }
        Some(StopReason::Asked(_)) if status != ExitStatus::Success => {
            context.say("interrupted: the recording contains the calls until then\n");
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

/// Whether no call except telemetry reached its host, so that there is only a failure to replay.
fn is_unanswered(recording: &Recording) -> bool {
    let mut calls = recording.exchanges.iter().filter(|exchange| !exchange.chatter).peekable();
    calls.peek().is_some() && calls.all(|exchange| matches!(exchange.end.how, EndKind::Unreachable(_)))
}

/// Reports the hosts that could not be reached.
fn unanswered(finished: &FinishedSession, ended: &AgentEnd, budget: &RecordBudget, context: &CliContext) -> ExitStatus {
    context.say(&peers(&finished.recording, None, budget));
    summary::say_bypassed(&finished.bypassed, context);
    summary::say_warnings(&finished.warnings, context);
    let help = "the lines above say why; nothing was written, so run the same command again";
    context.complain("nothing was recorded: no host could be reached", Some(help));
    ended.interrupted().unwrap_or(ExitStatus::Failed)
}

/// Reports that nothing was recorded, and the likely reason.
fn nothing(finished: &FinishedSession, ended: &AgentEnd, context: &CliContext) -> ExitStatus {
    summary::say_bypassed(&finished.bypassed, context);
    summary::say_warnings(&finished.warnings, context);
    if let Some(status) = ended.interrupted() {
        context.say("interrupted: nothing was recorded\n");
        return status;
    }
    let absent = &finished.recording.header.absent;
    let help = if !finished.bypassed.is_empty() {
        "the connections above bypassed the recorder; use `--pass HOST` for hosts that need not be recorded".to_owned()
    } else if !finished.warnings.is_empty() {
        "the warnings above show what the command did that was not recorded; `--only` and `--pass` exclude hosts".into()
    } else if !absent.is_empty() {
        format!("the command called {}, where nothing listens: is the server running?", absent.join(", "))
    } else if let ExitStatus::Command(code) = ended.status() {
        format!("the command exited with code {code} before it made an HTTP request; does it run without the recorder?")
    } else {
        "the command made no HTTP requests except to its own servers; is it the one that calls the model?".into()
    };
    context.complain("nothing was recorded", Some(&help));
    ExitStatus::Failed
}

/// Writes the recording to its file, or to a temporary folder if that fails.
fn write(path: &Path, finished: &FinishedSession, context: &CliContext) -> Result<(), ExitStatus> {
    recorded::write(path, &finished.recording, &finished.secrets).map_err(|mut error| {
        if let Some(kept) = keep_elsewhere(path, &finished.recording, &finished.secrets) {
            error.help = Some(format!("it was saved to `{}`: move it from there", kept.display()));
        }
        error.tell(context)
    })
}
