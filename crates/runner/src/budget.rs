//! The budget of a run for the live world: money and time. Shared by all suites of a run.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use agentci_source::print_duration;
use agentci_trace::add_decimals;
use agentci_wire::lock;

/// The budget of a run, and what has been spent.
#[derive(Debug)]
pub struct Budget {
    max_cost: Option<f64>,
    max_wall: Option<Duration>,
    started: Instant,
    spent: Mutex<Spent>,
}

/// What has been spent on the live world.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spent {
    /// The cost in US dollars, as far as prices are known.
    pub cost_usd: f64,
    /// The number of model calls that the live world answered.
    pub model_calls: usize,
    /// Models whose price is unknown.
    pub unpriced: BTreeSet<String>,
}

/// The maximum number of models without a price that are remembered.
const MOST_UNPRICED: usize = 20;

impl Budget {
    /// A budget that starts now; without limits it only counts.
    pub fn new(max_cost: Option<f64>, max_wall: Option<Duration>) -> Self {
        Self { max_cost, max_wall, started: Instant::now(), spent: Mutex::default() }
    }

    /// Records a model call that the live world answered. Without a price its cost is unknown.
    pub(crate) fn spend(&self, model: &str, cost_usd: Option<f64>) {
        let mut spent = lock(&self.spent);
        spent.model_calls += 1;
        match cost_usd {
            Some(cost) => spent.cost_usd = add_decimals(spent.cost_usd, cost),
            None if spent.unpriced.len() < MOST_UNPRICED => drop(spent.unpriced.insert(model.to_owned())),
            None => {}
        }
    }

    /// What has been spent so far.
    pub fn spent(&self) -> Spent {
        lock(&self.spent).clone()
    }

    /// The message for an exceeded limit, if there is one. A call without a known price cannot be compared with a cost
    /// limit.
    pub fn exceeded(&self) -> Option<String> {
        let Spent { cost_usd, unpriced, .. } = self.spent();
        if let Some(limit) = self.max_cost {
            if cost_usd > limit {
                return Some(format!("`--max-cost` of {limit} USD exceeded: {cost_usd} USD so far"));
            }
            if let Some(model) = unpriced.first() {
                return Some(format!(
                    "`--max-cost` cannot be enforced: the price of the model `{model}` is not known; add it to \
                     `prices` in the suite"
                ));
            }
        }
        let limit = self.max_wall.filter(|limit| self.started.elapsed() >= *limit)?;
        Some(format!("`--max-wall` of {} exceeded", print_duration(limit)))
    }

    /// When `--max-wall` ends, and its duration.
    pub(crate) fn deadline(&self) -> Option<(Instant, Duration)> {
        let limit = self.max_wall?;
        Some((self.started.checked_add(limit)?, limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceeded_above_limit_and_by_models_without_a_price() {
        let budget = Budget::new(Some(0.3), None);
        (0..3).for_each(|_| budget.spend("m", Some(0.1)));
        assert_eq!(budget.exceeded(), None);
        budget.spend("m", Some(0.001));
        assert_eq!(budget.exceeded().unwrap(), "`--max-cost` of 0.3 USD exceeded: 0.301 USD so far");
        let unpriced = Budget::new(Some(1.0), None);
        unpriced.spend("mystery", None);
        assert!(unpriced.exceeded().unwrap().contains("the price of the model `mystery` is not known"));
        let counted = Budget::new(None, None);
        counted.spend("mystery", None);
        assert_eq!((counted.exceeded(), counted.spent().model_calls), (None, 1));
        assert!(Budget::new(None, Some(Duration::ZERO)).exceeded().is_some());
    }
}
