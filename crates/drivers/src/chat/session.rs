//! An agent with everything filled in: where its model is, what it is sent, and its runtime.

use std::rc::Rc;
use std::time::Duration;

use agentci_plan::{ChatApi, ChatTarget, KeyHeader, UnsetVariable};
use serde_json::{Map, Value};

use super::assistant::Assistant;
use super::scripted::ScriptedModel;
use crate::{Context, DriveError, DriveResult};
use agentci_exchange::Line;

/// The version of Anthropic's Messages that we speak.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// An agent, ready to be asked.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) api: Api,
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) model: String,
    /// What is sent with every request.
    pub(super) options: Map<String, Value>,
    pub(super) assistant: Assistant,
    pub(super) timeout: Duration,
}

/// What speaks at the other end.
#[derive(Debug, Clone)]
pub(super) enum Api {
    OpenAi,
    Anthropic,
    Scripted(Rc<dyn ScriptedModel>),
}

impl Session {
    /// Gets an agent ready. The outer error is the suite's fault, a variable without a value.
    pub(super) fn open(
        target: &ChatTarget,
        context: &Context<'_>,
        line: &Line,
    ) -> Result<DriveResult<Self>, UnsetVariable> {
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
        let assistant = match Assistant::open(target, context) {
            Ok(assistant) => assistant,
            Err(error) => return Ok(Err(error)),
        };
        let key = connector.key.as_ref().map(|key| line.fill(lookup, |lookup| key.fill(lookup))).transpose()?;
        let mut options = connector.settings.clone();
        options.extend(target.options.iter().map(|(name, value)| (name.clone(), value.clone())));
        Ok(Ok(Self {
            headers: headers(&api, key, connector.key_header),
            api,
            url: line.fill(lookup, |lookup| connector.url.value.fill(lookup))?,
            model: connector.model.fill(lookup)?,
            options,
            assistant,
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
