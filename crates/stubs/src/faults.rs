//! Which calls go wrong, and how.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use agentci_plan::{Fault, FaultKind, FaultTime, draw};

/// What draws for calls of a model depend on, in place of the name of a tool.
const MODEL: &str = "the model";

/// Decides for each call whether something goes wrong with it. Equal seeds give equal decisions.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    planned: Arc<[Fault]>,
    seed: u64,
    calls: u32,
    calls_by_tool: HashMap<String, u32>,
    calls_of_model: u32,
    /// Which of them had their chance so far, by position.
    met: BTreeSet<usize>,
}

impl Faults {
    /// Faults for one attempt; the seed should differ for each case and attempt.
    pub fn new(planned: Arc<[Fault]>, seed: u64) -> Self {
        Self { planned, seed, ..Self::default() }
    }

    /// Whether any of these is left to a draw.
    pub fn drawn(faults: &[Fault]) -> bool {
        faults.iter().any(|fault| matches!(fault.when, FaultTime::Rate(_)))
    }

    /// What goes wrong with the next call of a tool: the first fault that fits.
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

    /// What goes wrong with the next call of a recorded model.
    pub fn next_of_model(&mut self) -> Option<FaultKind> {
        self.calls_of_model += 1;
        let number = self.calls_of_model;
        self.fitting(MODEL, |fault| fault.model.then_some(number))
    }

    /// The first fault that fits a call: `number` says which call it is for a fault, if it is for that call at all.
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
            // A draw that does not hit is as good as one that does.
            if happens || matches!(fault.when, FaultTime::Rate(_)) {
                self.met.insert(index);
            }
            if happens {
                fitting = Some(fault.kind.clone());
            }
        }
        fitting
    }

    /// The faults, each with whether it happened so far, or was drawn for.
    pub fn met(&self) -> impl Iterator<Item = (&Fault, bool)> {
        self.planned.iter().enumerate().map(|(index, fault)| (fault, self.met.contains(&index)))
    }

    /// How often that was called so far which a fault is for.
    pub fn calls_for(&self, fault: &Fault) -> u32 {
        let tool = fault.tool.as_ref().map(|tool| tool.value.as_str());
        if fault.model { self.calls_of_model } else { self.calls(tool) }
    }

    /// How often a tool was called so far, or any when none is named.
    pub fn calls(&self, tool: Option<&str>) -> u32 {
        match tool {
            Some(tool) => self.calls_by_tool.get(tool).copied().unwrap_or_default(),
            None => self.calls,
        }
    }

    /// The tools that were called so far, in no order.
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
    fn calls_of_the_model_are_counted_apart() {
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
    fn the_nth_call_is_counted_by_tool_or_over_all() {
        let calls = ["a", "b", "a", "a"];
        assert_eq!(hits(vec![fault(Some("a"), FaultTime::Call(2))], 0, &calls), [false, false, true, false]);
        assert_eq!(hits(vec![fault(None, FaultTime::Call(2))], 0, &calls), [false, true, false, false]);
        assert_eq!(hits(vec![fault(Some("b"), FaultTime::Always)], 0, &calls), [false, true, false, false]);
    }

    #[test]
    fn what_never_happened_is_known() {
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
    fn a_rate_is_about_right_and_the_seed_decides() {
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
