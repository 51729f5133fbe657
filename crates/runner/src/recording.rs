//! Recordings of conversations: read before a replay, written after recording.

use std::path::Path;

use agentci_exchange::{AgentRecording, ExchangeRecorder};
use agentci_plan::{AnsweredBy, Case, Mode, Target, ToolSource, TurnInput};
use agentci_trace::{Redactor, sha256};
use agentci_verdict::{CaseStatus, Cause, Finding, Played, ReplaySource};

use crate::{job::CaseJob, recorded_world, setup_error::SetupError};

/// Replaces or records the network.
#[expect(clippy::large_enum_variant, reason = "there is one for each attempt")]
pub(crate) enum NetworkTape {
    /// The agent is called.
    Live,
    /// The agent is called, and what it sends is recorded.
    Record(ExchangeRecorder),
    /// A recording answers in place of the agent.
    Replay(AgentRecording, ReplaySource),
}

/// Opens what the case and the mode require; the error says what is missing.
pub(crate) fn open(job: &CaseJob<'_>) -> Result<NetworkTape, SetupError> {
    // A world recording replaces this one, unless its file is a recorded conversation.
    if job.case.recorded_world().is_some() && !recorded_world::is_conversation(job) {
        return Ok(NetworkTape::Live);
    }
    let target = &*job.case.target;
    // A chat target is recorded only if the suite sets `recording`.
    let records = target.is_recorded() && (target.takes_requests() || job.case.world.recording.is_some());
    if !records || job.run.options.mode == Mode::Live {
        return Ok(NetworkTape::Live);
    }
    let Some(recording) = &job.case.world.recording else {
        // An agent whose tools are played is called itself.
        if matches!(job.case.world.tools, ToolSource::Routes(_)) || !job.case.world.mcp.is_empty() {
            return Ok(NetworkTape::Live);
        }
        // In such a suite only snapshots of a server's tools are recorded; its other cases have nothing to record.
        if makes_snapshots(job) {
            return Ok(NetworkTape::Live);
        }
        let verb = if job.run.options.mode == Mode::Record { "record to" } else { "replay" };
        let help = match target {
            Target::Mcp(_) if job.run.options.mode == Mode::Record => {
                "add `recording: PATH` to the `world` of the case, or a snapshot of the tools: `mcp:list: { snapshot: tools.json }`"
            }
            _ => "add `recording: PATH` to the `world` of the case, or use `--mode live`",
        };
        return Err(job.invalid(job.case.span, format!("the case has no `recording` to {verb}")).help(help).into());
    };
    if job.run.options.mode == Mode::Record {
        return Ok(NetworkTape::Record(ExchangeRecorder::new()));
    }
    let wrong = |message: String, help: &str| job.invalid(recording.span, message).help(help);
    let shown = recording.path.display();
    let text = job.run.options.files.read_text(&recording.path, AgentRecording::LARGEST as u64).map_err(|error| {
        wrong(format!("the recording `{shown}` cannot be read: {error}"), "record it with `agentci record`")
    })?;
    let read = AgentRecording::parse(&text).map_err(|error| {
        wrong(format!("`{shown}` is not a recording: {error}"), "record it again with `agentci record`")
    })?;
    Ok(NetworkTape::Replay(read, replay_source(&recording.path, &sha256(text.as_bytes()))))
}

/// The record of which recording is replayed.
pub(crate) fn replay_source(path: &Path, sha256: &str) -> ReplaySource {
    let (cassette_path, cassette_sha256) = (path.display().to_string(), sha256.to_owned());
    ReplaySource { cassette_path, cassette_sha256, ..ReplaySource::default() }
}

/// Whether a case belongs to a suite that is recording snapshots of a server's tools.
pub(crate) fn makes_snapshots(job: &CaseJob<'_>) -> bool {
    let is_server = matches!(&*job.case.target, Target::Mcp(_));
    is_server && job.run.options.mode == Mode::Record && job.run.shared.snapshots
}

/// Whether a case compares the tools of a server with a snapshot.
pub(crate) fn compares_tools(case: &Case) -> bool {
    let snapshot = |said: &TurnInput| match said {
        TurnInput::Action(action) => action.kind.value == "mcp:list" && action.arguments.get("snapshot").is_some(),
        TurnInput::Input(_) | TurnInput::Messages(_) => false,
    };
    case.turns.iter().any(|turn| snapshot(&turn.said))
}

/// The recording that answers a case in place of its agent, if there is one; `earlier` says that it is a conversation
/// that an earlier version recorded of a server.
pub(crate) fn played(job: &CaseJob<'_>, earlier: bool) -> Option<Played> {
    let recording = match job.case.answered_by(job.run.options.mode) {
        AnsweredBy::Recording(recording) => recording,
        AnsweredBy::Agent if earlier => job.case.world.recording.as_ref()?,
        AnsweredBy::Agent | AnsweredBy::Script => return None,
    };
    Some(Played {
        recording: recording.path.display().to_string(),
        place: job.run.sources.spot(recording.span),
        meant: job.case.played,
    })
}

/// Saves the recording of an attempt that was not aborted from outside, however it ended.
pub(crate) fn save(
    job: &CaseJob<'_>,
    recording: &AgentRecording,
    secrets: &Redactor,
    found: &[Finding],
) -> Option<Finding> {
    let kept = &job.case.world.recording.as_ref()?;
    if !is_worth_keeping(&kept.path, found) {
        return None;
    }
    let error = agentci_files::write_whole(&kept.path, recording.write(secrets)).err()?;
    Some(job.invalid(job.case.span, format!("the recording could not be written: {error}")))
}

/// Whether the recording of an attempt with these findings is worth saving.
pub(crate) fn is_worth_keeping(path: &Path, found: &[Finding]) -> bool {
    let useless = [Cause::Interrupted, Cause::Unreachable, Cause::Config, Cause::StubMiss];
    if found.iter().any(|finding| useless.contains(&finding.cause)) {
        return false;
    }
    // The recording of a broken attempt does not replace an existing one.
    !(path.exists() && found.iter().any(|finding| finding.cause.status() == CaseStatus::Error))
}
