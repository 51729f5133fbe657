//! `--rehearse`: replays a recording at once, to learn what differs from run to run or to say now what CI would say later.
//!
//! Only short single values are learned, and none within a conversation: a place that is learned is never compared again, and
//! a prompt that changes must stay a miss.

use std::path::Path;
use std::sync::Arc;

use agentci::verdict::ExitStatus;
use agentci_recorder::{Finished, LearnedHole, MatchRules, Miss, Mode, OnMiss, Pace, Recording};
use tokio::sync::mpsc::unbounded_channel;

use super::arguments::RecordArguments;
use super::summary::{counted, warn};
use crate::cli::context::Context;
use crate::cli::recorded::{self, Agent, Ended, Given, Hosts, Signals};
use crate::cli::replay;

/// How often the command is run again at most: a replay shows the first difference of a request only.
const MOST_RUNS: usize = 5;

/// The longest value that is learned to differ.
const LONGEST_VALUE: usize = 64;

/// The most values of one request that may differ.
const MOST_DIFFERENT: usize = 8;

/// Replays until nothing is missed, or what is missed cannot be learned.
pub(super) async fn rehearse(
    arguments: &RecordArguments,
    path: &Path,
    recorded: &Ended,
    context: &Context,
) -> ExitStatus {
    context.say("rehearsing: the command is run again, answered from the recording; what it does on this machine happens again\n");
    let mut recording = match recorded::read(path) {
        Ok(recording) => recording,
        Err(error) => return error.tell(context),
    };
    let input = recorded.captured.input.clone().unwrap_or_default();
    let mut learned = Vec::new();
    for _ in 0..MOST_RUNS {
        let finished = match replayed(arguments, &recording, input.clone()).await {
            Ok(finished) => finished,
            Err(message) => {
                context.complain(&message, Some("the recording is written; only its rehearsal failed"));
                return ExitStatus::Failed;
            }
        };
        let found = learnable(&finished.misses, &recording);
        if finished.misses.is_empty() {
            return done(path, &recording, &finished, &learned, context);
        }
        if found.is_empty() {
            return missed(arguments, path, &finished, context);
        }
        recording.holes.extend(found.iter().cloned());
        learned.extend(found);
    }
    warn("the rehearsal was given up: every run of the command differs in another place", context);
    ExitStatus::Failed
}

async fn replayed(arguments: &RecordArguments, recording: &Recording, input: Vec<u8>) -> Result<Finished, String> {
    let signals = Signals::listen();
    let mode = Mode::Replay {
        recording: recording.clone(),
        rules: MatchRules::default(),
        on_miss: OnMiss::Fail,
        pace: Pace::Fast,
    };
    let (observer, mut seen) = unbounded_channel();
    let hosts = Hosts { pass: arguments.pass.clone(), only: arguments.only.clone(), allow: Vec::new() };
    let session = arguments.reach.start(mode, hosts, Some(observer)).await.map_err(|error| error.to_string())?;
    let (limit, streams) = (arguments.limits.max_wall, Given::Quietly(input));
    let agent = Agent { command: &arguments.command, limit, streams, signals };
    let ended = agent.run(&session, &mut seen, drop).await;
    let finished = session.finish().await;
    match ended {
        Ok(ended) if ended.stopped.is_some() => Err("the rehearsal was ended before it was over".into()),
        Ok(_) => Ok(finished),
        Err(error) => Err(error.to_string()),
    }
}

/// The places in which requests differed and that may be left out of comparisons.
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

/// Whether a place is one in which the agent or its user speaks, or not one in a JSON body at all.
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
    let first = pointer.strip_prefix('/').map(|rest| rest.split('/').next().unwrap_or_default());
    pointer.contains(' ') || first.is_none_or(|first| first.is_empty() || conversation.contains(&first))
}

fn done(
    path: &Path,
    recording: &Recording,
    finished: &Finished,
    learned: &[LearnedHole],
    context: &Context,
) -> ExitStatus {
    if finished.tally.exact + finished.tally.with_holes == 0 {
        context.complain("the rehearsal sent none of the recorded requests", Some("does the command need a terminal?"));
        return ExitStatus::Failed;
    }
    if learned.is_empty() {
        context.say("the rehearsal was answered from the recording alone\n");
        return ExitStatus::Success;
    }
    if let Err(error) = recorded::write(path, recording, &finished.secrets) {
        return error.tell(context);
    }
    let places = learned.iter().map(|hole| hole.at.as_str()).collect::<Vec<_>>().join(", ");
    let count = counted(learned.len(), "place differs", "places differ");
    context.say(&format!(
        "the rehearsal was answered from the recording; {count} from run to run and is not compared: {places}\n"
    ));
    ExitStatus::Success
}

fn missed(arguments: &RecordArguments, path: &Path, finished: &Finished, context: &Context) -> ExitStatus {
    let Some(first) = finished.misses.first() else { return ExitStatus::Failed };
    let (message, _) = replay::miss(first, path, &arguments.command);
    let help = "a replay of this recording will fail: the agent sends something else every time; \
                make that stable, or leave it out of comparisons with `--volatile POINTER`";
    context.complain(&message, Some(help));
    ExitStatus::Failed
}

#[cfg(test)]
mod tests {
    use agentci_recorder::Nearest;

    use super::*;

    fn learned(at: &str, recorded: &str, sent: &str, different: usize) -> bool {
        let nearest = Nearest {
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
    fn short_values_beside_the_conversation_are_learned_and_nothing_else() {
        assert!(learned("/metadata/attempt", "17", "18", 1));
        assert!(learned("/user", "\"a-1\"", "\"a-2\"", 3));
        // What a replay is there to find.
        assert!(!learned("/messages/0/content", "refund", "return", 1));
        assert!(!learned("/model", "gpt-4o", "gpt-4o-mini", 1));
        assert!(!learned("/tools/0/function/name", "a", "b", 1));
        assert!(!learned("/note", "a sentence that changes", "another sentence", 1));
        assert!(!learned("/note line 3", "a", "b", 1));
        assert!(!learned("/metadata/attempt", "17", "18", 12));
        assert!(!learned("", "17", "18", 1));
    }
}
