//! The request to the model, and how `Create` changes it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::context::AssistantContext;
use super::hooks::Hooks;
use super::prompts::Prompt;
use crate::DriveResult;
use crate::chat::message::all_normal;

/// Options that `Create` may return at the top level.
const OPTIONS: [&str; 5] = ["temperature", "top_p", "max_tokens", "max_completion_tokens", "audio"];

/// The request to the model.
#[derive(Debug, Clone)]
pub(in crate::chat) struct Opening {
    /// The conversation, without the prompts.
    pub(in crate::chat) messages: Vec<Value>,
    pub(in crate::chat) options: Map<String, Value>,
    /// What `Create` or the conversation's metadata requested that is not supported.
    pub(in crate::chat) warnings: Vec<String>,
    pub(super) prompts: Vec<Prompt>,
    pub(super) context: AssistantContext,
    preset: Option<String>,
    /// Whether global prompts are left out, if `Create` says so.
    own_prompts: Option<bool>,
}

impl Opening {
    /// The request without changes; the prompts are not chosen yet.
    pub(super) fn new(context: AssistantContext, messages: Vec<Value>, options: Map<String, Value>) -> Self {
        let preset = context.preset().map(str::to_owned);
        Self { messages, options, warnings: Vec::new(), prompts: Vec::new(), context, preset, own_prompts: None }
    }

    /// Applies the return value of `Create`.
    pub(super) fn change(&mut self, returned: Value, connector: &str, hooks: &Hooks) -> DriveResult {
        let wrong = |message: &str| hooks.wrong("Create", message);
        let Value::Object(returned) = returned else {
            return Err(wrong("must return an object (`{ messages, .. }`) or nothing"));
        };
        for (name, value) in returned {
            match (name.as_str(), value) {
                (_, Value::Null) => {}
                ("messages", messages) => {
                    self.messages = all_normal(&messages).map_err(|error| wrong(&error))?;
                }
                ("options", Value::Object(options)) => self.options.extend(options),
                ("options", _) => return Err(wrong("returned `options` that is not an object")),
                ("prompt_preset", Value::String(preset)) => self.preset = Some(preset).filter(|name| !name.is_empty()),
                ("prompt_preset", _) => return Err(wrong("returned a `prompt_preset` that is not a string")),
                ("disable_global_prompts", Value::Bool(disabled)) => self.own_prompts = Some(disabled),
                ("locale", Value::String(locale)) => self.context.set_locale(locale),
                ("metadata", Value::Object(metadata)) => self.context.extend_metadata(metadata),
                ("theme" | "route", value) => self.context.extend_metadata([(name, value)]),
                ("connector", Value::String(wanted)) if wanted == connector || wanted.is_empty() => {}
                ("connector", other) => {
                    return Err(wrong(&format!(
                        "selects the connector {other}, but the suite selects the model of its cases: use `-c`"
                    )));
                }
                (option, value) if OPTIONS.contains(&option) => {
                    self.options.insert(name, value);
                }
                _ => self.warnings.push(format!("`Create` returned `{name}`, which is not supported")),
            }
        }
        Ok(())
    }

    /// Chooses the prompts. An unknown preset results in a warning and the default prompts.
    pub(super) fn choose_prompts(&mut self, usual: &[Prompt], presets: &[(String, Arc<[Prompt]>)]) {
        let preset = self.preset.as_ref().map(|wanted| presets.iter().find(|(name, _)| name == wanted).ok_or(wanted));
        let chosen = match preset {
            None => usual,
            Some(Ok((_, prompts))) => prompts,
            Some(Err(wanted)) => {
                let known: Vec<&str> = presets.iter().map(|(name, _)| name.as_str()).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                self.warnings.push(format!("unknown prompt preset `{wanted}`; available: {known}"));
                usual
            }
        };
        let own_alone = self.own_prompts.unwrap_or_else(|| self.context.own_prompts());
        self.prompts = chosen.iter().filter(|prompt| !(own_alone && prompt.shared)).cloned().collect();
    }
}
