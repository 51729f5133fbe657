//! Everything that is opened for an attempt: its tools, its model and its agent.
//!
//! `prepare` makes all of it ready but the agent, and can be stopped; [`Stage::open`] reaches the agent, and [`Stage::close`] ends
//! everything again, whether the agent was reached or not.

mod close;
mod open;
mod prepare;

pub(crate) use prepare::{PreparedAttempt, prepare};

use agentci_drivers::Driver;
use agentci_stubs::Faults;
use agentci_verdict::ReplaySource;

use crate::mcp_servers::McpServers;
use crate::mock_model::AttemptModel;
use crate::open_error::NotOpened;
use crate::recorded_world::WorldSession;
use crate::services::{Late, OpenTools};
use crate::tools::Tools;

/// Everything that is open for an attempt.
pub(crate) struct Stage {
    /// What answers the calls that the agent leaves to us.
    pub(crate) tools: Tools,
    /// The tools that are over HTTP.
    pub(crate) served: Option<OpenTools>,
    pub(crate) model: Option<AttemptModel>,
    pub(crate) mcp: Option<McpServers>,
    /// The recorder between the agent and the world around it.
    pub(crate) world: Option<WorldSession>,
    /// The agent, if it was reached.
    pub(crate) agent: Option<Driver>,
    /// Why it was not.
    pub(crate) not_reached: NotOpened,
    /// What is odd already.
    pub(crate) warning: Option<String>,
    /// The recording that is played.
    replay: Option<ReplaySource>,
    /// Whether it is played in place of the agent.
    played: bool,
}

/// What is left of a stage when it is closed.
#[derive(Default)]
pub(crate) struct Left {
    /// The recording that was played, and which of its lines no call asked for.
    pub(crate) replay: Option<ReplaySource>,
    /// Whether it was played in place of the agent.
    pub(crate) played: bool,
    /// What went wrong on purpose, and what did not.
    pub(crate) faults: Vec<Faults>,
    /// Calls of tools that come when all is over, where the agent goes on.
    pub(crate) late: Option<Late>,
    /// Whether a scripted model stood in for the agent's.
    pub(crate) has_model: bool,
    /// The paths of that model that the agent asked for.
    pub(crate) reached: Vec<String>,
    /// What to add to the failure of the case, if it fails.
    pub(crate) notes: Vec<String>,
}
