//! An agent that is prompts and a model: we are the one who asks the model.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::Assistant;
use crate::{ModelScript, OutputRule, Text};
use agentci_source::{Span, Spanned};

/// An agent that is prompts before a conversation and a model that goes on with it.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatTarget {
    /// Its name.
    pub agent: String,
    /// The model.
    pub connector: Arc<Connector>,
    /// What stands before every conversation.
    pub prompts: Arc<[ChatPrompt]>,
    /// What is passed to the model with every request: temperature, tools and so on.
    pub options: Map<String, Value>,
    /// Variables of a file; they come before those of the environment.
    pub environment: Option<Arc<EnvironmentFile>>,
    /// Facts about who asks, by name. Only the assistant runtime knows what they mean.
    pub context: Map<String, Value>,
    /// What the assistant runtime adds.
    pub assistant: Assistant,
    /// How long one request may take.
    pub timeout: Duration,
    /// Whether it must put something out.
    pub output: OutputRule,
    /// Where the suite says so.
    pub span: Span,
}

/// A file of variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentFile {
    /// The file.
    pub path: PathBuf,
    /// What it says, in its order.
    pub values: Vec<(String, String)>,
}

/// A message before the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatPrompt {
    /// Who speaks.
    pub role: String,
    /// The speaker's name.
    pub name: Option<String>,
    /// The words.
    pub content: String,
    /// Whether it is one of all agents, which a function or the conversation's own data may leave out.
    pub shared: bool,
}

/// A model and how it is reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Connector {
    /// Its name.
    pub id: String,
    /// What speaks there.
    pub api: ChatApi,
    /// Where requests are sent, the whole address; empty for a scripted model.
    pub url: Spanned<Text>,
    /// The model that is asked for.
    pub model: Text,
    /// The key.
    pub key: Option<Text>,
    /// How the key is shown; as the API's own users do when absent.
    pub key_header: Option<KeyHeader>,
    /// What is sent with every request, under the agent's own options.
    pub settings: Map<String, Value>,
    /// The file that a scripted model is from.
    pub script: Option<PathBuf>,
}

/// What speaks at the other end.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatApi {
    /// The Chat Completions of `OpenAI`.
    OpenAi,
    /// Anthropic's Messages.
    Anthropic,
    /// Nobody: a script, in this program.
    Scripted(Arc<ModelScript>),
}

/// How a key is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyHeader {
    /// `Authorization: Bearer`.
    Bearer,
    /// `api-key`.
    ApiKey,
    /// `x-api-key`.
    XApiKey,
}

impl KeyHeader {
    /// Every one by its name.
    pub const NAMES: [(&'static str, KeyHeader); 3] =
        [("bearer", KeyHeader::Bearer), ("api-key", KeyHeader::ApiKey), ("x-api-key", KeyHeader::XApiKey)];
}
