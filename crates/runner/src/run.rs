//! What a run of a suite is given.

use std::collections::BTreeMap;

use agentci_checks::ReadyCase;
use agentci_plan::{Case, Cases, Suite};
use agentci_source::Sources;
use agentci_verdict::{NotLoaded, Policy, ShardOf};
use serde_json::Value;

use crate::{options::RunOptions, services::takes_turns, stop::Stop};

/// What the run's first event tells beside the plan.
#[derive(Debug, Clone, Default)]
pub struct RunFacts {
    /// The name of the run.
    pub run_id: String,
    /// The version of `agentci`.
    pub version: String,
    /// The commit that is tested.
    pub git_sha: Option<String>,
    /// Where the agent is defined.
    pub agent_path: Option<String>,
    /// Who asks and from where, by name, unless a case says otherwise.
    pub environment: BTreeMap<String, String>,
    /// What the user asked for beside the suite, by the name of the flag.
    pub options: BTreeMap<String, Value>,
    /// Which part of a run it is.
    pub shard: Option<RunShard>,
    /// What could not be loaded and was to be run with it.
    pub not_loaded: Vec<NotLoaded>,
}

/// A part of a run that several machines share.
#[derive(Debug, Clone, Default)]
pub struct RunShard {
    /// Which.
    pub of: ShardOf,
    /// Where each selected case of this part stands among those of all parts.
    pub positions: Vec<usize>,
}

/// One run of one suite.
pub struct RunPlan<'r> {
    /// The files it was made from.
    pub sources: &'r Sources,
    /// The suite, whose own list of cases is not looked at.
    pub suite: &'r Suite,
    /// Its cases: each is let go when it was run, since what becomes of it needs the room.
    pub cases: Cases,
    /// The ready checks of each.
    pub ready: Vec<ReadyCase>,
    /// The cases to run, by position, in this order, none twice.
    pub selected: &'r [usize],
    /// What the first event tells.
    pub facts: &'r RunFacts,
    /// What the run as a whole is held to.
    pub policy: Option<&'r Policy>,
    /// How to run.
    pub options: &'r RunOptions<'r>,
    /// Tells when to stop.
    pub stop: &'r Stop,
}

impl RunPlan<'_> {
    /// The cases to run.
    pub(crate) fn selected(&self) -> impl Iterator<Item = &Case> + Clone {
        self.selected.iter().filter_map(|index| self.cases.get(*index).map(|case| &**case))
    }

    /// How many cases run at once. Agents that are started anew for each case at one fixed address take turns: the second could
    /// not listen, and the first would answer for both.
    pub(crate) fn lanes(&self) -> usize {
        if self.selected().any(takes_turns) {
            return 1;
        }
        self.options.settings.parallel.clamp(1, self.selected.len().max(1))
    }
}
