//! The input of a run: the plan, the selected cases and how to run them.

use std::collections::BTreeMap;
use std::sync::Arc;

use agentci_checks::ReadyCase;
use agentci_plan::{Case, CasePosition, Cases, Suite};
use agentci_source::Sources;
use agentci_verdict::{NotLoaded, Policy, RunSession, ShardOf};
use serde_json::Value;

use crate::{finished::FinishedCases, options::RunOptions, services::takes_turns, stop::Stop};

/// Facts for the first event of a run that are not in the plan.
#[derive(Debug, Clone, Default)]
pub struct RunFacts {
    pub run_id: String,
    /// The version of `agentci`.
    pub version: String,
    /// The commit under test.
    pub git_sha: Option<String>,
    /// Where the agent is defined.
    pub agent_path: Option<String>,
    /// The caller's identity and origin, by name; a case can override it.
    pub environment: BTreeMap<String, String>,
    /// Options that the user set, by the name of the flag.
    pub options: BTreeMap<String, Value>,
    pub shard: Option<RunShard>,
    /// Files that should have been run but could not be loaded.
    pub not_loaded: Vec<NotLoaded>,
    /// The command that the run belongs to, if it runs several suites.
    pub session: Option<RunSession>,
    /// The cases that an earlier run has finished, if this one continues it.
    pub finished: Option<Arc<FinishedCases>>,
}

/// One shard of a run that several machines share.
#[derive(Debug, Clone, Default)]
pub struct RunShard {
    /// The number of this shard and of all shards.
    pub of: ShardOf,
    /// The position of each selected case of this shard among the cases of all shards.
    pub positions: Vec<usize>,
}

/// One run of one suite.
pub struct RunPlan<'r> {
    /// The source files of the suite.
    pub sources: &'r Sources,
    /// The suite; its own list of cases is ignored.
    pub suite: &'r Suite,
    /// The cases. Each is dropped after it has run, to free memory for the results.
    pub cases: Cases,
    /// The compiled checks of each case.
    pub ready: Vec<ReadyCase>,
    /// The positions of the cases to run, in this order and without duplicates.
    pub selected: &'r [CasePosition],
    /// Facts for the first event.
    pub facts: &'r RunFacts,
    /// The gates for the run as a whole.
    pub policy: Option<&'r Policy>,
    pub options: &'r RunOptions<'r>,
    /// Signals when to stop.
    pub stop: &'r Stop,
}

impl RunPlan<'_> {
    /// The cases to run, as written: one that is made from data is repeated for each row.
    pub(crate) fn selected(&self) -> impl Iterator<Item = &Case> + Clone {
        self.selected.iter().filter_map(|position| self.cases.get(position.case as usize).map(|case| &**case))
    }

    /// The cases to run, as written, each once.
    pub(crate) fn written(&self) -> impl Iterator<Item = &Case> + Clone {
        let mut last = None;
        let first = move |position: &&CasePosition| last.replace(position.case) != Some(position.case);
        let each = self.selected.iter().filter(first);
        each.filter_map(|position| self.cases.get(position.case as usize).map(|case| &**case))
    }

    /// The number of cases that run concurrently. Agents that are started for each case at a fixed address run one at a
    /// time: a second one could not listen there, and the first would answer for both.
    pub(crate) fn lanes(&self) -> usize {
        if self.written().any(takes_turns) {
            return 1;
        }
        self.options.settings.parallel.clamp(1, self.selected.len().max(1))
    }
}
