//! The file of a recorded world: read before a replay, written after recording.

use std::path::Path;

use agentci_plan::{Mode, RecordedWorld};
use agentci_recorder::Recording;
use agentci_source::FileError;
use agentci_text::shell_quoted;
use agentci_trace::sha256;
use agentci_verdict::{Cause, Finding, ReplaySource};

use crate::{job::CaseJob, recording::replay_source, setup_error::SetupError};

/// Reads the recording of a case; the finding says how to fix it if that fails.
pub(super) fn read(job: &CaseJob<'_>, world: RecordedWorld<'_>) -> Result<(Recording, ReplaySource), SetupError> {
    let path = &world.recording.path;
    let shown = path.display();
    let make = |how: &str| format!("{how} with `{}`", command(job, false));
    let text = text(job, path).map_err(|error| {
        wrong(job, world, format!("the recording `{shown}` cannot be read: {error}"), make("record it"))
    })?;
    if !Recording::is_world(&text) {
        let message =
            format!("`{shown}` is not a recording of an agent's requests: its first line does not contain `\"v\":2`");
        return Err(wrong(job, world, message, make("record it again")));
    }
    let recording = agentci_recorder::load(path)
        .map_err(|error| wrong(job, world, format!("`{shown}` cannot be played: {error}"), make("record it again")))?;
    Ok((recording, replay_source(path, &sha256(text.as_bytes()))))
}

/// Whether the recording of a case is a recorded conversation, as earlier versions made for servers that they started:
/// it still replaces the agent.
pub(crate) fn is_conversation(job: &CaseJob<'_>) -> bool {
    let recorded = job.case.recorded_world().filter(|_| job.run.options.mode == Mode::Replay);
    let Some(world) = recorded.filter(|_| job.case.target.is_recorded()) else { return false };
    text(job, &world.recording.path).is_ok_and(|text| !text.is_empty() && !Recording::is_world(&text))
}

/// The warning for a case that is answered from a recorded conversation although its agent could be run.
pub(crate) fn earlier(job: &CaseJob<'_>) -> Option<String> {
    let world = job.case.recorded_world()?;
    let (shown, command) = (world.recording.path.display(), command(job, false));
    Some(format!(
        "`{shown}` was recorded by an earlier version and replaces the agent: no agent is run; `{command}` records the \
         agent's requests instead"
    ))
}

/// The command that records a case again.
pub(super) fn command(job: &CaseJob<'_>, update: bool) -> String {
    let update = if update { "--update " } else { "" };
    let path = shell_quoted(&job.run.suite.path.display().to_string());
    format!("agentci record {update}{path} --case {}", shell_quoted(&job.case.id))
}

fn text(job: &CaseJob<'_>, path: &Path) -> Result<String, FileError> {
    job.run.options.files.read_text(path, Recording::LARGEST as u64)
}

pub(super) fn wrong(job: &CaseJob<'_>, world: RecordedWorld<'_>, message: String, help: String) -> SetupError {
    let finding = Finding::new(Cause::Config, message).at(job.place(world.recording.span), "this recording");
    finding.help(help).into()
}
