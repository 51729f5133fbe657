//! An agent with everything filled in: where its model is, what it is sent, and who it is.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{ChatApi, ChatTarget, KeyHeader, Prompt, UnsetVariable};
use serde_json::{Map, Value};

use super::context::Setting;
use super::hooks::Hooks;
use super::prompts::environment;
use super::scripted::ScriptedModel;
use crate::{Context, DriveError};
use agentci_exchange::Line;

/// The version of Anthropic's Messages that we speak.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// An agent, ready to be asked.
#[derive(Debug, Clone)]
pub(super) struct Seat {
    pub(super) api: Api,
    pub(super) connector: String,
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) model: String,
    /// What is sent with every request.
    pub(super) options: Map<String, Value>,
    pub(super) prompts: Arc<[Prompt]>,
    pub(super) presets: Arc<[(String, Arc<[Prompt]>)]>,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) setting: Setting,
    pub(super) hooks: Option<Hooks>,
    pub(super) timeout: Duration,
}

/// What speaks at the other end.
#[derive(Debug, Clone)]
pub(super) enum Api {
    OpenAi,
    Anthropic,
    Scripted(Rc<dyn ScriptedModel>),
}

impl Seat {
    /// Fills in an agent. The outer error is the suite's fault, a variable without a value.
    pub(super) fn fill(
        target: &ChatTarget,
        context: &Context<'_>,
        line: &Line,
    ) -> Result<Result<Self, DriveError>, UnsetVariable> {
        let connector = &*target.connector;
        let lookup = context.lookup;
        let api = match &connector.api {
            ChatApi::OpenAi => Api::OpenAi,
            ChatApi::Anthropic => Api::Anthropic,
            ChatApi::Scripted(script) => match context.resources.model(script) {
                Ok(model) => Api::Scripted(model),
                Err(message) => return Ok(Err(DriveError::Unsupported(message))),
            },
        };
        let hooks = match &target.script {
            None => None,
            Some(file) => match Hooks::open(file, context.resources) {
                Ok(hooks) => Some(hooks),
                Err(error) => return Ok(Err(error)),
            },
        };
        let key = connector.key.as_ref().map(|key| line.fill(lookup, |lookup| key.fill(lookup))).transpose()?;
        let mut options = connector.settings.clone();
        options.extend(target.options.iter().map(|(name, value)| (name.clone(), value.clone())));
        let presets = Arc::clone(&target.presets);
        let all = target.prompts.iter().chain(presets.iter().flat_map(|(_, prompts)| prompts.iter()));
        Ok(Ok(Self {
            headers: headers(&api, key, connector.key_header),
            api,
            connector: connector.id.clone(),
            url: line.fill(lookup, |lookup| connector.url.value.fill(lookup))?,
            model: connector.model.fill(lookup)?,
            options,
            environment: environment(all, lookup),
            prompts: Arc::clone(&target.prompts),
            presets,
            setting: Setting::new(target, context),
            hooks,
            // A longer limit of the run is meant for slow models, too; a shorter one is the case's.
            timeout: context.request_timeout.unwrap_or_default().max(target.timeout),
        }))
    }
}

fn headers(api: &Api, key: Option<String>, shown: Option<KeyHeader>) -> Vec<(String, String)> {
    let mut headers = vec![("accept".to_owned(), "text/event-stream, application/json".to_owned())];
    let usual = match api {
        Api::Anthropic => {
            headers.push(("anthropic-version".to_owned(), ANTHROPIC_VERSION.to_owned()));
            KeyHeader::XApiKey
        }
        Api::OpenAi | Api::Scripted(_) => KeyHeader::Bearer,
    };
    if let Some(key) = key.filter(|key| !key.is_empty()) {
        headers.push(match shown.unwrap_or(usual) {
            KeyHeader::Bearer => ("authorization".to_owned(), format!("Bearer {key}")),
            KeyHeader::ApiKey => ("api-key".to_owned(), key),
            KeyHeader::XApiKey => ("x-api-key".to_owned(), key),
        });
    }
    headers
}
