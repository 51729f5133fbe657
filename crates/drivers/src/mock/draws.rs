//! Decides at random which calls of a mock model fail.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use agentci_plan::{MockScript, mix};

use super::{MockAnswer, first_random};

/// The random choices of one run. The number of answers before each position is computed once.
#[derive(Debug)]
pub struct MockDraws {
    seed: u64,
    /// By failure rate: for each position seen so far, the number of positions before it that did not fail.
    served: RefCell<Vec<(f64, Vec<u32>)>>,
    /// The answers of the last used script; most cases of a suite share one.
    given: RefCell<DrawnAnswers>,
}

/// The answers of a script.
#[derive(Debug, Default)]
struct DrawnAnswers {
    script: Arc<MockScript>,
    /// By position in the script.
    answers: HashMap<usize, Rc<MockAnswer>>,
}

impl MockDraws {
    /// The random choices for a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, served: RefCell::default(), given: RefCell::default() }
    }

    /// Whether the call at this position fails.
    pub fn fails(&self, script: &MockScript, position: u32) -> bool {
        if script.draws() { self.draw(position) < script.failure_rate } else { script.failure_rate >= 1.0 }
    }

    /// The number of calls before a position that did not fail.
    fn served(&self, script: &MockScript, position: u32) -> usize {
        if !script.draws() {
            return if script.failure_rate >= 1.0 { 0 } else { position as usize };
        }
        let rate = script.failure_rate;
        let mut known = self.served.borrow_mut();
        let at = known.iter().position(|(other, _)| other.total_cmp(&rate).is_eq()).unwrap_or_else(|| {
            known.push((rate, vec![0]));
            known.len() - 1
        });
        let counts = &mut known[at].1;
        while counts.len() <= position as usize {
            let last = counts.len() - 1;
            let answered = u32::from(self.draw(u32::try_from(last).expect("it is below the position")) >= rate);
            counts.push(counts[last] + answered);
        }
        counts[position as usize] as usize
    }

    /// The answer to the call at a position, which must not be one that fails.
    pub fn answer(&self, script: &Arc<MockScript>, position: u32) -> Rc<MockAnswer> {
        let at = self.served(script, position) % script.responses.len().max(1);
        let mut given = self.given.borrow_mut();
        if !Arc::ptr_eq(&given.script, script) {
            *given = DrawnAnswers { script: Arc::clone(script), answers: HashMap::new() };
        }
        Rc::clone(given.answers.entry(at).or_insert_with(|| Rc::new(MockAnswer::new(script.response(at)))))
    }

    /// The random number for a position, from a seed derived for it.
    fn draw(&self, position: u32) -> f64 {
        first_random(i128::from(mix(self.seed ^ mix(u64::from(position)))))
    }
}

/// The message of a simulated failure; calls are counted from 1.
pub fn failure(failure_rate: f64, call: u64) -> String {
    format!("Simulated LLM API failure (failure_rate={failure_rate:.2}, call #{call})")
}

#[cfg(test)]
mod tests {
    use agentci_plan::MockResponse;
    use agentci_trace::EventKind;

    use super::*;

    fn script(failure_rate: f64) -> MockScript {
        MockScript { failure_rate, ..MockScript::default() }
    }

    #[test]
    fn result_at_a_position_is_independent_of_call_order() {
        let half = script(0.5);
        let whole = MockDraws::new(3);
        let in_order: Vec<_> = (0..50).map(|at| (whole.fails(&half, at), whole.served(&half, at))).collect();
        for at in (0..50).rev() {
            let alone = MockDraws::new(3);
            assert_eq!((alone.fails(&half, at), alone.served(&half, at)), in_order[at as usize]);
        }
        let failed = in_order.iter().take(49).filter(|(failed, _)| *failed).count();
        assert_eq!(in_order[49].1, 49 - failed);
        assert!((10..40).contains(&failed), "{failed}");
    }

    #[test]
    fn builds_shared_answer_once() {
        let response = script(0.0).response(0);
        let other = MockResponse { content: "other".into(), ..response.clone() };
        let two = Arc::new(MockScript { responses: vec![response, other], ..MockScript::default() });
        let draws = MockDraws::new(0);
        let [first, second, third] = [0, 1, 2].map(|at| draws.answer(&two, at));
        assert!(Rc::ptr_eq(&first, &third) && !Rc::ptr_eq(&first, &second));
        let constant = Arc::new(MockScript::default());
        assert!(!Rc::ptr_eq(&draws.answer(&constant, 0), &first));
        let output = |answer: &MockAnswer| answer.events(Arc::default())[3].clone();
        assert_eq!(output(&draws.answer(&two, 1)), EventKind::FinalOutput(Arc::new("other".into())));
    }

    #[test]
    fn draws_no_random_numbers_when_all_or_none_fail() {
        let draws = MockDraws::new(0);
        assert!((0..9).all(|at| !draws.fails(&script(0.0), at) && draws.served(&script(0.0), at) == at as usize));
        assert!((0..9).all(|at| draws.fails(&script(1.0), at) && draws.served(&script(1.0), at) == 0));
        assert!(draws.served.borrow().is_empty());
    }
}
