//! What is asked at one level, each item a check already, and three levels put together: target, test, turn.
//!
//! A turn is held to the limits and prohibitions of all three levels and to its own demands; what target and test demand is
//! judged once, over the whole test, unless `inherit: all` says that every turn must meet it, too.

use std::collections::HashSet;
use std::sync::Arc;

use agentci_plan::Check;

use super::named_blocks::CheckBudget;

/// What is asked at one level, or at several put together.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    pub(super) forbid: Vec<Arc<Check>>,
    pub(super) require: Vec<Arc<Check>>,
    pub(super) forbid_calls: Vec<Arc<Check>>,
    pub(super) max_duration: AnankeTimeLimit,
    pub(super) max_idle: AnankeTimeLimit,
    pub(super) task: Vec<Arc<Check>>,
    pub(super) must_match: Vec<Arc<Check>>,
    pub(super) must_not_match: Vec<Arc<Check>>,
}

/// A limit on time.
#[derive(Debug, Clone, Default)]
pub(super) enum AnankeTimeLimit {
    /// Nothing is said.
    #[default]
    Unsaid,
    /// There is none, whatever was said before.
    Off,
    /// This one.
    At(Arc<Check>),
}

impl AnankeTimeLimit {
    fn later(&mut self, later: &AnankeTimeLimit) {
        if !matches!(later, AnankeTimeLimit::Unsaid) {
            *self = later.clone();
        }
    }

    fn check(&self) -> Option<&Arc<Check>> {
        match self {
            AnankeTimeLimit::At(check) => Some(check),
            AnankeTimeLimit::Unsaid | AnankeTimeLimit::Off => None,
        }
    }
}

impl Rules {
    /// Adds what is said later: lists grow, limits on time are replaced.
    pub(super) fn add(&mut self, later: &Rules) {
        self.forbid.extend_from_slice(&later.forbid);
        self.require.extend_from_slice(&later.require);
        self.forbid_calls.extend_from_slice(&later.forbid_calls);
        self.max_duration.later(&later.max_duration);
        self.max_idle.later(&later.max_idle);
        self.task.extend_from_slice(&later.task);
        self.must_match.extend_from_slice(&later.must_match);
        self.must_not_match.extend_from_slice(&later.must_not_match);
    }

    /// Limits and prohibitions alone, without demands.
    pub(super) fn without_demands(&self) -> Rules {
        Rules { require: Vec::new(), task: Vec::new(), must_match: Vec::new(), ..self.clone() }
    }

    /// How many items there are.
    pub(super) fn len(&self) -> usize {
        [&self.forbid, &self.require, &self.forbid_calls, &self.task, &self.must_match, &self.must_not_match]
            .iter()
            .map(|list| list.len())
            .sum::<usize>()
            + self.max_duration.check().iter().count()
            + self.max_idle.check().iter().count()
    }

    /// The checks in the order they are evaluated. An item that came twice from the same place is one check.
    pub(super) fn checks(&self) -> Vec<Arc<Check>> {
        let mut seen = HashSet::new();
        let tools = self.forbid.iter().chain(&self.require).chain(&self.forbid_calls);
        let timing = self.max_duration.check().into_iter().chain(self.max_idle.check());
        let text = self.task.iter().chain(&self.must_match).chain(&self.must_not_match);
        tools.chain(timing).chain(text).filter(|check| seen.insert(Arc::as_ptr(check))).cloned().collect()
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
        let shared = owned(&inherited);
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
        owned(&rules)
    }

    /// The checks over the whole test.
    pub(super) fn whole(&self) -> Vec<Arc<Check>> {
        self.whole.checks()
    }
}

fn owned(rules: &Rules) -> Arc<[Arc<Check>]> {
    rules.checks().into()
}
