//! Recordings of conversations: read before a replay, written after a recorded attempt.

use agentci_exchange::{Recorder, Recording};
use agentci_plan::{AnsweredBy, Mode, ToolSource};
use agentci_trace::{Redactor, sha256};
use agentci_verdict::{Cause, Finding, Played, Replay, Status};

use crate::findings;
use crate::job::Job;

/// What stands in for the network.
pub(crate) enum Tape {
    /// Nothing: the agent is reached.
    Live,
    /// The agent is reached, and what it sends is kept.
    Record(Recorder),
    /// A recording, and which.
    Replay(Recording, Replay),
}

/// What the case and the mode ask for; the error says what is missing.
pub(crate) fn open(job: &Job<'_>) -> Result<Tape, Box<Finding>> {
    // Who asks a model records it only where the suite says so.
    let target = &*job.case.target;
    let records = target.is_recorded() && (target.takes_requests() || job.case.world.recording.is_some());
    if !records || job.run.options.mode == Mode::Live {
        return Ok(Tape::Live);
    }
    let Some(recording) = &job.case.world.recording else {
        // An agent whose tools are played is asked itself.
        if matches!(job.case.world.tools, ToolSource::Routes(_)) {
            return Ok(Tape::Live);
        }
        let verb = if job.run.options.mode == Mode::Record { "record to" } else { "replay" };
        let finding = findings::plain(
            Cause::Config,
            format!("there is no `recording` to {verb}"),
            Some(job.place(job.case.span)),
        );
        let help = "add `recording: PATH` to the `world` of the case, or use `--mode live`";
        return Err(Box::new(Finding { help: Some(help.into()), ..finding }));
    };
    if job.run.options.mode == Mode::Record {
        return Ok(Tape::Record(Recorder::new()));
    }
    let wrong = |message: String, help: &str| {
        let finding = findings::plain(Cause::Config, message, Some(job.place(recording.span)));
        Box::new(Finding { help: Some(help.into()), ..finding })
    };
    let shown = recording.path.display();
    let text = job.run.options.files.read_text(&recording.path, Recording::LARGEST as u64).map_err(|error| {
        wrong(format!("the recording `{shown}` can not be read: {error}"), "make it with `agentci record`")
    })?;
    let read = Recording::parse(&text)
        .map_err(|error| wrong(format!("`{shown}` is no recording: {error}"), "make it again with `agentci record`"))?;
    let sha256 = sha256(text.as_bytes());
    let replay = Replay { cassette_path: shown.to_string(), cassette_sha256: sha256, unused_lines: Vec::new() };
    Ok(Tape::Replay(read, replay))
}

/// The recording that answers a case in place of its agent, if one does.
pub(crate) fn played(job: &Job<'_>) -> Option<Played> {
    let AnsweredBy::Recording(recording) = job.case.answered_by(job.run.options.mode) else { return None };
    Some(Played {
        recording: recording.path.display().to_string(),
        place: job.run.sources.spot(recording.span),
        meant: job.case.played,
    })
}

/// Keeps a recording of an attempt that was not broken off from outside, however it ended.
pub(crate) fn save(job: &Job<'_>, recording: &Recording, secrets: &Redactor, found: &[Finding]) -> Option<Finding> {
    let kept = &job.case.world.recording.as_ref()?;
    let useless = [Cause::Interrupted, Cause::Unreachable, Cause::Config, Cause::StubMiss];
    if found.iter().any(|finding| useless.contains(&finding.cause)) {
        return None;
    }
    // A recording of a conversation that came to nothing does not take the place of one that did.
    if kept.path.exists() && found.iter().any(|finding| finding.cause.status() == Status::Error) {
        return None;
    }
    let error = agentci_stubs::replace_file(&kept.path, recording.write(secrets)).err()?;
    let message = format!("the recording could not be written: {error}");
    Some(findings::plain(Cause::Config, message, Some(job.place(job.case.span))))
}
