//! An agent that consists of prompts and a model; agentci calls the model.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::Assistant;
use crate::{ModelScript, OutputRule, Text};
use agentci_source::{Span, Spanned};

/// An agent that consists of prompts at the start of a conversation and a model that continues it.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatTarget {
    /// Its name.
    pub agent: String,
    /// The model.
    pub connector: Arc<Connector>,
    /// The messages at the start of every conversation.
    pub prompts: Arc<[ChatPrompt]>,
    /// Options sent to the model with every request, such as the temperature and tools.
    pub options: Map<String, Value>,
    /// Variables from a file; they take precedence over those of the environment.
    pub environment: Option<Arc<EnvironmentFile>>,
    /// Information about the user and the client, by name. Only the assistant runtime interprets it.
    pub context: Map<String, Value>,
    /// What the assistant runtime adds.
    pub assistant: Assistant,
    /// The timeout of one request.
    pub timeout: Duration,
    /// Whether it must produce output.
    pub output: OutputRule,
    /// Where the suite sets it.
    pub span: Span,
}

/// A file of variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentFile {
    /// The file.
    pub path: PathBuf,
    /// The variables, in the order of the file.
    pub values: Vec<(String, String)>,
}

/// A message at the start of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatPrompt {
    /// The role of the author.
    pub role: String,
    /// The name of the author.
    pub name: Option<String>,
    pub content: Text,
    /// Whether it is a prompt of all agents, which a function or the conversation's own data may omit.
    pub shared: bool,
}

/// A model and how to reach it.
#[derive(Debug, Clone, PartialEq)]
pub struct Connector {
    /// Its name.
    pub id: String,
    /// The API of the model.
    pub api: ChatApi,
    /// The full URL that requests are sent to; empty for a scripted model.
    pub url: Spanned<Text>,
    /// The model to request.
    pub model: Text,
    /// The API key.
    pub key: Option<Text>,
    /// The header of the API key; the API's usual one when absent.
    pub key_header: Option<KeyHeader>,
    /// Settings sent with every request; the agent's own options take precedence.
    pub settings: Map<String, Value>,
    /// The file of a scripted model.
    pub script: Option<PathBuf>,
}

/// The API of a model.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatApi {
    /// The Chat Completions of `OpenAI`.
    OpenAi,
    /// Anthropic's Messages.
    Anthropic,
    /// A script, evaluated in this process.
    Scripted(Arc<ModelScript>),
}

/// The header of an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyHeader {
    /// `Authorization: Bearer`.
    Bearer,
    ApiKey,
    /// `x-api-key`.
    XApiKey,
}

impl KeyHeader {
    /// All headers by name.
    pub const NAMES: [(&'static str, KeyHeader); 3] =
        [("bearer", KeyHeader::Bearer), ("api-key", KeyHeader::ApiKey), ("x-api-key", KeyHeader::XApiKey)];
}
