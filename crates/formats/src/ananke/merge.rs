//! Three levels to checks: target, test, turn.
//!
//! A turn is held to the limits and prohibitions of all three levels and to its own demands; what target and test demand is
//! judged once, over the whole test, unless `inherit: all` says that every turn must meet it, too.

use std::sync::Arc;

use agentci_plan::Check;

use super::named::Budget;
use super::rules::Rules;

/// What one level says, all named blocks included.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
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
    pub(super) fn new(target: &Said, test: &Said, budget: &mut Budget) -> Self {
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
    pub(super) fn turn(&self, own: Option<&Rules>, budget: &mut Budget) -> Arc<[Arc<Check>]> {
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
