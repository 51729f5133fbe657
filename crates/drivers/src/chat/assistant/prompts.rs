//! Prompts with their variables put in.

use std::collections::BTreeMap;

use agentci_plan::ChatPrompt;
use serde_json::{Map, Value};

use super::calendar::Calendar;
use super::context::AssistantContext;
use super::variables::{Family, fill};
use crate::{DriveError, DriveResult};

/// The most bytes that variables put into the prompts of a request.
const FILLED_LIMIT: usize = 64 << 20;

/// What prompts may say.
#[derive(Debug, Clone, Copy)]
pub(super) struct PromptWords<'w> {
    /// The time; without it the variables stay, which is how a request is known again at another time.
    pub(super) calendar: Option<Calendar>,
    pub(super) environment: &'w BTreeMap<String, String>,
    pub(super) context: &'w AssistantContext,
}

impl PromptWords<'_> {
    /// The prompts as messages.
    pub(super) fn messages(&self, prompts: &[ChatPrompt]) -> DriveResult<Vec<Value>> {
        let mut left = Some(FILLED_LIMIT);
        let messages = prompts.iter().map(|prompt| self.message(prompt, &mut left)).collect();
        if left.is_none() {
            let message = format!("variables put more than {} MiB into the prompts", FILLED_LIMIT >> 20);
            return Err(DriveError::Unsupported(message));
        }
        Ok(messages)
    }

    /// A prompt as a message; once nothing is `left` to be put in, nothing is.
    fn message(&self, prompt: &ChatPrompt, left: &mut Option<usize>) -> Value {
        let content = fill(&prompt.content, |family, name| {
            let value = match family {
                Family::Sys => self.calendar?.word(name)?,
                Family::Env => self.environment.get(name).cloned().unwrap_or_default(),
                Family::Ctx => self.context.word(name),
            };
            *left = left.and_then(|left| left.checked_sub(value.len()));
            Some(left.map(|_| value).unwrap_or_default())
        });
        let mut message = Map::new();
        message.insert("role".into(), prompt.role.as_str().into());
        message.insert("content".into(), content.into());
        if let Some(name) = &prompt.name {
            message.insert("name".into(), name.as_str().into());
        }
        Value::Object(message)
    }
}

/// The variables of the environment that prompts name, with their values.
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
