//! An agent with all variables filled in: the URL of its model, the headers, the options, and its runtime.

use std::rc::Rc;
use std::time::Duration;

use agentci_plan::{ChatApi, ChatTarget, KeyHeader};
use agentci_protocols::chat::ScriptedModel;
use serde_json::{Map, Value};

use super::assistant::AssistantRuntime;
use crate::error::OpenError;
use crate::{DriveError, DriverContext};
use agentci_exchange::AgentLine;

/// The supported version of Anthropic's Messages API.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// An agent that is ready for requests.
#[derive(Debug, Clone)]
pub(super) struct ChatSession {
    pub(super) api: ModelApi,
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) model: String,
    /// The options of every request.
    pub(super) options: Map<String, Value>,
    pub(super) assistant: AssistantRuntime,
    pub(super) timeout: Duration,
}

#[derive(Debug, Clone)]
pub(super) enum ModelApi {
    OpenAi,
    Anthropic,
    Scripted(Rc<dyn ScriptedModel>),
}

impl ChatSession {
    pub(super) fn open(target: &ChatTarget, context: &DriverContext<'_>, line: &AgentLine) -> Result<Self, OpenError> {
        let connector = &*target.connector;
        let lookup = context.lookup;
        let api = match &connector.api {
            ChatApi::OpenAi => ModelApi::OpenAi,
            ChatApi::Anthropic => ModelApi::Anthropic,
            ChatApi::Scripted(script) => {
                ModelApi::Scripted(context.resources.model(script).map_err(DriveError::Unsupported)?)
            }
        };
        let assistant = AssistantRuntime::open(target, context)?;
        let key = connector.key.as_ref().map(|key| line.fill(lookup, |lookup| key.fill(lookup))).transpose()?;
        let mut options = connector.settings.clone();
        options.extend(target.options.iter().map(|(name, value)| (name.clone(), value.clone())));
        Ok(Self {
            headers: headers(&api, key, connector.key_header),
            api,
            url: line.fill(lookup, |lookup| connector.url.value.fill(lookup))?,
            model: connector.model.fill(lookup)?,
            options,
            assistant,
            // A longer limit of the run is also meant for slow models; a shorter one limits the case, not the request.
            timeout: context.request_timeout.unwrap_or_default().max(target.timeout),
        })
    }
}

fn headers(api: &ModelApi, key: Option<String>, shown: Option<KeyHeader>) -> Vec<(String, String)> {
    let mut headers = vec![("accept".to_owned(), "text/event-stream, application/json".to_owned())];
    let usual = match api {
        ModelApi::Anthropic => {
            headers.push(("anthropic-version".to_owned(), ANTHROPIC_VERSION.to_owned()));
            KeyHeader::XApiKey
        }
        ModelApi::OpenAi | ModelApi::Scripted(_) => KeyHeader::Bearer,
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
