//! A server that speaks MCP.

use std::time::Duration;

use crate::{Auth, CommandPart, Text};
use agentci_source::{Span, Spanned};

/// A server that speaks MCP.
#[derive(Debug, Clone, PartialEq)]
pub struct McpTarget {
    /// How it is reached.
    pub transport: McpTransport,
    /// How we say who we are, to a server that is reached over HTTP: by a key in a header or by a token.
    pub auth: Option<Auth>,
    /// Headers beside the usual ones, which they override.
    pub headers: Vec<(String, Text)>,
    /// How long one request may take.
    pub timeout: Duration,
    /// Where the suite says so.
    pub span: Span,
}

/// How an MCP server is reached.
#[derive(Debug, Clone, PartialEq)]
pub enum McpTransport {
    /// It is a program, and speaks over its standard input and output.
    Stdio {
        /// The program and its arguments.
        command: Vec<CommandPart>,
        /// Environment variables it gets beside the inherited ones.
        environment: Vec<(String, Text)>,
    },
    /// It is a server, and speaks over HTTP.
    Http(Spanned<Text>),
}
