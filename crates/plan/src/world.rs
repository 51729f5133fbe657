//! What the agent's tools and model meet.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{Data, Fault, LiveTools, Matching, McpWorld, ModelWorld, Normalization, Routes};
use agentci_source::{Span, Spanned};

/// What stands in for the world around the agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct World {
    /// The scripted model that answers the agent; none when absent.
    pub model: Option<ModelWorld>,
    /// The MCP servers that are played for it.
    pub mcp: Arc<[McpWorld]>,
    /// Where recorded answers to tool calls are kept.
    pub tools: ToolSource,
    /// The tools that may be called; any when absent.
    pub allowed: Option<Arc<[Spanned<String>]>>,
    /// Tools whose answers are written down; they are not looked for anywhere else.
    pub scripted: Arc<[ScriptedTool]>,
    /// Patterns of results that say that a tool was not run, beside the forms that are known.
    pub refusals: Arc<[Spanned<String>]>,
    /// What is executed in record and live mode.
    pub live: Arc<LiveTools>,
    /// What is evened out in results.
    pub normalization: Arc<Normalization>,
    /// What goes wrong on purpose.
    pub faults: Arc<[Fault]>,
    /// A recording: of what the agent sends to its model and its tools where agentci starts it, of the conversation with it where
    /// it is a server that runs already.
    pub recording: Option<RecordingSetting>,
    /// A recording of what the agent sends to its model alone, in place of a scripted one.
    pub recorded_model: Option<RecordingSetting>,
    /// Whether the agent may do without asking its model, scripted or recorded.
    pub model_optional: bool,
    /// What is not compared between requests of the agent and their recording.
    pub matching: Arc<Matching>,
}

impl World {
    /// The tools that may be called and whose answers are not written down: in record and live mode they are executed.
    pub fn executed(&self) -> Vec<Spanned<String>> {
        let scripted = |name: &&Spanned<String>| self.scripted.iter().any(|tool| tool.name.value == name.value);
        self.allowed.iter().flat_map(|names| names.iter()).filter(|name| !scripted(name)).cloned().collect()
    }
}

/// A tool whose answers are written down.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedTool {
    /// Its name.
    pub name: Spanned<String>,
    /// Its answers in turn, at least one; the last is given again and again.
    pub answers: Vec<ScriptedAnswer>,
}

/// An answer that is written down.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedAnswer {
    /// Whether the tool did its work.
    pub ok: bool,
    /// What it gave, or what it complained of.
    pub data: Data,
}

/// A recording, of a conversation or of the world around an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordingSetting {
    /// The file.
    pub path: PathBuf,
    /// Where the suite names it, or what it is a recording of.
    pub span: Span,
}

/// Where recorded answers to tool calls are kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum ToolSource {
    /// Nowhere: in replay a call has no answer.
    #[default]
    None,
    /// In a file.
    Cassette(Cassette),
    /// In routes of a server of ours.
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
