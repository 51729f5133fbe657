//! The kinds of agents, and the example of each.

use clap::ValueEnum;

/// How an agent is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum AgentKind {
    /// A program that speaks JSON lines on standard input and output
    Command,
    /// A server with a plain HTTP API
    Http,
    /// An AG-UI server
    #[value(name = "agui")]
    AgUi,
    /// An A2A server
    A2a,
    /// An MCP server, given by its command or URL
    Mcp,
    /// A program that uses a model provider's SDK, tested with a scripted model
    Sdk,
    /// An agent that consists of prompts and a model
    Prompts,
    /// No agent: prewritten model answers
    Answers,
}

/// A file of a suite: its name and its text.
pub(super) type TemplateFile = (&'static str, &'static str);

/// A template file.
macro_rules! template {
    ($kind:literal, $name:literal) => {
        ($name, include_str!(concat!("../../../templates/", $kind, "/", $name)))
    };
}

impl AgentKind {
    /// Its name on the command line.
    pub(super) fn word(self) -> String {
        self.to_possible_value().expect("no kind is hidden").get_name().to_owned()
    }

    /// Its description, for the prompt.
    pub(super) fn about(self) -> String {
        let value = self.to_possible_value().expect("no kind is hidden");
        value.get_help().expect("every kind has a description").to_string()
    }

    /// Whether an agent of this kind can be started by a command.
    pub(super) fn has_command(self) -> bool {
        matches!(self, AgentKind::Command | AgentKind::Http | AgentKind::Mcp | AgentKind::Sdk)
    }

    /// Whether an agent of this kind has a URL.
    pub(super) fn has_url(self) -> bool {
        matches!(self, AgentKind::Http | AgentKind::AgUi | AgentKind::A2a | AgentKind::Mcp)
    }

    /// The files of the suite for an example agent.
    pub(super) fn example(self) -> &'static [TemplateFile] {
        match self {
            AgentKind::Command => &[
                template!("command", "agentci.yaml"),
                template!("command", "cassettes/delivery.jsonl"),
                template!("command", "cassettes/password.jsonl"),
            ],
            AgentKind::Http => &[template!("http", "agentci.yaml"), template!("http", "model.yaml")],
            AgentKind::AgUi => &[template!("agui", "agentci.yaml"), template!("agui", "recordings/weather.jsonl")],
            AgentKind::A2a => &[template!("a2a", "agentci.yaml"), template!("a2a", "recordings/booking.jsonl")],
            AgentKind::Mcp => &[template!("mcp", "agentci.yaml"), template!("mcp", "tools.json")],
            AgentKind::Sdk => &[template!("sdk", "agentci.yaml"), template!("sdk", "model.yaml")],
            AgentKind::Prompts => &[template!("prompts", "agentci.yaml"), template!("prompts", "model.yaml")],
            AgentKind::Answers => &[
                template!("answers", "01_text.yaml"),
                template!("answers", "02_json.yaml"),
                template!("answers", "03_tools.yaml"),
                template!("answers", "mock_config.yaml"),
            ],
        }
    }
}
