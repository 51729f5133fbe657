//! Which calls go wrong, and how.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use agentci_plan::{Fault, FaultKind, FaultTime, draw};

/// Decides for each call whether something goes wrong with it. Equal seeds give equal decisions.
#[derive(Debug, Clone)]
pub struct Faults {
    planned: Arc<[Fault]>,
    seed: u64,
    calls: u32,
    calls_by_tool: HashMap<String, u32>,
    /// Which of them had their chance so far, by position.
    met: BTreeSet<usize>,
}

impl Faults {
    /// Faults for one attempt; the seed should differ for each case and attempt.
    pub fn new(planned: Arc<[Fault]>, seed: u64) -> Self {
        Self { planned, seed, calls: 0, calls_by_tool: HashMap::new(), met: BTreeSet::new() }
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
        let of_tool = *of_tool;
        let mut fitting = None;
        for (index, fault) in self.planned.iter().enumerate() {
            let number = match &fault.tool {
                Some(name) if name.value != tool => continue,
                Some(_) => of_tool,
                None => self.calls,
            };
            let fits = match fault.when {
                FaultTime::Always => true,
                FaultTime::Call(call) => call == number,
                FaultTime::Rate(rate) => draw(self.seed, index as u64, tool, number) < rate,
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
        Fault { tool, when, kind: FaultKind::Error("down".into()), span }
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
