//! The run as a whole: how it begins and how it ends.

use std::collections::BTreeMap;

use agentci_source::Place;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::absent::{is_zero, micros};
use crate::StabilitySummary;

/// Facts about the run as a whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunStart {
    /// The version of `agentci`.
    pub agentci_version: String,
    /// The name of the run folder, or of the run where there is none.
    pub run_id: String,
    /// The format of the suite.
    pub dialect: String,
    /// Whether tools are replayed, recorded or live.
    pub mode: String,
    /// The suite's file.
    pub suite_path: String,
    /// How the agent is started, if it is a command and the same for all cases.
    pub agent_command: Vec<String>,
    /// How many cases were selected.
    pub cases_total: usize,
    /// How many cases of the suite were not.
    #[serde(default)]
    pub cases_left_out: usize,
    /// How many of the selected cases are answered from recordings of the whole agent.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cases_played: usize,
    /// How many of them have no agent at all.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cases_without_agent: usize,
    /// Whether the run fails when a case is played that is not meant to be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub require_agent: bool,
    /// The commit that is tested, if the surroundings say so.
    pub git_sha: Option<String>,
    /// Where the tools are played that agents call which the run does not start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_at: Option<String>,
    /// The seed of all random choices, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The name of the agent, where it has one and it is the same for all cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Where the agent is defined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_path: Option<String>,
    /// The name of what reaches its model, if all cases have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connector: Option<String>,
    /// Who asks and from where, by name, unless a case says otherwise.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// What the user asked for beside the suite, by the name of the flag.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Value>,
    /// Which part of a run it is, where several machines share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<ShardOf>,
    /// What kept suites or cases from being loaded that were to be run with it: no case tells of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_loaded: Vec<NotLoaded>,
}

/// Why something that was to be run could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotLoaded {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: Place,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// Which part of a run this is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardOf {
    /// Which, from 1.
    pub index: u32,
    /// Of how many.
    pub count: u32,
    /// How many cases of the suite all parts together have.
    pub cases: usize,
    /// The SHA-256 of their names in order: parts of different selections do not belong together.
    pub digest: String,
    /// The SHA-256 of the files that the suite and its cases are written in: neither do parts of different versions of a suite.
    /// Empty in runs of older versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suite_digest: String,
}

/// How the run ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// Milliseconds from start to end.
    pub wall_ms: u64,
    /// The same in microseconds; 0 where only milliseconds are known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wall_us: u64,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// Cases that were selected and never begun, because of an interruption or `--fail-fast`.
    pub not_run: usize,
    /// How much the runs of the cases were alike, if any was run more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stability: Option<StabilitySummary>,
}

impl RunEnd {
    /// How long it took, in microseconds as far as they are known.
    pub fn micros(&self) -> u64 {
        micros(self.wall_ms, self.wall_us)
    }
}
