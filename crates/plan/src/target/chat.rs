//! An agent that is prompts and a model: we are the one who asks the model.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::{ModelScript, OutputRule, Text};
use agentci_source::{Span, Spanned};

/// An agent that is prompts before a conversation, a model that goes on with it, and perhaps functions before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatTarget {
    /// Its name.
    pub agent: String,
    /// What its prompts may say of it: name, description, type and the like, by the variable's name.
    pub about: Vec<(String, String)>,
    /// The model.
    pub connector: Arc<Connector>,
    /// What stands before every conversation, `$SYS.`, `$ENV.` and `$CTX.` still to be put in.
    pub prompts: Arc<[Prompt]>,
    /// What is passed to the model with every request: temperature, tools and so on.
    pub options: Map<String, Value>,
    /// Prompts that a function or the conversation's own data may ask for by name, in place of those above.
    pub presets: Arc<[(String, Arc<[Prompt]>)]>,
    /// Variables of a file; they come before those of the environment.
    pub environment: Option<Arc<EnvironmentFile>>,
    /// Functions of its own, `Create` and `Next`.
    pub script: Option<Arc<ScriptFile>>,
    /// Who asks, from where.
    pub context: ChatContext,
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
pub struct Prompt {
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

/// A file of functions, JavaScript or TypeScript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFile {
    /// The file.
    pub path: PathBuf,
    /// What it says.
    pub source: String,
}

/// Who asks, from where; what the agent's functions see and its prompts may say.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatContext {
    /// The user.
    pub user: String,
    /// The team.
    pub team: String,
    /// The conversation; a name of the case and the run when absent.
    pub chat: Option<String>,
    /// The language.
    pub locale: String,
    /// What kind of program asks.
    pub client_type: String,
    /// Its address.
    pub client_ip: String,
    /// Where it came from.
    pub referer: String,
    /// What it takes.
    pub accept: String,
    /// Anything beside.
    pub metadata: Map<String, Value>,
}

impl Default for ChatContext {
    fn default() -> Self {
        Self {
            user: "test-user".into(),
            team: "test-team".into(),
            chat: None,
            locale: "en-us".into(),
            client_type: "test".into(),
            client_ip: "127.0.0.1".into(),
            referer: "test".into(),
            accept: "standard".into(),
            metadata: Map::new(),
        }
    }
}
