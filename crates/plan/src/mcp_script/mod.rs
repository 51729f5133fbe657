//! A scripted MCP server: what it offers and what it answers.

mod answer;

use agentci_source::Spanned;
use serde_json::{Map, Value};

use crate::Data;

pub use answer::{AnswerStep, CallOutcome, ClientQuestion, LogLevel, QuestionKind, ToolAnswer};

/// The script of an MCP server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct McpScript {
    /// The name it reports.
    pub name: String,
    /// The version it reports.
    pub version: String,
    /// Its instructions for clients.
    pub instructions: Option<String>,
    /// Its tools, in the order it lists them.
    pub tools: Vec<ScriptedMcpTool>,
    /// Its resources and resource templates.
    pub resources: Vec<Resource>,
    pub prompts: Vec<McpPrompt>,
    /// The page size of lists; all entries when absent.
    pub page: Option<usize>,
}

/// A tool of a scripted MCP server.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedMcpTool {
    pub name: Spanned<String>,
    /// What the list of tools says about it besides the name, by the protocol's own keys.
    pub declared: Map<String, Value>,
    /// Its answers. Those that match a call are given in order; the last one repeats.
    pub answers: Vec<ToolAnswer>,
}

/// A resource or a resource template.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// Its URI; one that contains `{name}` is a template.
    pub uri: Spanned<String>,
    /// What the list of resources says about it besides the URI, by the protocol's own keys.
    pub declared: Map<String, Value>,
    pub holds: ResourceContent,
    /// Completions for the variables of the template, by variable name.
    pub complete: Vec<(String, Vec<String>)>,
}

impl Resource {
    pub fn is_template(&self) -> bool {
        self.uri.value.contains('{')
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceContent {
    /// Text; it may contain variables of the template.
    Text(Data),
    /// Bytes, as Base64.
    Blob(String),
}

/// A prompt of a scripted MCP server.
#[derive(Debug, Clone, PartialEq)]
pub struct McpPrompt {
    pub name: Spanned<String>,
    /// What the list of prompts says about it besides the name, by the protocol's own keys.
    pub declared: Map<String, Value>,
    /// Questions to the client before the answer.
    pub steps: Vec<AnswerStep>,
    /// Its messages, in the protocol's format.
    pub messages: Data,
    /// Completions for the arguments, by name.
    pub complete: Vec<(String, Vec<String>)>,
}

impl McpPrompt {
    /// The names of required arguments.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        let arguments = self.declared.get("arguments").and_then(Value::as_array).into_iter().flatten();
        arguments.filter(|argument| argument["required"] == true).filter_map(|argument| argument["name"].as_str())
    }
}
