//! An assistant: its hooks, and the prompts that they may choose from.

use std::collections::BTreeMap;
use std::sync::Arc;

use agentci_plan::{ChatPrompt, ChatTarget, UnsetVariableError};
use serde_json::{Map, Value};

use super::calendar;
use super::context::AssistantContext;
use super::create_hook::Opening;
use super::hooks::Hooks;
use super::next_hook::{NextStep, payload, step};
use super::prompts::{Prompt, environment, messages};
use super::variables::Family;
use crate::chat::conversation::ModelTurn;
use crate::error::OpenError;
use crate::{DriveError, DriveResult, DriverContext};

#[derive(Debug, Clone)]
pub(in crate::chat) struct AssistantRuntime {
    /// The name of its model, which `Create` may repeat but not change.
    connector: String,
    prompts: Arc<[Prompt]>,
    presets: Arc<[(String, Arc<[Prompt]>)]>,
    environment: BTreeMap<String, String>,
    context: AssistantContext,
    hooks: Option<Hooks>,
}

impl AssistantRuntime {
    pub(in crate::chat) fn open(target: &ChatTarget, context: &DriverContext<'_>) -> Result<Self, OpenError> {
        let data = &target.assistant;
        let filled = |prompts: &[ChatPrompt]| -> Result<Arc<[Prompt]>, UnsetVariableError> {
            prompts.iter().map(|prompt| Prompt::filled(prompt, context.lookup)).collect()
        };
        let prompts = filled(&target.prompts)?;
        let presets = data.presets.iter().map(|(name, prompts)| Ok((name.clone(), filled(prompts)?)));
        let presets: Arc<[_]> = presets.collect::<Result<_, UnsetVariableError>>()?;
        let all = prompts.iter().chain(presets.iter().flat_map(|(_, prompts)| prompts.iter()));
        Ok(Self {
            connector: target.connector.id.clone(),
            environment: environment(all, context.lookup),
            prompts,
            presets,
            context: AssistantContext::new(target, context),
            hooks: data.script.as_ref().map(|file| Hooks::open(file, context.resources)).transpose()?,
        })
    }

    /// Whether it may delegate a turn to another agent: only hooks do.
    pub(super) fn may_delegate(&self) -> bool {
        self.hooks.is_some()
    }

    /// The request to the model, changed by `Create`.
    pub(in crate::chat) async fn create(
        &self,
        messages: Vec<Value>,
        options: Map<String, Value>,
    ) -> DriveResult<Opening> {
        let mut opening = Opening::new(self.context.clone(), messages, options);
        if let Some(hooks) = &self.hooks {
            let arguments = [opening.context.value(), Value::Array(opening.messages.clone())];
            if let Some(returned) = hooks.call("Create", &arguments).await? {
                opening.change(returned, &self.connector, hooks)?;
            }
        }
        opening.choose_prompts(&self.prompts, &self.presets);
        Ok(opening)
    }

    /// The prompts as messages at a time in Unix milliseconds. Without a time, variables of the time stay unfilled;
    /// this form identifies a request in a recording.
    pub(in crate::chat) fn prompts(&self, opening: &Opening, unix_ms: Option<u64>) -> DriveResult<Vec<Value>> {
        messages(&opening.prompts, |family, name| match family {
            Family::Sys => calendar::word(unix_ms?, name),
            Family::Env => Some(self.environment.get(name).cloned().unwrap_or_default()),
            Family::Ctx => Some(opening.context.word(name)),
        })
    }

    /// What `Next` decides about the model's answer or failure; `None` if it returns nothing.
    pub(in crate::chat) async fn next(
        &self,
        opening: &Opening,
        answered: Result<&ModelTurn, &DriveError>,
    ) -> DriveResult<Option<NextStep>> {
        let Some(hooks) = &self.hooks else { return Ok(None) };
        let arguments = [opening.context.value(), payload(&opening.messages, answered)];
        match hooks.call("Next", &arguments).await? {
            Some(returned) => step(returned, &opening.messages, hooks),
            None => Ok(None),
        }
    }
}
