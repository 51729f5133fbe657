//! Tools that are really executed, in record and live mode.

use std::path::PathBuf;
use std::time::Duration;

use crate::{CommandPart, McpTransport, Text};
use agentci_source::{Span, Spanned};

/// How long a tool may take that does not say so itself.
pub const TOOL_TIMEOUT: Duration = Duration::from_secs(30);

/// The tools of a suite that can be executed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveTools {
    /// By name, in the order they are written.
    pub tools: Vec<(Spanned<String>, LiveTool)>,
    /// A Python module with a mapping `TOOLS`.
    pub module: Option<Spanned<String>>,
    /// The suite's folder: modules are looked for there.
    pub folder: PathBuf,
}

/// A tool that is executed.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveTool {
    /// A program.
    Command(CommandTool),
    /// An HTTP endpoint: arguments as a JSON body, the result as JSON.
    Http(HttpTool),
    /// A tool of an MCP server.
    Mcp(McpTool),
}

impl LiveTool {
    /// What the suite hands over to it by name: environment variables or headers.
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
    /// Environment variables it gets beside the inherited ones.
    pub environment: Vec<(String, Text)>,
    /// Whether one process answers all calls, a JSON line each, instead of one process a call.
    pub long_lived: bool,
    /// How long one call may take.
    pub timeout: Duration,
    /// Where the suite says so.
    pub span: Span,
}

/// A tool behind a URL.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpTool {
    /// Where to send the arguments.
    pub url: Text,
    /// Headers beside the usual ones.
    pub headers: Vec<(String, Text)>,
    /// How long one call may take.
    pub timeout: Duration,
    /// Where the suite says so.
    pub span: Span,
}

/// A tool of an MCP server. Tools of one server share it.
#[derive(Debug, Clone, PartialEq)]
pub struct McpTool {
    /// How the server is reached.
    pub transport: McpTransport,
    /// Headers beside the usual ones.
    pub headers: Vec<(String, Text)>,
    /// What the server calls the tool, where that is another name.
    pub tool: Option<String>,
    /// How long one call may take.
    pub timeout: Duration,
    /// Where the suite says so.
    pub span: Span,
}
