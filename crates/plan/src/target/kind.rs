//! The kinds of target and their capabilities.

use std::time::Duration;

use crate::{
    A2aTarget, AguiTarget, Auth, ChatTarget, HttpTarget, McpTarget, McpTransport, MockTarget, OutputRule,
    ProcessTarget, Speech, Text, Turn, TurnInput, World,
};
use agentci_source::read::quoted_list;
use agentci_source::{Diagnostic, Diagnostics, Span};

/// How to reach the agent.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A process that speaks JSON lines over standard input and output, or prints its answer.
    Process(ProcessTarget),
    /// Not an agent, but a model with scripted answers.
    Mock(MockTarget),
    /// A server that speaks AG-UI.
    Agui(Box<AguiTarget>),
    /// An agent that speaks A2A.
    A2a(Box<A2aTarget>),
    /// A server that speaks MCP.
    Mcp(Box<McpTarget>),
    /// A server that is called over plain HTTP.
    Http(Box<HttpTarget>),
    /// Prompts and a model.
    Chat(Box<ChatTarget>),
}

/// The default timeout of a request.
pub const REQUEST_TIMEOUT: Duration = Duration::from_mins(2);

impl Target {
    /// Where the suite defines it.
    pub fn span(&self) -> Span {
        match self {
            Target::Process(process) => process.span,
            Target::Mock(mock) => mock.span,
            Target::Agui(agui) => agui.span,
            Target::A2a(a2a) => a2a.span,
            Target::Mcp(mcp) => mcp.span,
            Target::Http(http) => http.span,
            Target::Chat(chat) => chat.span,
        }
    }

    /// Its name in messages.
    pub fn describe(&self) -> &'static str {
        match self {
            Target::Process(_) => "a process agent",
            Target::Mock(_) => "a mock",
            Target::Agui(_) => "an AG-UI server",
            Target::A2a(_) => "an A2A agent",
            Target::Mcp(_) => "an MCP server",
            Target::Http(_) => "an HTTP agent",
            Target::Chat(_) => "an assistant",
        }
    }

    /// Named values that the suite passes to it: environment variables or headers.
    pub fn handed_over(&self) -> &[(String, Text)] {
        match self {
            Target::Process(process) => &process.environment,
            Target::Mock(_) | Target::Chat(_) => &[],
            Target::Agui(agui) => &agui.headers,
            Target::A2a(a2a) => &a2a.headers,
            Target::Mcp(mcp) => match &mcp.transport {
                McpTransport::Stdio { environment, .. } => environment,
                McpTransport::Http(_) => &mcp.headers,
            },
            Target::Http(http) => &http.headers,
        }
    }

    /// Variables that take precedence over those of the environment.
    pub fn environment(&self) -> &[(String, String)] {
        match self {
            Target::Chat(chat) => chat.environment.as_ref().map(|file| file.values.as_slice()).unwrap_or_default(),
            Target::Process(_)
            | Target::Mock(_)
            | Target::Agui(_)
            | Target::A2a(_)
            | Target::Mcp(_)
            | Target::Http(_) => &[],
        }
    }

    /// The credential that is sent to the agent and must be redacted.
    pub fn secret(&self) -> Option<&Text> {
        match self {
            Target::A2a(a2a) => a2a.auth.as_ref().and_then(Auth::secret),
            Target::Mcp(mcp) => mcp.auth.as_ref().and_then(Auth::secret),
            Target::Chat(chat) => chat.connector.key.as_ref(),
            Target::Process(_) | Target::Mock(_) | Target::Agui(_) | Target::Http(_) => None,
        }
    }

    /// The headers of its requests.
    pub fn headers(&self) -> &[(String, Text)] {
        if self.takes_requests() { self.handed_over() } else { &[] }
    }

    /// Whether the agent must produce output. A mock answers as scripted, and an MCP server answers each action.
    pub fn output(&self) -> OutputRule {
        match self {
            Target::Process(process) => process.output,
            Target::Agui(agui) => agui.output,
            Target::A2a(a2a) => a2a.output,
            Target::Http(http) => http.output,
            Target::Chat(chat) => chat.output,
            Target::Mock(_) | Target::Mcp(_) => OutputRule::Optional,
        }
    }

    /// Whether a timeout set for a run applies to each request instead of to a case.
    pub fn takes_requests(&self) -> bool {
        match self {
            Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Http(_) => true,
            Target::Process(_) | Target::Mock(_) | Target::Chat(_) => false,
        }
    }

    /// Whether its answers can be recorded and replayed.
    pub fn is_recorded(&self) -> bool {
        match self {
            Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Http(_) | Target::Chat(_) => true,
            Target::Process(_) | Target::Mock(_) => false,
        }
    }

    /// Whether it takes more than one turn.
    fn takes_turns(&self) -> bool {
        match self {
            Target::Process(process) => process.speaks == Speech::Text,
            Target::Mock(_) => false,
            Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Http(_) | Target::Chat(_) => true,
        }
    }

    /// Whether it takes messages only.
    fn converses(&self) -> bool {
        match self {
            Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Chat(_) => true,
            Target::Process(_) | Target::Mock(_) | Target::Http(_) => false,
        }
    }

    /// The actions it supports as turns.
    pub fn actions(&self) -> &'static [&'static str] {
        match self {
            Target::Process(_) | Target::Mock(_) | Target::Http(_) | Target::Chat(_) => &[],
            Target::Agui(_) => &["agui:connect", "agui:resume"],
            Target::A2a(_) => &["a2a:send"],
            Target::Mcp(_) => &["mcp:call", "mcp:read", "mcp:prompt", "mcp:list"],
        }
    }

    /// Whether it is started for a case, and so can be pointed at a server of that case.
    fn is_started(&self) -> bool {
        match self {
            Target::Process(_) => true,
            Target::Http(http) => http.server.is_some(),
            Target::Mcp(mcp) => matches!(mcp.transport, McpTransport::Stdio { .. }),
            Target::Mock(_) | Target::Agui(_) | Target::A2a(_) | Target::Chat(_) => false,
        }
    }

    /// The error for a scripted model that the agent cannot be pointed at: it would call the real one instead.
    pub fn unled(&self, world: &World) -> Option<Diagnostic> {
        let model = world.model.as_ref()?;
        if self.is_started() {
            return None;
        }
        let message = format!(
            "a scripted model needs an agent that agentci starts; {} is not started by agentci",
            self.describe()
        );
        let help = match self {
            Target::Http(_) => {
                "add `command` to the target: agentci then starts it for each case and points it at the model"
            }
            Target::Chat(_) => "the model of an assistant is set in its connector: `connector: { script: .. }`",
            Target::Mock(_) => "remove `model`: a mock is a script itself and calls no model",
            Target::Process(_) | Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) => {
                "start the agent with the URLs that `agentci serve llm` prints, and remove `model`"
            }
        };
        Some(Diagnostic::error(model.span, message).label("this model would never be called").help(help))
    }

    /// The errors for turns that this kind of target does not support.
    pub fn misfits(&self, turns: &[Turn]) -> Diagnostics {
        let mut problems = Diagnostics::default();
        let what = self.describe();
        if let Some(second) = turns.get(1).filter(|_| !self.takes_turns()) {
            problems.error(second.span, format!("{what} takes only one turn"), "second turn");
        }
        for turn in turns {
            match &turn.said {
                TurnInput::Action(action) if !self.actions().contains(&action.kind.value.as_str()) => {
                    let message = format!("{what} does not support the action `{}`", action.kind.value.escape_debug());
                    let help = match self.actions() {
                        [] => "use an `input`, or messages with `user`".to_owned(),
                        known => format!("supported actions are {}", quoted_list(known)),
                    };
                    problems.error(action.kind.span, message, "not for this target").help(help);
                }
                TurnInput::Input(_) if self.converses() => {
                    let message = format!("{what} takes messages, not an `input`");
                    problems.error(turn.span, message, "not for this target").help("use `user:`");
                }
                TurnInput::Messages(_) if matches!(self, Target::Mcp(_)) => {
                    let message = format!("{what} takes no messages");
                    let help = "call a tool: `mcp:call: { tool: .., args: {..} }`";
                    problems.error(turn.span, message, "not for this target").help(help);
                }
                TurnInput::Input(_) | TurnInput::Messages(_) | TurnInput::Action(_) => {}
            }
        }
        problems
    }
}
