//! A recorded world: what an agent that agentci starts sends over the network is recorded once, and played to it afterwards. The
//! agent itself is run every time.

use crate::{Case, RecordingSetting, Target};
use agentci_source::{Span, Spanned};

/// What a recording of a case holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedCase {
    /// Everything that the agent sends to its model and its tools over HTTP.
    World,
    /// Only what it sends to its model; its tools are played otherwise.
    Model,
}

/// The recording of the world around an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedWorld<'w> {
    /// The file.
    pub recording: &'w RecordingSetting,
    /// What it holds.
    pub holds: RecordedCase,
}

/// What a team decided not to compare between requests and their recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matching {
    /// JSON pointers into bodies; `*` stands for any one name or index.
    pub ignore: Vec<Spanned<String>>,
    /// Whether system prompts are compared.
    pub system: bool,
    /// Where the suite says so, if it does.
    pub span: Option<Span>,
}

impl Default for Matching {
    fn default() -> Self {
        Self { ignore: Vec::new(), system: true, span: None }
    }
}

/// What a model costs, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Tokens that it reads.
    pub input: f64,
    /// Tokens that it read before; as much as others when absent.
    pub cached_input: Option<f64>,
    /// Tokens that it writes.
    pub output: f64,
}

impl Target {
    /// Whether what it sends to its model and its tools can be recorded: agentci starts it, and it is no server of tools itself.
    pub fn has_recordable_world(&self) -> bool {
        match self {
            Target::Process(_) => true,
            Target::Http(http) => http.server.is_some(),
            Target::Mock(_) | Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Chat(_) => false,
        }
    }
}

impl Case {
    /// The recording of the world around the agent, where the case has one.
    pub fn recorded_world(&self) -> Option<RecordedWorld<'_>> {
        let (recording, holds) = match (&self.world.recording, &self.world.recorded_model) {
            (Some(recording), _) => (recording, RecordedCase::World),
            (None, Some(recording)) => (recording, RecordedCase::Model),
            (None, None) => return None,
        };
        self.target.has_recordable_world().then_some(RecordedWorld { recording, holds })
    }
}
