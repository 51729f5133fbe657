//! A recorded world: the network traffic of an agent that agentci starts is recorded once and replayed afterwards. The
//! agent itself runs every time.

use crate::{Case, RecordingSetting, Target};
use agentci_source::{Span, Spanned};

/// What a recording of a case contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedCase {
    /// All HTTP requests of the agent to its model and its tools.
    World,
    /// Only its requests to the model; its tools are mocked in another way.
    Model,
}

/// The recording of the world around an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedWorld<'w> {
    /// The file.
    pub recording: &'w RecordingSetting,
    /// What it contains.
    pub holds: RecordedCase,
}

/// What to ignore when requests are compared with their recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matching {
    /// JSON pointers into request bodies; `*` matches any one name or index.
    pub ignore: Vec<Spanned<String>>,
    /// Whether system prompts are compared.
    pub system: bool,
    /// Where the suite sets it, if it does.
    pub span: Option<Span>,
}

impl Default for Matching {
    fn default() -> Self {
        Self { ignore: Vec::new(), system: true, span: None }
    }
}

/// The prices of a model, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// The price of input tokens.
    pub input: f64,
    /// The price of cached input tokens; the same as `input` when absent.
    pub cached_input: Option<f64>,
    /// The price of output tokens.
    pub output: f64,
}

impl Target {
    /// Whether its requests to its model and tools can be recorded: agentci starts it, and it is not a server of tools
    /// itself.
    pub fn has_recordable_world(&self) -> bool {
        match self {
            Target::Process(_) => true,
            Target::Http(http) => http.server.is_some(),
            Target::Mock(_) | Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Chat(_) => false,
        }
    }
}

impl Case {
    /// The recording of the world around the agent, if the case has one.
    pub fn recorded_world(&self) -> Option<RecordedWorld<'_>> {
        let (recording, holds) = match (&self.world.recording, &self.world.recorded_model) {
            (Some(recording), _) => (recording, RecordedCase::World),
            (None, Some(recording)) => (recording, RecordedCase::Model),
            (None, None) => return None,
        };
        self.target.has_recordable_world().then_some(RecordedWorld { recording, holds })
    }
}
