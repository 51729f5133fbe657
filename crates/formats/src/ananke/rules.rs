//! What is asked at one level, each item a check already.

use std::collections::HashSet;
use std::sync::Arc;

use agentci_plan::Check;

/// What is asked at one level, or at several put together.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    pub(super) forbid: Vec<Arc<Check>>,
    pub(super) require: Vec<Arc<Check>>,
    pub(super) forbid_calls: Vec<Arc<Check>>,
    pub(super) max_duration: Limit,
    pub(super) max_idle: Limit,
    pub(super) task: Vec<Arc<Check>>,
    pub(super) must_match: Vec<Arc<Check>>,
    pub(super) must_not_match: Vec<Arc<Check>>,
}

/// A limit on time.
#[derive(Debug, Clone, Default)]
pub(super) enum Limit {
    /// Nothing is said.
    #[default]
    Unsaid,
    /// There is none, whatever was said before.
    Off,
    /// This one.
    At(Arc<Check>),
}

impl Limit {
    fn later(&mut self, later: &Limit) {
        if !matches!(later, Limit::Unsaid) {
            *self = later.clone();
        }
    }

    fn check(&self) -> Option<&Arc<Check>> {
        match self {
            Limit::At(check) => Some(check),
            Limit::Unsaid | Limit::Off => None,
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
