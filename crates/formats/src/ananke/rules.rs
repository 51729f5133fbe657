//! What is asked at one level, each item a check already, and three levels put together: target, test, turn.
//!
//! A turn is held to the limits and prohibitions of all three levels and to its own demands; what target and test demand is
//! judged once, over the whole test, unless `inherit: all` says that every turn must meet it, too.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use agentci_plan::Check;

use super::named_blocks::CheckBudget;

/// What kind of item it is, in the order in which items are evaluated.
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

/// What is asked at one level, or at several put together. A limit on time that is switched off has an empty list.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules(BTreeMap<RuleKind, Vec<Arc<Check>>>);

impl Rules {
    /// Says what is asked by the items of a kind.
    pub(super) fn set(&mut self, kind: RuleKind, checks: Vec<Arc<Check>>) {
        self.0.insert(kind, checks);
    }

    /// The calls that must be made.
    pub(super) fn demanded_calls(&self) -> &[Arc<Check>] {
        self.0.get(&RuleKind::Require).map(Vec::as_slice).unwrap_or_default()
    }

    /// Adds what is said later: lists grow, limits on time are replaced.
    pub(super) fn add(&mut self, later: &Rules) {
        for (kind, checks) in &later.0 {
            let own = self.0.entry(*kind).or_default();
            if matches!(kind, RuleKind::MaxDuration | RuleKind::MaxIdle) {
                own.clear();
            }
            own.extend_from_slice(checks);
        }
    }

    /// Limits and prohibitions alone, without demands.
    pub(super) fn without_demands(&self) -> Rules {
        let mut rules = self.clone();
        rules.0.retain(|kind, _| !kind.is_demand());
        rules
    }

    /// How many items there are.
    pub(super) fn len(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// The checks in the order they are evaluated. An item that came twice from the same place is one check.
    pub(super) fn checks(&self) -> Vec<Arc<Check>> {
        let mut seen = HashSet::new();
        self.0.values().flatten().filter(|check| seen.insert(Arc::as_ptr(check))).cloned().collect()
    }
}

/// What one level says, all named blocks included.
#[derive(Debug, Clone, Default)]
pub(super) struct LevelRules {
    pub(super) rules: Rules,
    /// Whether turns inherit its demands, too.
    pub(super) inherit: bool,
}

/// What holds for the turns of a test, and for the test as a whole.
#[derive(Debug)]
pub(super) struct Merged {
    inherited: Rules,
    whole: Rules,
    /// The checks of a turn that asks nothing itself.
    shared: Arc<[Arc<Check>]>,
}

impl Merged {
    /// Puts the levels above the turns together.
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

    /// The checks of a turn.
    pub(super) fn turn(&self, own: Option<&Rules>, budget: &mut CheckBudget) -> Arc<[Arc<Check>]> {
        let Some(own) = own else { return Arc::clone(&self.shared) };
        if !budget.take(self.inherited.len()) {
            return Arc::from([]);
        }
        let mut rules = self.inherited.clone();
        rules.add(own);
        rules.checks().into()
    }

    /// The checks over the whole test.
    pub(super) fn whole(&self) -> Vec<Arc<Check>> {
        self.whole.checks()
    }
}
