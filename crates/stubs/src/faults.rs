//! Decides which calls fail on purpose, and how.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use agentci_plan::{Fault, FaultKind, FaultTime, draw};

/// Seeds the random choices for model calls, in place of the name of a tool.
const MODEL: &str = "the model";

/// Decides for each call whether to inject a fault. Equal seeds give equal decisions.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    planned: Arc<[Fault]>,
    seed: u64,
    calls: u32,
    calls_by_tool: HashMap<String, u32>,
    calls_of_model: u32,
    /// The planned faults that happened, or for which a random choice was made, by index.
    met: BTreeSet<usize>,
}

impl Faults {
    /// The faults of one attempt; the seed should differ for each case and attempt.
    pub fn new(planned: Arc<[Fault]>, seed: u64) -> Self {
        Self { planned, seed, ..Self::default() }
    }

    /// Whether any of these faults depends on a random choice.
    pub fn drawn(faults: &[Fault]) -> bool {
        faults.iter().any(|fault| matches!(fault.when, FaultTime::Rate(_)))
    }

    /// The fault of the next call of a tool: the first planned one that applies.
    pub fn next(&mut self, tool: &str) -> Option<FaultKind> {
        if self.planned.is_empty() {
            return None;
        }
        self.calls += 1;
        let of_tool = self.calls_by_tool.entry(tool.to_owned()).or_default();
        *of_tool += 1;
        let (of_tool, of_all) = (*of_tool, self.calls);
        self.fitting(tool, |fault| match &fault.tool {
            _ if fault.model => None,
            Some(name) => (name.value == tool).then_some(of_tool),
            None => Some(of_all),
        })
    }

    /// The fault of the next call of a recorded model.
    pub fn next_of_model(&mut self) -> Option<FaultKind> {
        self.calls_of_model += 1;
        let number = self.calls_of_model;
        self.fitting(MODEL, |fault| fault.model.then_some(number))
    }

    /// The first fault that applies to a call. `number` returns the position of the call as a fault counts it, or
    /// `None` if the fault does not concern the call.
    fn fitting(&mut self, of: &str, number: impl Fn(&Fault) -> Option<u32>) -> Option<FaultKind> {
        let mut fitting = None;
        for (index, fault) in self.planned.iter().enumerate() {
            let Some(number) = number(fault) else { continue };
            let fits = match fault.when {
                FaultTime::Always => true,
                FaultTime::Call(call) => call == number,
                FaultTime::Rate(rate) => draw(self.seed, index as u64, of, number) < rate,
            };
            let happens = fits && fitting.is_none();
            // A random choice counts even if the fault does not happen.
            if happens || matches!(fault.when, FaultTime::Rate(_)) {
                self.met.insert(index);
            }
            if happens {
                fitting = Some(fault.kind.clone());
            }
        }
        fitting
    }

    /// The faults, each with whether it has happened or a random choice was made for it.
    pub fn met(&self) -> impl Iterator<Item = (&Fault, bool)> {
        self.planned.iter().enumerate().map(|(index, fault)| (fault, self.met.contains(&index)))
    }

    /// The number of calls so far that a fault could apply to.
    pub fn calls_for(&self, fault: &Fault) -> u32 {
        let tool = fault.tool.as_ref().map(|tool| tool.value.as_str());
        if fault.model { self.calls_of_model } else { self.calls(tool) }
    }

    /// The number of calls of a tool so far, or of all tools if none is named.
    pub fn calls(&self, tool: Option<&str>) -> u32 {
        match tool {
            Some(tool) => self.calls_by_tool.get(tool).copied().unwrap_or_default(),
            None => self.calls,
        }
    }

    /// The tools called so far, in no particular order.
    pub fn called(&self) -> impl Iterator<Item = &str> {
        self.calls_by_tool.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use agentci_source::{Sources, Span, Spanned};

    use super::*;

    fn fault(tool: Option<&str>, when: FaultTime) -> Fault {
        let file = Sources::default().add(std::path::Path::new("x"), "");
        let span = Span::whole(file);
        let tool = tool.map(|tool| Spanned::new(tool.to_owned(), span));
        Fault { tool, model: false, when, kind: FaultKind::Error("down".into()), span }
    }

    #[test]
    fn model_calls_are_counted_separately() {
        let of_model = |when| Fault { model: true, ..fault(None, when) };
        let list = vec![of_model(FaultTime::Call(2)), fault(None, FaultTime::Call(1))];
        let mut faults = Faults::new(list.into(), 0);
        let hits = [faults.next_of_model(), faults.next("a"), faults.next_of_model(), faults.next("a")];
        assert_eq!(hits.map(|hit| hit.is_some()), [false, true, true, false]);
        let counts: Vec<u32> = faults.met().map(|(fault, _)| faults.calls_for(fault)).collect();
        assert_eq!(counts, [2, 2]);
    }

    fn hits(faults: Vec<Fault>, seed: u64, calls: &[&str]) -> Vec<bool> {
        let mut faults = Faults::new(faults.into(), seed);
        calls.iter().map(|tool| faults.next(tool).is_some()).collect()
    }

    #[test]
    fn nth_call_is_counted_per_tool_or_overall() {
        let calls = ["a", "b", "a", "a"];
        assert_eq!(hits(vec![fault(Some("a"), FaultTime::Call(2))], 0, &calls), [false, false, true, false]);
        assert_eq!(hits(vec![fault(None, FaultTime::Call(2))], 0, &calls), [false, true, false, false]);
        assert_eq!(hits(vec![fault(Some("b"), FaultTime::Always)], 0, &calls), [false, true, false, false]);
    }

    #[test]
    fn tracks_faults_that_never_occurred() {
        let list = vec![
            fault(Some("a"), FaultTime::Always),
            fault(Some("a"), FaultTime::Call(1)),
            fault(Some("a"), FaultTime::Rate(0.0)),
            fault(Some("b"), FaultTime::Rate(1.0)),
            fault(None, FaultTime::Call(3)),
        ];
        let mut faults = Faults::new(list.into(), 0);
        for tool in ["a", "a"] {
            faults.next(tool);
        }
        let met: Vec<bool> = faults.met().map(|(_, met)| met).collect();
        assert_eq!(met, [true, false, true, false, false]);
        assert_eq!((faults.calls(Some("a")), faults.calls(Some("b")), faults.calls(None)), (2, 0, 2));
    }

    #[test]
    fn rate_is_approximate_and_depends_on_seed() {
        let calls = vec!["a"; 1000];
        let at = |seed| hits(vec![fault(Some("a"), FaultTime::Rate(0.3))], seed, &calls);
        let count = at(1).iter().filter(|hit| **hit).count();
        assert!((250..350).contains(&count), "{count}");
        assert_eq!(at(1), at(1));
        assert_ne!(at(1), at(2));
        assert!(hits(vec![fault(None, FaultTime::Rate(0.0))], 1, &calls).iter().all(|hit| !hit));
        assert!(hits(vec![fault(None, FaultTime::Rate(1.0))], 1, &calls).iter().all(|hit| *hit));
    }
}
