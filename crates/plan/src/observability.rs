//! Who can observe what of a target: the one table behind the errors of limits and checks that nothing could ever judge, and
//! behind the table in the documentation.

use crate::{Speech, Target, ToolSource, World};

/// Who reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObservedBy {
    /// The run itself, always.
    Run,
    /// The agent, in its own protocol.
    Agent,
    /// The scripted model behind the agent.
    Model,
    /// The server that plays the agent's tools over HTTP.
    Routes,
    /// The MCP servers that are played for the agent.
    Mcp,
    /// The recording of what the agent sends over the network.
    Recording,
}

/// What can be observed, by whom, for each kind of target.
#[derive(Debug)]
pub struct ObservedRow {
    /// What limits and checks are about, in the words of messages.
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

/// What goes to a model is seen on its way.
const SEEN: &[ObservedBy] = &[Model, Recording];
/// The agent tells of it as well.
const TOLD_OR_SEEN: &[ObservedBy] = &[Agent, Model, Recording];

/// What can be observed by whom.
pub const TABLE: &[ObservedRow] = &[
    ObservedRow {
        observed: "how long it takes",
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
    /// What a limit is about, by its key.
    pub fn of_limit(key: &str) -> Option<&'static ObservedRow> {
        TABLE.iter().find(|row| row.limits.contains(&key))
    }

    /// What a check is about, where that is not what the agent said.
    pub fn of_check(kind: &str) -> Option<&'static ObservedRow> {
        TABLE.iter().find(|row| row.checks.contains(&kind))
    }

    /// Who could report it of this kind of target.
    pub fn sources(&self, target: &Target) -> &'static [ObservedBy] {
        self.sources[position(target)]
    }

    /// Whether anything in this world can report it of this target.
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

/// The place of a target in [`TARGETS`].
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
    /// Who it is, for a table.
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

    /// How it comes to be there, where the suite decides.
    pub(crate) fn remedy(self) -> Option<&'static str> {
        match self {
            ObservedBy::Run | ObservedBy::Agent => None,
            ObservedBy::Model => Some("play its model with `world: { model: { script: .. } }`"),
            ObservedBy::Routes => Some("play its tools with `world: { tools: { routes: {..} } }`"),
            ObservedBy::Mcp => Some("play its MCP servers with `world: { mcp: {..} }`"),
            ObservedBy::Recording => Some("record what it sends with `world: { recording: .. }`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_and_check_stands_in_one_row() {
        let mut names: Vec<&str> = TABLE.iter().flat_map(|row| row.limits.iter().chain(row.checks)).copied().collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert_eq!(ObservedRow::of_limit("cost_usd").map(|row| row.observed), Some("costs"));
        assert!(ObservedRow::of_check("contains").is_none());
    }
}
