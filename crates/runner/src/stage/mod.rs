//! Everything that is opened for an attempt: its tools, its model and its agent.
//!
//! `prepare` prepares everything except the agent, and can be stopped; [`Stage::open`] reaches the agent, and
//! [`Stage::close`] closes everything, whether the agent was reached or not.

mod close;
mod open;
mod prepare;

pub(crate) use prepare::{PreparedAttempt, prepare, refuse_invalid};

use agentci_drivers::Driver;
use agentci_stubs::Faults;
use agentci_verdict::ReplaySource;

use crate::mcp_servers::McpServers;
use crate::mock_model::AttemptModel;
use crate::recorded_world::WorldSession;
use crate::services::{LateToolCalls, OpenTools};
use crate::setup_error::SetupError;
use crate::tools::Tools;

/// Everything that is open for an attempt.
pub(crate) struct Stage {
    /// Answers the tool calls that the agent does not execute itself.
    pub(crate) tools: Tools,
    /// The tools over HTTP.
    pub(crate) served: Option<OpenTools>,
    pub(crate) model: Option<AttemptModel>,
    pub(crate) mcp: Option<McpServers>,
    /// The recorder between the agent and the world.
    pub(crate) world: Option<WorldSession>,
    /// The agent, if it was reached.
    pub(crate) agent: Option<Driver>,
    /// Why the agent was not reached.
    pub(crate) not_reached: SetupError,
    /// A warning from opening the stage.
    pub(crate) warning: Option<String>,
    /// The recording that is replayed.
    replay: Option<ReplaySource>,
    /// Whether the recording replaces the agent.
    played: bool,
}

/// What remains of a stage after it was closed.
#[derive(Default)]
pub(crate) struct ClosedStage {
    /// The recording that was replayed, and its unused lines.
    pub(crate) replay: Option<ReplaySource>,
    /// Whether the recording replaced the agent.
    pub(crate) played: bool,
    /// The state of the injected faults.
    pub(crate) faults: Vec<Faults>,
    /// Tool calls that may arrive after the end, if the agent is still running.
    pub(crate) late: Option<LateToolCalls>,
    /// Whether a scripted model replaced the agent's model.
    pub(crate) has_model: bool,
    /// The paths of the scripted model that the agent requested.
    pub(crate) reached: Vec<String>,
    /// Notes for the first finding, if the case fails.
    pub(crate) notes: Vec<String>,
}
