//! Fills in the variables of prompts.

use std::collections::BTreeMap;

use agentci_plan::{ChatPrompt, FilledPiece, UnsetVariableError};
use serde_json::{Value, json};

use super::variables::{Family, fill};
use crate::{DriveError, DriveResult};

/// The limit on the bytes that variables add to the prompts of a request.
const FILLED_LIMIT: usize = 64 << 20;

/// A prompt with the variables of the suite filled in, but not yet those of the runtime.
#[derive(Debug, Clone)]
pub(super) struct Prompt {
    role: String,
    name: Option<String>,
    /// Values of the suite's variables are apart: variables in them are not filled in.
    content: Vec<FilledPiece>,
    /// Whether it is a prompt of all agents, which `Create` or the conversation's own data may omit.
    pub(super) shared: bool,
}

impl Prompt {
    pub(super) fn filled(
        prompt: &ChatPrompt,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, UnsetVariableError> {
        let ChatPrompt { role, name, content, shared } = prompt;
        Ok(Self { role: role.clone(), name: name.clone(), content: content.fill_pieces(lookup)?, shared: *shared })
    }

    /// The text that the suite has, without the values of its variables.
    fn written(&self) -> impl Iterator<Item = &str> {
        self.content.iter().filter_map(|piece| match piece {
            FilledPiece::Written(text) => Some(text.as_str()),
            FilledPiece::Value(_) => None,
        })
    }
}

/// The prompts as messages. A variable without a value stays as it is written.
pub(super) fn messages(prompts: &[Prompt], word: impl Fn(Family, &str) -> Option<String>) -> DriveResult<Vec<Value>> {
    // After the limit is exceeded, no more values are filled in.
    let mut left = Some(FILLED_LIMIT);
    let mut message = |prompt: &Prompt| {
        let mut content = String::new();
        for piece in &prompt.content {
            match piece {
                FilledPiece::Written(text) => content.push_str(&fill(text, |family, name| {
                    let value = word(family, name)?;
                    left = left.and_then(|left| left.checked_sub(value.len()));
                    Some(left.map(|_| value).unwrap_or_default())
                })),
                FilledPiece::Value(value) => content.push_str(value),
            }
        }
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
    prompts: impl Iterator<Item = &'p Prompt>,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> BTreeMap<String, String> {
    let mut known = BTreeMap::new();
    for text in prompts.flat_map(Prompt::written).filter(|text| text.contains("$ENV.")) {
        fill(text, |family, name| {
            if family == Family::Env && !known.contains_key(name) {
                known.insert(name.to_owned(), lookup(&format!("ENV.{name}")).unwrap_or_default());
            }
            None
        });
    }
    known
}
