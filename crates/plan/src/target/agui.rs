//! A target that is an AG-UI server over HTTP.

use std::time::Duration;

use serde_json::Value;

use crate::{Data, OutputRule, Text};
use agentci_source::{Span, Spanned};

/// A target that is an AG-UI server over HTTP.
#[derive(Debug, Clone, PartialEq)]
pub struct AguiTarget {
    /// The URL that requests are sent to.
    pub endpoint: Spanned<Text>,
    /// The agent's name, for servers with several agents at one URL.
    pub agent: Option<Text>,
    /// The thread of all turns of a case; a new one for each attempt when absent.
    pub thread: Option<Text>,
    /// Headers in addition to the usual ones, which they override.
    pub headers: Vec<(String, Text)>,
    /// The timeout of one request, from sending it to the end of its stream.
    pub timeout: Duration,
    /// The properties forwarded to the agent with every run.
    pub forwarded_props: Option<Data>,
    /// The state of the first run.
    pub state: Option<Data>,
    /// Client tools that the agent may call.
    pub tools: Vec<ClientTool>,
    /// The format of requests.
    pub wire: AguiWire,
    /// How to treat a protocol violation.
    pub protocol: Strictness,
    /// Whether it must produce output.
    pub output: OutputRule,
    /// Where the suite sets it.
    pub span: Span,
}

/// A tool that the client offers to the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientTool {
    pub name: Spanned<String>,
    /// Its description for the agent.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// The format of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AguiWire {
    /// The protocol's own format; `CopilotKit`'s if the server requires it.
    #[default]
    Auto,
    /// The protocol's own format.
    Agui,
    /// Wrapped in the format of `CopilotKit`'s single route.
    Copilotkit,
}

impl AguiWire {
    /// All formats by name.
    pub const NAMES: [(&'static str, AguiWire); 3] =
        [("auto", AguiWire::Auto), ("agui", AguiWire::Agui), ("copilotkit", AguiWire::Copilotkit)];
}

/// How to treat a protocol violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    #[default]
    Warn,
    /// As a failure of the turn.
    Fail,
    /// It is ignored.
    Off,
}

impl Strictness {
    /// All values by name.
    pub const NAMES: [(&'static str, Strictness); 3] =
        [("warn", Strictness::Warn), ("fail", Strictness::Fail), ("off", Strictness::Off)];
}
