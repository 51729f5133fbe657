//! A server that speaks AG-UI over HTTP.

use std::time::Duration;

use serde_json::Value;

use crate::{Data, OutputRule, Text};
use agentci_source::{Span, Spanned};

/// A server that speaks AG-UI over HTTP.
#[derive(Debug, Clone, PartialEq)]
pub struct AguiTarget {
    /// Where requests are sent.
    pub endpoint: Spanned<Text>,
    /// The agent's name, for servers that serve several at one address.
    pub agent: Option<Text>,
    /// The thread all turns of a case belong to; a new one for each attempt when absent.
    pub thread: Option<Text>,
    /// Headers beside the usual ones, which they override.
    pub headers: Vec<(String, Text)>,
    /// How long one request may take, from sending it to the end of its stream.
    pub timeout: Duration,
    /// What is handed through to the agent with every run.
    pub forwarded_props: Option<Data>,
    /// The state of the first run.
    pub state: Option<Data>,
    /// Tools that the agent may call and the client answers.
    pub tools: Vec<ClientTool>,
    /// The shape of requests.
    pub wire: AguiWire,
    /// What a violation of the protocol comes to.
    pub protocol: Strictness,
    /// Whether it must put something out.
    pub output: OutputRule,
    /// Where the suite says so.
    pub span: Span,
}

/// A tool that the client offers to the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientTool {
    /// Its name.
    pub name: Spanned<String>,
    /// What it is for.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// The shape of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AguiWire {
    /// The protocol's own; `CopilotKit`'s if the server asks for it.
    #[default]
    Auto,
    /// The protocol's own.
    Agui,
    /// Wrapped as `CopilotKit`'s single route expects it.
    Copilotkit,
}

impl AguiWire {
    /// Every shape by its name.
    pub const NAMES: [(&'static str, AguiWire); 3] =
        [("auto", AguiWire::Auto), ("agui", AguiWire::Agui), ("copilotkit", AguiWire::Copilotkit)];
}

/// What a violation of a protocol comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// A warning.
    #[default]
    Warn,
    /// A failure of the turn.
    Fail,
    /// Nothing.
    Off,
}

impl Strictness {
    /// Every one by its name.
    pub const NAMES: [(&'static str, Strictness); 3] =
        [("warn", Strictness::Warn), ("fail", Strictness::Fail), ("off", Strictness::Off)];
}
