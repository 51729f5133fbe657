//! `agentci recording drift --update`: puts answers of today in the place of recorded ones.

use std::path::Path;

use agentci_recorder::Recording;

use super::drift::DriftAnswer;
use super::keys::KeySource;
use super::live_calls::consent;
use crate::cli::{CliContext, CliError, counted, recorded};

/// Replaces the answers that changed, and says how many.
pub(super) fn update(
    path: &Path,
    recording: &Recording,
    asked: &[DriftAnswer<'_>],
    keys: &KeySource,
    yes: bool,
    context: &CliContext,
) -> Result<usize, CliError> {
    let file = path.display();
    let mut updated = recording.clone();
    let mut replaced = Vec::new();
    for today in asked.iter().filter_map(DriftAnswer::changed) {
        if today.response.as_ref().is_some_and(|response| response.status >= 400) {
            context.say(&format!("call {} keeps its recorded answer: the one of today is an error\n", today.id));
            continue;
        }
        if let Some(old) = updated.exchanges.iter_mut().find(|old| old.id == today.id) {
            replaced.push(today.id);
            old.clone_from(today);
        }
    }
    if replaced.is_empty() {
        return Ok(0);
    }
    let answers = counted(replaced.len(), "answer", "answers");
    let question = format!("replace {answers} in {file} with those that just came, at no further cost?");
    if !consent(&question, yes, context)? {
        context.say("nothing was replaced\n");
        return Ok(0);
    }
    unchanged_since(path, recording)?;
    recorded::write(path, &updated, keys.secrets())?;
    let calls: Vec<String> = replaced.iter().map(ToString::to_string).collect();
    context.say(&format!("replaced {answers} in {file}: call {}\n", calls.join(", ")));
    let first = replaced.first().copied().unwrap_or_default();
    if updated.exchanges.iter().any(|exchange| exchange.id > first && !exchange.chatter) {
        context.say(&format!(
            "later calls were made after the former answers: `agentci replay {file}` says whether they still fit, and \
             `agentci record --update` records those that do not\n"
        ));
    }
    Ok(replaced.len())
}

/// Refuses to write over what someone else has written meanwhile.
fn unchanged_since(path: &Path, recording: &Recording) -> Result<(), CliError> {
    if recorded::read(path)? == *recording {
        return Ok(());
    }
    let message = format!("`{}` has changed since it was read, so nothing was replaced", path.display());
    Err(CliError::new(message, "run the command again"))
}
