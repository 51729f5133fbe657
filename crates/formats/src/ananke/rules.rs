//! The checks of one level, and the merge of the three levels: target, test, turn.
//!
//! The limits and prohibitions of all three levels apply to a turn, as do its own requirements. The requirements of the
//! target and the test are checked once, over the whole test, unless `inherit: all` also applies them to every turn.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use agentci_plan::Check;

use super::named_blocks::CheckBudget;

/// The kind of an assertion, in the order of evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RuleKind {
    Forbid,
    Require,
    ForbidCalls,
    MaxDuration,
    MaxIdle,
    Task,
    MustMatch,
    MustNotMatch,
}

impl RuleKind {
    fn is_demand(self) -> bool {
        matches!(self, RuleKind::Require | RuleKind::Task | RuleKind::MustMatch)
    }
}

/// The checks of one level, or of several merged levels. A time limit that is switched off has an empty list.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules(BTreeMap<RuleKind, Vec<Arc<Check>>>);

impl Rules {
    pub(super) fn set(&mut self, kind: RuleKind, checks: Vec<Arc<Check>>) {
        self.0.insert(kind, checks);
    }

    pub(super) fn demanded_calls(&self) -> &[Arc<Check>] {
        self.0.get(&RuleKind::Require).map(Vec::as_slice).unwrap_or_default()
    }

    /// Adds the rules of an inner level: lists are concatenated, time limits are replaced.
    pub(super) fn add(&mut self, later: &Rules) {
        for (kind, checks) in &later.0 {
            let own = self.0.entry(*kind).or_default();
            if matches!(kind, RuleKind::MaxDuration | RuleKind::MaxIdle) {
                own.clear();
            }
            own.extend_from_slice(checks);
        }
    }

    /// The limits and prohibitions, without requirements.
    pub(super) fn without_demands(&self) -> Rules {
        let mut rules = self.clone();
        rules.0.retain(|kind, _| !kind.is_demand());
        rules
    }

    pub(super) fn len(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// The checks in the order of evaluation. An item that was added twice is one check.
    pub(super) fn checks(&self) -> Vec<Arc<Check>> {
        let mut seen = HashSet::new();
        self.0.values().flatten().filter(|check| seen.insert(Arc::as_ptr(check))).cloned().collect()
    }
}

/// The checks of one level, including those of named blocks.
#[derive(Debug, Clone, Default)]
pub(super) struct LevelRules {
    pub(super) rules: Rules,
    /// Whether turns inherit its requirements, too.
    pub(super) inherit: bool,
}

/// The checks for the turns of a test, and for the test as a whole.
#[derive(Debug)]
pub(super) struct MergedRules {
    inherited: Rules,
    whole: Rules,
    /// The checks of a turn without its own assertions.
    shared: Arc<[Arc<Check>]>,
}

impl MergedRules {
    /// Merges the levels above the turns.
    pub(super) fn new(target: &LevelRules, test: &LevelRules, budget: &mut CheckBudget) -> Self {
        let (mut inherited, mut whole) = (Rules::default(), Rules::default());
        for said in [target, test] {
            if budget.take(said.rules.len()) {
                inherited.add(&if said.inherit { said.rules.clone() } else { said.rules.without_demands() });
                whole.add(&said.rules);
            }
        }
        let shared = inherited.checks().into();
        Self { inherited, whole, shared }
    }

    pub(super) fn turn(&self, own: Option<&Rules>, budget: &mut CheckBudget) -> Arc<[Arc<Check>]> {
        let Some(own) = own else { return Arc::clone(&self.shared) };
        if !budget.take(self.inherited.len()) {
            return Arc::from([]);
        }
        let mut rules = self.inherited.clone();
        rules.add(own);
        rules.checks().into()
    }

    pub(super) fn whole(&self) -> Vec<Arc<Check>> {
        self.whole.checks()
    }
}
