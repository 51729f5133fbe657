//! Random choices of which calls to scripted models fail, for each run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use agentci_drivers::mock::MockDraws;
use agentci_plan::mix;

/// The random choices of every run of the cases. Each run has different ones, since repeating the same run would show
/// nothing; equal seeds give equal choices.
#[derive(Debug)]
pub(crate) struct Draws {
    seed: u64,
    /// Lanes in the same run share its choices, which are created on first use.
    runs: RefCell<BTreeMap<u32, Rc<MockDraws>>>,
}

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, runs: RefCell::default() }
    }

    /// The random choices of a run; runs are numbered from 1.
    pub(crate) fn of(&self, number: u32) -> Rc<MockDraws> {
        let seed = if number == 1 { self.seed } else { mix(self.seed ^ mix(u64::from(number))) };
        Rc::clone(self.runs.borrow_mut().entry(number).or_insert_with(|| Rc::new(MockDraws::new(seed))))
    }
}

#[cfg(test)]
mod tests {
    use agentci_plan::MockScript;

    use super::*;

    #[test]
    fn each_run_has_its_own_reproducible_choices() {
        let script = MockScript { failure_rate: 0.5, ..MockScript::default() };
        let failed = |draws: &Draws, number| (0..64).map(|at| draws.of(number).fails(&script, at)).collect::<Vec<_>>();
        let (one, other) = (Draws::new(7), Draws::new(7));
        assert_eq!(failed(&one, 2), failed(&other, 2));
        assert_ne!(failed(&one, 1), failed(&one, 2));
        assert_ne!(failed(&one, 2), failed(&one, 3));
    }
}
