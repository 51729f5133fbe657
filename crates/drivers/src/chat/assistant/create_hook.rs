//! What `Create` wants changed before the model is asked.

use serde_json::{Map, Value};

use super::hooks::Hooks;
use super::message::all_normal;
use super::session::Seat;
use crate::DriveError;

/// Names that `Create` may give to options directly.
const OPTIONS: [&str; 5] = ["temperature", "top_p", "max_tokens", "max_completion_tokens", "audio"];

/// What is asked of the model, after `Create` had its say.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) messages: Vec<Value>,
    pub(super) options: Map<String, Value>,
    pub(super) preset: Option<String>,
    /// Whether the prompts of all agents are left out, if `Create` says so.
    own_prompts: Option<bool>,
    pub(super) setting: super::context::Setting,
    /// What `Create` wants and can not have.
    pub(super) ignored: Vec<String>,
}

impl Plan {
    /// What is asked where nobody wants anything changed.
    pub(super) fn new(seat: &Seat, messages: Vec<Value>) -> Self {
        let setting = seat.setting.clone();
        let preset = setting.preset().map(str::to_owned);
        Self { messages, options: seat.options.clone(), preset, own_prompts: None, setting, ignored: Vec::new() }
    }

    /// Whether the prompts of all agents are left out: `Create` says so, or the conversation's own data.
    pub(super) fn own_prompts(&self) -> bool {
        self.own_prompts.unwrap_or_else(|| self.setting.own_prompts())
    }

    /// Takes what `Create` returned.
    pub(super) fn change(&mut self, returned: Value, seat: &Seat, hooks: &Hooks) -> Result<(), DriveError> {
        let wrong = |message: &str| hooks.wrong("Create", message);
        let Value::Object(returned) = returned else {
            return Err(wrong("returned no object: it returns `{ messages, .. }` or nothing"));
        };
        for (name, value) in returned {
            match (name.as_str(), value) {
                (_, Value::Null) => {}
                ("messages", messages) => {
                    self.messages = all_normal(&messages).map_err(|error| wrong(&error))?;
                }
                ("options", Value::Object(options)) => self.options.extend(options),
                ("options", _) => return Err(wrong("returned `options` that are no object")),
                ("prompt_preset", Value::String(preset)) => self.preset = Some(preset).filter(|name| !name.is_empty()),
                ("prompt_preset", _) => return Err(wrong("returned a `prompt_preset` that is no text")),
                ("disable_global_prompts", Value::Bool(disabled)) => self.own_prompts = Some(disabled),
                ("locale", Value::String(locale)) => self.setting.context.locale = locale,
                ("metadata", Value::Object(metadata)) => self.setting.context.metadata.extend(metadata),
                ("theme" | "route", value) => {
                    self.setting.context.metadata.insert(name, value);
                }
                ("connector", Value::String(connector)) if connector == seat.connector || connector.is_empty() => {}
                ("connector", other) => {
                    return Err(wrong(&format!(
                        "wants the connector {other}, and the model of a case is the one its suite names: use `-c`"
                    )));
                }
                (option, value) if OPTIONS.contains(&option) => {
                    self.options.insert(name, value);
                }
                _ => self.ignored.push(name),
            }
        }
        Ok(())
    }
}
