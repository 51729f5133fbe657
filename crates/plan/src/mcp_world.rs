//! MCP servers that the world of a case plays.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_source::{Span, Spanned};

use crate::Target;
use crate::mcp_script::McpScript;

/// An MCP server that is played for an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct McpWorld {
    /// What the suite calls it.
    pub name: Spanned<String>,
    /// What it answers from.
    pub source: McpSource,
    /// Where the suite names the file of it.
    pub span: Span,
}

/// What a played MCP server answers from.
#[derive(Debug, Clone, PartialEq)]
pub enum McpSource {
    /// A script.
    Script {
        /// The file.
        path: PathBuf,
        /// What it says.
        script: Arc<McpScript>,
    },
    /// A recording of what was said to a real one.
    Recording {
        /// The file.
        path: PathBuf,
        /// What occurs in the address or the command of the server, where the recording has several.
        server: Option<Spanned<String>>,
    },
}

impl McpWorld {
    /// The file that it answers from.
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

    /// The environment variable that holds its address.
    pub fn variable(&self) -> String {
        variable(&self.name.value)
    }
}

impl Target {
    /// Whether it can be told where MCP servers are that are played for its case: agentci starts it, or asks it in words that
    /// say so.
    pub fn reaches_mcp(&self) -> bool {
        match self {
            Target::Process(_) => true,
            Target::Http(http) => http.server.is_some() || http.tells_of_mcp(),
            Target::Mock(_) | Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Chat(_) => false,
        }
    }
}

/// The environment variable that holds the address of a server of this name. Other names may have the same.
pub fn variable(name: &str) -> String {
    format!("AGENTCI_MCP_{}_URL", word(name).to_ascii_uppercase())
}

fn word(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
