//! The table of what can be observed of each kind of target. It is the basis of the errors for limits and checks that
//! could never be evaluated, and of the table in the documentation.

use crate::{Speech, Target, ToolSource, World};

/// The source of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObservedBy {
    /// The run itself, always.
    Run,
    /// The agent, through its own protocol.
    Agent,
    /// The scripted model of the agent.
    Model,
    /// The server that mocks the agent's tools over HTTP.
    Routes,
    /// The mock MCP servers of the agent.
    Mcp,
    /// The recording of the agent's network traffic.
    Recording,
}

/// A row of the table: something to observe, and its sources for each kind of target.
#[derive(Debug)]
pub struct ObservedRow {
    /// What is observed, as messages name it.
    pub observed: &'static str,
    /// The limits that need it, by their keys.
    pub limits: &'static [&'static str],
    /// The checks that need it.
    pub checks: &'static [&'static str],
    /// Its sources, in the order of [`TARGETS`].
    pub sources: [&'static [ObservedBy]; TARGETS.len()],
}

/// The kinds of target, as the table names them.
pub const TARGETS: [&str; 8] = ["process", "process, `speaks: text`", "http", "agui", "a2a", "mcp", "chat", "mock"];

use ObservedBy::{Agent, Mcp, Model, Recording, Routes, Run};

/// Requests to the model are seen by the scripted model or the recorder.
const SEEN: &[ObservedBy] = &[Model, Recording];
/// The agent reports it too.
const TOLD_OR_SEEN: &[ObservedBy] = &[Agent, Model, Recording];

pub const TABLE: &[ObservedRow] = &[
    ObservedRow {
        observed: "duration",
        limits: &["wall"],
        checks: &["duration", "latency"],
        sources: [&[Run], &[Run], &[Run], &[Run], &[Run], &[Run], &[Run], &[Run]],
    },
    ObservedRow {
        observed: "tool calls",
        limits: &["tool_calls", "tool_errors"],
        checks: &["call_order", "tool_called", "tool_result"],
        sources: [
            &[Agent, Model, Mcp, Recording],
            &[Model, Routes, Mcp, Recording],
            &[Agent, Model, Routes, Mcp, Recording],
            &[Agent],
            &[],
            &[Run],
            &[Agent],
            &[],
        ],
    },
    ObservedRow {
        observed: "model requests",
        limits: &["model_calls"],
        checks: &["model_called"],
        sources: [SEEN, SEEN, SEEN, &[], &[], &[], &[Run], &[]],
    },
    ObservedRow {
        observed: "input tokens",
        limits: &["tokens_in"],
        checks: &[],
        sources: [TOLD_OR_SEEN, SEEN, SEEN, &[Agent], &[], &[], &[Agent], &[]],
    },
    ObservedRow {
        observed: "tokens",
        limits: &["tokens_out"],
        checks: &["tokens"],
        sources: [TOLD_OR_SEEN, SEEN, SEEN, &[Agent], &[], &[], &[Agent], &[Agent]],
    },
    ObservedRow {
        observed: "costs",
        limits: &["cost_usd"],
        checks: &[],
        sources: [&[Agent, Recording], &[Recording], &[Recording], &[Agent], &[], &[], &[], &[]],
    },
    ObservedRow {
        observed: "tasks",
        limits: &[],
        checks: &["task"],
        sources: [&[], &[], &[], &[], &[Agent], &[], &[], &[]],
    },
];

impl ObservedRow {
    /// The row of a limit, by its key.
    pub fn of_limit(key: &str) -> Option<&'static ObservedRow> {
        TABLE.iter().find(|row| row.limits.contains(&key))
    }

    /// The row of a check; `None` for checks on the answer.
    pub fn of_check(kind: &str) -> Option<&'static ObservedRow> {
        TABLE.iter().find(|row| row.checks.contains(&kind))
    }

    /// The sources for this kind of target.
    pub fn sources(&self, target: &Target) -> &'static [ObservedBy] {
        self.sources[position(target)]
    }

    /// Whether any source in this world reports it for this target.
    pub fn is_observed(&self, target: &Target, world: &World) -> bool {
        self.sources(target).iter().any(|source| match source {
            ObservedBy::Run | ObservedBy::Agent => true,
            ObservedBy::Model => world.model.is_some(),
            ObservedBy::Routes => matches!(world.tools, ToolSource::Routes(_)),
            ObservedBy::Mcp => !world.mcp.is_empty() && target.reaches_mcp(),
            ObservedBy::Recording => {
                let recorded = world.recording.is_some() || world.recorded_model.is_some();
                recorded && target.has_recordable_world()
            }
        })
    }
}

/// The index of a target in [`TARGETS`].
fn position(target: &Target) -> usize {
    match target {
        Target::Process(process) if process.speaks == Speech::Protocol => 0,
        Target::Process(_) => 1,
        Target::Http(_) => 2,
        Target::Agui(_) => 3,
        Target::A2a(_) => 4,
        Target::Mcp(_) => 5,
        Target::Chat(_) => 6,
        Target::Mock(_) => 7,
    }
}

impl ObservedBy {
    /// The source, as the documentation's table names it.
    pub fn words(self) -> &'static str {
        match self {
            ObservedBy::Run => "always",
            ObservedBy::Agent => "the agent",
            ObservedBy::Model => "`world.model`",
            ObservedBy::Routes => "`world.tools.routes`",
            ObservedBy::Mcp => "`world.mcp`",
            ObservedBy::Recording => "`world.recording`",
        }
    }

    /// How to enable the source; `None` if the suite cannot.
    pub(crate) fn remedy(self) -> Option<&'static str> {
        match self {
            ObservedBy::Run | ObservedBy::Agent => None,
            ObservedBy::Model => Some("mock its model with `world: { model: { script: .. } }`"),
            ObservedBy::Routes => Some("mock its tools with `world: { tools: { routes: {..} } }`"),
            ObservedBy::Mcp => Some("mock its MCP servers with `world: { mcp: {..} }`"),
            ObservedBy::Recording => Some("record its requests with `world: { recording: .. }`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_and_check_appears_in_one_row() {
        let mut names: Vec<&str> = TABLE.iter().flat_map(|row| row.limits.iter().chain(row.checks)).copied().collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert_eq!(ObservedRow::of_limit("cost_usd").map(|row| row.observed), Some("costs"));
        assert!(ObservedRow::of_check("contains").is_none());
    }
}
