//! The world of an agent: its model, tools and MCP servers.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{Data, Fault, LiveTools, Matching, McpWorld, ModelWorld, Normalization, Routes};
use agentci_source::{Span, Spanned};

/// What replaces the real world around the agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct World {
    /// The scripted model of the agent, if any.
    pub model: Option<ModelWorld>,
    /// The mock MCP servers of the agent.
    pub mcp: Arc<[McpWorld]>,
    /// Where recorded tool answers come from.
    pub tools: ToolSource,
    /// The tools that may be called; any when absent.
    pub allowed: Option<Arc<[Spanned<String>]>>,
    /// Tools with scripted answers, which are never looked up elsewhere.
    pub scripted: Arc<[ScriptedTool]>,
    /// Patterns of results that mean that a tool was not run, in addition to the built-in ones.
    pub refusals: Arc<[Spanned<String>]>,
    /// The tools to execute in record and live mode.
    pub live: Arc<LiveTools>,
    /// How results are normalized.
    pub normalization: Arc<Normalization>,
    /// The faults to inject.
    pub faults: Arc<[Fault]>,
    /// A recording: of the agent's requests to its model and tools if agentci starts it, or of the conversation with it
    /// if it is a running server.
    pub recording: Option<RecordingSetting>,
    /// A recording of only the agent's requests to its model, instead of a script.
    pub recorded_model: Option<RecordingSetting>,
    /// Whether the agent may finish without calling its model, scripted or recorded.
    pub model_optional: bool,
    /// What to ignore when requests of the agent are compared with their recording.
    pub matching: Arc<Matching>,
}

impl World {
    /// The allowed tools without scripted answers: they are executed in record and live mode.
    pub fn executed(&self) -> Vec<Spanned<String>> {
        let scripted = |name: &&Spanned<String>| self.scripted.iter().any(|tool| tool.name.value == name.value);
        self.allowed.iter().flat_map(|names| names.iter()).filter(|name| !scripted(name)).cloned().collect()
    }
}

/// A tool with scripted answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedTool {
    pub name: Spanned<String>,
    /// Its answers in order, at least one; the last one repeats.
    pub answers: Vec<ScriptedAnswer>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedAnswer {
    /// Whether the tool succeeded.
    pub ok: bool,
    /// The result, or the error.
    pub data: Data,
}

/// A recording of a conversation or of the world around an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordingSetting {
    /// The file.
    pub path: PathBuf,
    /// Where the suite names it, or the place of what was recorded.
    pub span: Span,
}

/// Where recorded tool answers come from.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum ToolSource {
    /// Nowhere: in replay mode calls have no answer.
    #[default]
    None,
    Cassette(Cassette),
    /// In the fixtures of the stub tool server.
    Routes(Arc<Routes>),
}

/// A recording of tool calls and their answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cassette {
    /// The file.
    pub path: PathBuf,
    /// Where the suite names it.
    pub span: Span,
}
