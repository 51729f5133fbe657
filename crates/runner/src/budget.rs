//! The ceilings of a run: money and time. Shared by all suites of a run.
//!
//! Once a ceiling is reached, no case and no further run of a repeated case starts. `--max-wall` also ends what is under
//! way; `--max-cost` lets it finish, except that the recorder forwards no further request to the live world.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use agentci_source::print_duration;
use agentci_trace::add_decimals;
use agentci_verdict::RunCeiling;
use agentci_wire::lock;

/// The flag that sets the ceiling for cost.
pub(crate) const MAX_COST: &str = "--max-cost";
/// The flag that sets the ceiling for time.
pub(crate) const MAX_WALL: &str = "--max-wall";

/// The ceilings of a run, and what has been spent.
#[derive(Debug)]
pub struct Budget {
    max_cost: Option<f64>,
    max_wall: Option<Duration>,
    started: Instant,
    spent: Mutex<Spent>,
}

/// What the agents of a run have spent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spent {
    /// The cost in US dollars, as far as it is known.
    pub cost_usd: f64,
    /// The number of model calls that the live world answered through the recorder.
    pub model_calls: usize,
    /// Models whose price is unknown.
    pub unpriced: BTreeSet<String>,
    /// The first case that reported usage without a cost, by its id.
    pub uncosted: Option<String>,
    /// The number of runs of cases that reported neither usage nor cost.
    pub unobserved: usize,
}

/// The maximum number of models without a price that are remembered.
const MOST_UNPRICED: usize = 20;

impl Budget {
    /// A budget that starts now; without ceilings it only counts.
    pub fn new(max_cost: Option<f64>, max_wall: Option<Duration>) -> Self {
        Self { max_cost, max_wall, started: Instant::now(), spent: Mutex::default() }
    }

    /// Records a model call that the live world answered. Without a price its cost is unknown.
    pub(crate) fn spend(&self, model: &str, cost_usd: Option<f64>) {
        let mut spent = lock(&self.spent);
        spent.model_calls += 1;
        spent.add(model, cost_usd);
    }

    /// Records usage that was observed otherwise: reported by an agent, or by the model of a prompt.
    pub(crate) fn report(&self, case: &str, model: Option<&str>, cost_usd: Option<f64>) {
        let mut spent = lock(&self.spent);
        match (cost_usd, model) {
            (None, None) => drop(spent.uncosted.get_or_insert_with(|| case.to_owned())),
            (cost, model) => spent.add(model.unwrap_or_default(), cost),
        }
    }

    /// Records a run of a case of which neither usage nor cost was observed.
    pub(crate) fn unobserved(&self) {
        lock(&self.spent).unobserved += 1;
    }

    /// What has been spent so far.
    pub fn spent(&self) -> Spent {
        lock(&self.spent).clone()
    }

    /// Whether there is a ceiling for cost.
    pub fn limits_cost(&self) -> bool {
        self.max_cost.is_some()
    }

    /// The message for a ceiling that was reached, if there is one.
    pub fn exceeded(&self) -> Option<String> {
        Some(self.reached()?.reason)
    }

    /// The ceiling that was reached, if there is one. A cost that is not known cannot be compared with a ceiling, so it
    /// counts as reached.
    pub fn reached(&self) -> Option<RunCeiling> {
        let cost = self.max_cost.and_then(|limit| Some((limit, lock(&self.spent).over(limit)?)));
        let ceiling = |flag: &str, limit, reason| RunCeiling { flag: flag.to_owned(), limit, reason };
        cost.map(|(limit, reason)| ceiling(MAX_COST, format!("{limit} USD"), reason)).or_else(|| {
            let limit = self.max_wall.filter(|limit| self.started.elapsed() >= *limit)?;
            let limit = print_duration(limit);
            let reason = format!("`{MAX_WALL}` of {limit} reached");
            Some(ceiling(MAX_WALL, limit, reason))
        })
    }

    /// When `--max-wall` ends, and its duration.
    pub(crate) fn deadline(&self) -> Option<(Instant, Duration)> {
        let limit = self.max_wall?;
        Some((self.started.checked_add(limit)?, limit))
    }
}

impl Spent {
    fn add(&mut self, model: &str, cost_usd: Option<f64>) {
        match cost_usd {
            Some(cost) => self.cost_usd = add_decimals(self.cost_usd, cost),
            None if self.unpriced.len() < MOST_UNPRICED => drop(self.unpriced.insert(model.to_owned())),
            None => {}
        }
    }

    /// Why a ceiling for cost is reached, if it is. Cases that cost nothing reach no ceiling.
    fn over(&self, limit: f64) -> Option<String> {
        if self.cost_usd > 0.0 && self.cost_usd >= limit {
            return Some(format!("`{MAX_COST}` of {limit} USD reached: {} USD so far", self.cost_usd));
        }
        if let Some(model) = self.unpriced.first() {
            return Some(format!(
                "`{MAX_COST}` cannot be enforced: the price of the model `{model}` is not known; add it to `prices` in \
                 the suite"
            ));
        }
        let case = self.uncosted.as_ref()?;
        Some(format!(
            "`{MAX_COST}` cannot be enforced: the agent reported its usage in case `{case}`, but no cost; let it report \
             `cost_usd`, or record its model calls"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reached_at_limit_and_by_unknown_costs() {
        let budget = Budget::new(Some(0.3), None);
        (0..2).for_each(|_| budget.spend("m", Some(0.1)));
        budget.report("case", None, Some(0.0999));
        assert_eq!(budget.exceeded(), None);
        budget.report("case", None, Some(0.0001));
        let reached = budget.reached().unwrap();
        assert_eq!(
            (&*reached.flag, &*reached.reason),
            ("--max-cost", "`--max-cost` of 0.3 USD reached: 0.3 USD so far")
        );
        let unpriced = Budget::new(Some(1.0), None);
        unpriced.spend("mystery", None);
        assert!(unpriced.exceeded().unwrap().contains("the price of the model `mystery` is not known"));
        let uncosted = Budget::new(Some(1.0), None);
        uncosted.report("refund", None, None);
        assert!(uncosted.exceeded().unwrap().contains("in case `refund`, but no cost"));
        let counted = Budget::new(None, None);
        counted.spend("mystery", None);
        assert_eq!((counted.exceeded(), counted.spent().model_calls), (None, 1));
        assert_eq!(Budget::new(None, Some(Duration::ZERO)).reached().unwrap().flag, "--max-wall");
    }

    #[test]
    fn ceiling_of_nothing_allows_what_costs_nothing() {
        let budget = Budget::new(Some(0.0), None);
        budget.report("free", None, Some(0.0));
        budget.unobserved();
        assert_eq!((budget.exceeded(), budget.spent().unobserved), (None, 1));
        budget.report("dear", None, Some(0.001));
        assert!(budget.exceeded().is_some());
    }
}
