//! A target that is an MCP server.

use std::time::Duration;

use crate::{Auth, CommandPart, Text};
use agentci_source::{Span, Spanned};

/// A target that is an MCP server.
#[derive(Debug, Clone, PartialEq)]
pub struct McpTarget {
    /// How to reach it.
    pub transport: McpTransport,
    /// The authentication, for a server over HTTP: an API key in a header, or a token.
    pub auth: Option<Auth>,
    /// Headers in addition to the usual ones, which they override.
    pub headers: Vec<(String, Text)>,
    /// The timeout of one request.
    pub timeout: Duration,
    /// Where the suite sets it.
    pub span: Span,
}

/// How to reach an MCP server.
#[derive(Debug, Clone, PartialEq)]
pub enum McpTransport {
    /// A program that speaks over standard input and output.
    Stdio {
        /// The program and its arguments.
        command: Vec<CommandPart>,
        /// Environment variables in addition to the inherited ones.
        environment: Vec<(String, Text)>,
    },
    /// A server that speaks over HTTP.
    Http(Spanned<Text>),
}
