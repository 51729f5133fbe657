//! Tools that are executed in record and live mode.

use std::path::PathBuf;
use std::time::Duration;

use crate::{CommandPart, McpTransport, Text};
use agentci_source::{Span, Spanned};

/// The default timeout of a tool.
pub const TOOL_TIMEOUT: Duration = Duration::from_secs(30);

/// The tools of a suite that can be executed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveTools {
    /// The tools by name, in the order they are written.
    pub tools: Vec<(Spanned<String>, LiveTool)>,
    /// A Python module with a mapping `TOOLS`.
    pub module: Option<Spanned<String>>,
    /// The suite's folder, where modules are searched.
    pub folder: PathBuf,
}

/// A tool that is executed.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveTool {
    /// A program.
    Command(CommandTool),
    /// An HTTP endpoint that takes the arguments as a JSON body and returns the result as JSON.
    Http(HttpTool),
    /// A tool of an MCP server.
    Mcp(McpTool),
}

impl LiveTool {
    /// Named values that the suite passes to it: environment variables or headers.
    pub fn handed_over(&self) -> &[(String, Text)] {
        match self {
            LiveTool::Command(tool) => &tool.environment,
            LiveTool::Http(tool) => &tool.headers,
            LiveTool::Mcp(tool) => match &tool.transport {
                McpTransport::Stdio { environment, .. } => environment,
                McpTransport::Http(_) => &tool.headers,
            },
        }
    }
}

/// A tool that is a program.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandTool {
    /// The program and its arguments.
    pub command: Vec<CommandPart>,
    /// Environment variables in addition to the inherited ones.
    pub environment: Vec<(String, Text)>,
    /// Whether one process answers all calls, as one JSON line each, instead of one process per call.
    pub long_lived: bool,
    /// The timeout of one call.
    pub timeout: Duration,
    /// Where the suite sets it.
    pub span: Span,
}

/// A tool behind a URL.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpTool {
    /// The URL to send the arguments to.
    pub url: Text,
    /// Headers in addition to the usual ones.
    pub headers: Vec<(String, Text)>,
    /// The timeout of one call.
    pub timeout: Duration,
    /// Where the suite sets it.
    pub span: Span,
}

/// A tool of an MCP server. Tools of the same server share one instance of it.
#[derive(Debug, Clone, PartialEq)]
pub struct McpTool {
    /// How to reach the server.
    pub transport: McpTransport,
    /// Headers in addition to the usual ones.
    pub headers: Vec<(String, Text)>,
    /// The server's name for the tool, if it differs.
    pub tool: Option<String>,
    /// The timeout of one call.
    pub timeout: Duration,
    /// Where the suite sets it.
    pub span: Span,
}
