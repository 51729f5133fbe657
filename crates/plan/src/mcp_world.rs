//! Mock MCP servers of a case.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_source::{Span, Spanned};

use crate::Target;
use crate::mcp_script::McpScript;

/// A mock MCP server for an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct McpWorld {
    /// The name in the suite.
    pub name: Spanned<String>,
    /// The source of its answers.
    pub source: McpSource,
    /// Where the suite names its file.
    pub span: Span,
}

/// The source of the answers of a mock MCP server.
#[derive(Debug, Clone, PartialEq)]
pub enum McpSource {
    Script {
        /// The file.
        path: PathBuf,
        /// The contents.
        script: Arc<McpScript>,
    },
    /// A recording of a real server.
    Recording {
        /// The file.
        path: PathBuf,
        /// A part of the URL or command of the server, to select it if the recording contains several.
        server: Option<Spanned<String>>,
    },
}

impl McpWorld {
    /// The file with its answers.
    pub fn path(&self) -> &Path {
        match &self.source {
            McpSource::Script { path, .. } | McpSource::Recording { path, .. } => path,
        }
    }

    /// Its script, if it has one.
    pub fn script(&self) -> Option<&Arc<McpScript>> {
        match &self.source {
            McpSource::Script { script, .. } => Some(script),
            McpSource::Recording { .. } => None,
        }
    }

    /// Its name in variables: `${MCP.NAME.url}`.
    pub fn word(&self) -> String {
        word(&self.name.value)
    }

    /// The environment variable that contains its URL.
    pub fn variable(&self) -> String {
        variable(&self.name.value)
    }
}

impl Target {
    /// Whether it can be pointed at mock MCP servers of its case: agentci starts it, or its requests carry their URLs.
    pub fn reaches_mcp(&self) -> bool {
        match self {
            Target::Process(_) => true,
            Target::Http(http) => http.server.is_some() || http.tells_of_mcp(),
            Target::Mock(_) | Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Chat(_) => false,
        }
    }
}

/// The environment variable that contains the URL of the server with this name. Different names may have the same
/// variable.
pub fn variable(name: &str) -> String {
    format!("AGENTCI_MCP_{}_URL", word(name).to_ascii_uppercase())
}

fn word(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
