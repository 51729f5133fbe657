//! `--rehearse`: replays a recording immediately, to learn which values vary between runs, and to report now what CI
//! would report later.
//!
//! Only short single values are learned, and none within a conversation: a learned place is never compared again, and a
//! changed prompt must remain a miss.

use std::path::Path;
use std::sync::Arc;

use agentci_recorder::{FinishedSession, LearnedHole, MatchRules, Miss, OnMiss, Recording, ReplayPace, SessionMode};

use super::command::agent;
use super::{RecordArguments, counted, warn};
use crate::cli::recorded::{self, AgentEnd, AgentStreams};
use crate::cli::{CliContext, CliError, CommandResult, ExitStatus, replay};

/// How often the command is run again at most: a replay shows only the first difference of a request.
const MOST_RUNS: usize = 5;

/// The longest value that is learned, in characters.
const LONGEST_VALUE: usize = 64;

/// How many values of one request may differ.
const MOST_DIFFERENT: usize = 8;

/// Replays until there are no misses, or a miss cannot be learned.
pub(super) async fn rehearse(
    arguments: &RecordArguments,
    path: &Path,
    recorded: &AgentEnd,
    context: &CliContext,
) -> CommandResult {
    let input = recorded.captured.input.clone().ok_or_else(|| {
        CliError::new(
            "the recording was not rehearsed: the standard input of the command is too long to be kept",
            "the recording was written; pass a shorter input, or let the command read a file",
        )
    })?;
    context.say("rehearsing: running the command again with recorded answers; its local side effects happen again\n");
    let mut recording = recorded::read(path)?;
    let mut learned = Vec::new();
    for _ in 0..MOST_RUNS {
        let failed = |message| CliError::new(message, "the recording was written; only its rehearsal failed");
        let finished = replayed(arguments, &recording, input.clone()).await.map_err(failed)?;
        let found = learnable(&finished.misses, &recording);
        if finished.misses.is_empty() {
            return done(path, &recording, &finished, &learned, context);
        }
        if found.is_empty() {
            return Err(missed(arguments, path, &finished));
        }
        recording.holes.extend(found.iter().cloned());
        learned.extend(found);
    }
    warn("the rehearsal was abandoned: every run of the command differs in another place", context);
    Err(CliError::told())
}

async fn replayed(
    arguments: &RecordArguments,
    recording: &Recording,
    input: Vec<u8>,
) -> Result<FinishedSession, String> {
    let mode = SessionMode::Replay {
        recording: recording.clone(),
        rules: MatchRules::default(),
        on_miss: OnMiss::Fail,
        pace: ReplayPace::Fast,
    };
    let agent = agent(arguments, AgentStreams::Quietly(input));
    let (finished, ended) = agent.run(mode, |_, _| ()).await.map_err(|error| error.to_string())?;
    match ended {
        Ok(ended) if ended.stopped.is_some() => Err("the rehearsal was stopped before it finished".into()),
        Ok(_) => Ok(finished),
        Err(error) => Err(error.to_string()),
    }
}

/// The places in which requests differed and that may be ignored.
fn learnable(misses: &[Arc<Miss>], recording: &Recording) -> Vec<LearnedHole> {
    let mut found: Vec<LearnedHole> = Vec::new();
    for nearest in misses.iter().filter_map(|miss| miss.nearest.as_ref()) {
        let few = nearest.different <= MOST_DIFFERENT && nearest.different < nearest.leaves;
        let single =
            |text: &str| text.chars().count() <= LONGEST_VALUE && !text.trim_matches('"').contains(char::is_whitespace);
        if !few || !single(&nearest.recorded) || !single(&nearest.sent) || in_conversation(&nearest.at) {
            continue;
        }
        let exchange = recording.exchanges.iter().find(|exchange| exchange.id == nearest.id);
        let speaks = exchange.and_then(|exchange| exchange.request.speaks);
        let hole = LearnedHole { speaks, at: nearest.at.clone(), from: "rehearsal".into() };
        if !found.contains(&hole) && !recording.holes.contains(&hole) {
            found.push(hole);
        }
    }
    found
}

/// Whether a place is part of the conversation, or not a place in a JSON body.
fn in_conversation(pointer: &str) -> bool {
    let conversation = [
        "model",
        "messages",
        "input",
        "contents",
        "system",
        "instructions",
        "systemInstruction",
        "system_instruction",
        "tools",
        "prompt",
    ];
    let first = pointer.strip_prefix('/').map(|rest| rest.split('/').next().expect("a split has a first part"));
    pointer.contains(' ') || first.is_none_or(|first| first.is_empty() || conversation.contains(&first))
}

fn done(
    path: &Path,
    recording: &Recording,
    finished: &FinishedSession,
    learned: &[LearnedHole],
    context: &CliContext,
) -> CommandResult {
    if finished.tally.exact + finished.tally.with_holes == 0 {
        let message = "the rehearsal sent none of the recorded requests";
        return Err(CliError::new(message, "does the command need a terminal?"));
    }
    if learned.is_empty() {
        context.say("the rehearsal was answered entirely from the recording\n");
        return Ok(ExitStatus::Success);
    }
    recorded::write(path, recording, &finished.secrets)?;
    let places = learned.iter().map(|hole| hole.at.as_str()).collect::<Vec<_>>().join(", ");
    let count = counted(learned.len(), "place differs", "places differ");
    context.say(&format!(
        "the rehearsal was answered from the recording; {count} between runs and will be ignored: {places}\n"
    ));
    Ok(ExitStatus::Success)
}

fn missed(arguments: &RecordArguments, path: &Path, finished: &FinishedSession) -> CliError {
    let Some(first) = finished.misses.first() else { return CliError::told() };
    let (message, _) = replay::miss(first, path, &arguments.command);
    let help = "a replay of this recording will fail: the agent sends different requests every time; \
                make them stable, or ignore the part that varies with `--volatile POINTER`";
    CliError::new(message, help)
}

#[cfg(test)]
mod tests {
    use agentci_recorder::NearestRequest;

    use super::*;

    fn learned(at: &str, recorded: &str, sent: &str, different: usize) -> bool {
        let nearest = NearestRequest {
            id: 1,
            same_conversation: true,
            different,
            leaves: 20,
            at: at.into(),
            recorded: recorded.into(),
            sent: sent.into(),
        };
        let miss = Miss { number: 1, nearest: Some(nearest), ..Miss::default() };
        !learnable(&[Arc::new(miss)], &Recording::default()).is_empty()
    }

    #[test]
    fn learns_only_short_values_outside_the_conversation() {
        assert!(learned("/metadata/attempt", "17", "18", 1));
        assert!(learned("/user", "\"a-1\"", "\"a-2\"", 3));
        // Differences that a replay must find.
        assert!(!learned("/messages/0/content", "refund", "return", 1));
        assert!(!learned("/model", "gpt-4o", "gpt-4o-mini", 1));
        assert!(!learned("/tools/0/function/name", "a", "b", 1));
        assert!(!learned("/note", "a sentence that changes", "another sentence", 1));
        assert!(!learned("/note line 3", "a", "b", 1));
        assert!(!learned("/metadata/attempt", "17", "18", 12));
        assert!(!learned("", "17", "18", 1));
    }
}
