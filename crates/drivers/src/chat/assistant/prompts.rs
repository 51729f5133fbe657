//! Fills in the variables of prompts.

use std::collections::BTreeMap;

use agentci_plan::ChatPrompt;
use serde_json::{Value, json};

use super::variables::{Family, fill};
use crate::{DriveError, DriveResult};

/// The limit on the bytes that variables add to the prompts of a request.
const FILLED_LIMIT: usize = 64 << 20;

/// The prompts as messages. A variable without a value stays as it is written.
pub(super) fn messages(
    prompts: &[ChatPrompt],
    word: impl Fn(Family, &str) -> Option<String>,
) -> DriveResult<Vec<Value>> {
    // After the limit is exceeded, no more values are filled in.
    let mut left = Some(FILLED_LIMIT);
    let mut message = |prompt: &ChatPrompt| {
        let content = fill(&prompt.content, |family, name| {
            let value = word(family, name)?;
            left = left.and_then(|left| left.checked_sub(value.len()));
            Some(left.map(|_| value).unwrap_or_default())
        });
        let mut message = json!({ "role": prompt.role, "content": content });
        if let Some(name) = &prompt.name {
            message["name"] = name.as_str().into();
        }
        message
    };
    let messages = prompts.iter().map(&mut message).collect();
    if left.is_none() {
        let message = format!("variables expand the prompts by more than {} MiB", FILLED_LIMIT >> 20);
        return Err(DriveError::Unsupported(message));
    }
    Ok(messages)
}

/// The environment variables that prompts use, with their values.
pub(super) fn environment<'p>(
    prompts: impl Iterator<Item = &'p ChatPrompt>,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> BTreeMap<String, String> {
    let mut known = BTreeMap::new();
    for prompt in prompts.filter(|prompt| prompt.content.contains("$ENV.")) {
        fill(&prompt.content, |family, name| {
            if family == Family::Env && !known.contains_key(name) {
                known.insert(name.to_owned(), lookup(&format!("ENV.{name}")).unwrap_or_default());
            }
            None
        });
    }
    known
}
