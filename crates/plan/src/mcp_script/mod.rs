//! A scripted MCP server: what it offers, and what it answers to whom asks for it.

mod answer;

use agentci_source::Spanned;
use serde_json::{Map, Value};

use crate::Data;

pub use answer::{AnswerStep, CallOutcome, ClientQuestion, LogLevel, QuestionKind, ToolAnswer};

/// What a scripted MCP server does.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct McpScript {
    /// The name it gives itself.
    pub name: String,
    /// The version it gives itself.
    pub version: String,
    /// How it wants to be used.
    pub instructions: Option<String>,
    /// Its tools, in the order in which it lists them.
    pub tools: Vec<ScriptedMcpTool>,
    /// Its resources and templates of resources.
    pub resources: Vec<Resource>,
    /// Its prompts.
    pub prompts: Vec<McpPrompt>,
    /// How many entries a page of a list has; all of them when absent.
    pub page: Option<usize>,
}

/// A tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedMcpTool {
    /// Its name.
    pub name: Spanned<String>,
    /// What a list says of it beside the name, by the protocol's own keys.
    pub declared: Map<String, Value>,
    /// What it answers. Those that fit a call are given in turn, the last one again and again.
    pub answers: Vec<ToolAnswer>,
}

/// A resource, or a template of some.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// Its address; one with `{name}` in it is a template.
    pub uri: Spanned<String>,
    /// What a list says of it beside the address, by the protocol's own keys.
    pub declared: Map<String, Value>,
    /// What it holds.
    pub holds: ResourceContent,
    /// What may stand for a part of the template, by the name of the part.
    pub complete: Vec<(String, Vec<String>)>,
}

impl Resource {
    /// Whether it stands for many.
    pub fn is_template(&self) -> bool {
        self.uri.value.contains('{')
    }
}

/// What a resource holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceContent {
    /// Text, in which parts of a template may stand.
    Text(Data),
    /// Bytes, as Base64.
    Blob(String),
}

/// A prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct McpPrompt {
    /// Its name.
    pub name: Spanned<String>,
    /// What a list says of it beside the name, by the protocol's own keys.
    pub declared: Map<String, Value>,
    /// What the client is asked before.
    pub steps: Vec<AnswerStep>,
    /// Its messages, as the protocol has them.
    pub messages: Data,
    /// What may stand for an argument, by its name.
    pub complete: Vec<(String, Vec<String>)>,
}

impl McpPrompt {
    /// The names of arguments that must be given.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        let arguments = self.declared.get("arguments").and_then(Value::as_array).into_iter().flatten();
        arguments.filter(|argument| argument["required"] == true).filter_map(|argument| argument["name"].as_str())
    }
}
