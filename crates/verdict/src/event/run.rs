//! The start and the end of a run.

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
    /// The name of the run folder, or the id of a run without a folder.
    pub run_id: String,
    /// The format of the suite.
    pub dialect: String,
    /// Whether tools are replayed, recorded or live.
    pub mode: String,
    /// The path of the suite file.
    pub suite_path: String,
    /// The command of the agent, if all cases use the same one.
    pub agent_command: Vec<String>,
    /// The number of selected cases.
    pub cases_total: usize,
    /// The number of cases of the suite that were not selected.
    #[serde(default)]
    pub cases_left_out: usize,
    /// The number of selected cases that are answered from a recording of the whole agent.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cases_played: usize,
    /// The number of selected cases that have no agent.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cases_without_agent: usize,
    /// Whether the run fails if a case without `played: true` is answered from a recording of the whole agent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub require_agent: bool,
    /// The commit under test, if the environment provides it.
    pub git_sha: Option<String>,
    /// The address of the stub tool server, if agents that agentci does not start call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_at: Option<String>,
    /// The seed of all random choices, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The name of the agent, if all cases use the same one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Where the agent is defined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_path: Option<String>,
    /// The id of the connector to its model, if all cases use the same one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connector: Option<String>,
    /// The caller's identity and origin, by name; a case can override it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Options that the user set, by the name of the flag.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Value>,
    /// The shard that this run is, if the run is sharded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<ShardOf>,
    /// Suites or cases that should have been run but could not be loaded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_loaded: Vec<NotLoaded>,
    /// The id of the embedder that compares answers, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedder: Option<String>,
    /// What was evaluated again, if this is a recheck of a stored run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recheck: Option<RunRecheck>,
    /// The command that the run belongs to, if it runs several suites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<RunSession>,
    /// The stored run that this one continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed: Option<RunResumed>,
}

/// A command that runs several suites.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSession {
    /// The same in all its runs.
    pub id: String,
    /// The names of its suites.
    pub suites: Vec<String>,
}

/// A stored run that is continued.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunResumed {
    /// The stored run.
    pub run: String,
    /// The number of its cases that are not run again.
    pub kept: usize,
    /// The number of its finished cases that are run again, because their definition changed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub changed: usize,
    /// The number of its finished cases that are not selected any more.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: usize,
}

/// A stored run whose checks were evaluated again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecheck {
    /// The stored run.
    pub run: String,
    /// The suite whose checks were evaluated.
    pub suite: String,
    /// The cases of the run that the suite no longer has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
}

/// Why a suite or a case could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotLoaded {
    /// The message.
    pub message: String,
    /// The place of the problem.
    pub place: Place,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// The shard that a run is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardOf {
    /// The number of the shard, from 1.
    pub index: u32,
    /// The number of shards.
    pub count: u32,
    /// The number of selected cases in all shards.
    pub cases: usize,
    /// The SHA-256 of their ids in order: only shards of the same selection can be merged.
    pub digest: String,
    /// The SHA-256 of the files of the suite and its cases: only shards of the same version of a suite can be merged.
    /// Empty in runs of older versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suite_digest: String,
}

/// The end of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// The wall time of the run, in milliseconds.
    pub wall_ms: u64,
    /// The same time in microseconds; 0 if only milliseconds are known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wall_us: u64,
    /// Whether the user interrupted the run.
    pub interrupted: bool,
    /// The number of selected cases that were never started, because of an interruption, a ceiling or `--fail-fast`.
    pub not_run: usize,
    /// The number of cases that were started and not finished: a ceiling or an interruption ended them, or only some of
    /// their runs were made.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unfinished: usize,
    /// The ceiling that was reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<RunCeiling>,
    /// The number of runs of cases whose cost could not be observed, if `--max-cost` is set.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unobserved_cost: usize,
    /// The stability of the cases, if any was run more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stability: Option<StabilitySummary>,
}

/// A ceiling of a run that was reached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCeiling {
    /// The flag that sets it: `--max-cost` or `--max-wall`.
    pub flag: String,
    /// Its value, such as `5 USD` or `10m`.
    pub limit: String,
    /// Why no further case was started: the ceiling was reached, or the cost is not known.
    pub reason: String,
}

impl RunEnd {
    /// Whether every selected case was run to its end.
    pub fn is_whole(&self) -> bool {
        !self.interrupted && self.not_run == 0 && self.unfinished == 0
    }

    /// The wall time in microseconds, as far as known.
    pub fn micros(&self) -> u64 {
        micros(self.wall_ms, self.wall_us)
    }
}
