//! Finds planned faults that never happened: such a case does not test what it is meant to test.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use agentci_plan::{Cases, Fault, FaultTime, Mode, planned, positions};
use agentci_source::{Sources, Span, did_you_mean};
use agentci_stubs::Faults;
use agentci_trace::Trace;

use crate::{finished::FinishedCases, job::CaseJob};

/// The state of a suite's faults, each identified by its place. A fault that several cases share is reported with the
/// last of them, if none of them met it.
#[derive(Debug, Default)]
pub(crate) struct PendingFaults {
    /// All lanes write here, on one thread, so this is a cell.
    faults: RefCell<BTreeMap<Span, Awaited>>,
    /// The limits that were already reported as not checked.
    pub(crate) limits: RefCell<BTreeSet<&'static str>>,
}

/// A fault that has not happened so far.
#[derive(Debug, Default)]
struct Awaited {
    /// The number of attempts that have not ended.
    left: u64,
    met: bool,
    /// The maximum number of calls to its tool in one attempt.
    most: u32,
    /// The tools whose calls were answered.
    called: BTreeSet<String>,
    /// Whether the agent called its tool but got the answer from elsewhere.
    elsewhere: bool,
}

impl PendingFaults {
    /// The faults of all cases, whether selected or not: a case that was left out may have met one.
    pub(crate) fn new(cases: &Cases, mode: Mode, finished: Option<&FinishedCases>) -> Self {
        let mut awaited: BTreeMap<Span, Awaited> = BTreeMap::new();
        if mode != Mode::Record {
            let faulty = |at| planned(cases, at).filter(|planned| !planned.case.world.faults.is_empty());
            for planned in positions(cases).filter_map(faulty).filter(|planned| planned.case.skip.is_none()) {
                let case = planned.case;
                let is_finished = finished.is_some_and(|finished| finished.has(planned.id()));
                for fault in case.world.faults.iter() {
                    if is_finished {
                        // Whether it happened there is not stored.
                        awaited.entry(fault.span).or_default().met = true;
                        continue;
                    }
                    let runs = case.repeats.as_ref().map_or(case.runs, |repeats| repeats.min);
                    awaited.entry(fault.span).or_default().left += u64::from(runs.max(1));
                }
            }
        }
        Self { faults: RefCell::new(awaited), limits: RefCell::default() }
    }

    /// Records the end of an attempt; returns warnings for the faults that can no longer happen.
    pub(crate) fn ended(&self, seen: &[Faults], trace: &Trace, sources: &Sources) -> Vec<String> {
        let mut all = self.faults.borrow_mut();
        let mut told = Vec::new();
        let Some(first) = seen.first() else { return told };
        for (index, (fault, _)) in first.met().enumerate() {
            let Some(awaited) = all.get_mut(&fault.span) else { continue };
            let tool = fault.tool.as_ref().map(|tool| tool.value.as_str());
            for faults in seen {
                awaited.met |= faults.met().nth(index).is_some_and(|(_, met)| met);
                awaited.most = awaited.most.max(faults.calls_for(fault));
                awaited.called.extend(faults.called().map(str::to_owned));
            }
            awaited.elsewhere |= !fault.model
                && trace.calls().iter().any(|call| tool.is_none_or(|tool| call.goes_by(|name| name == tool)));
            awaited.left = awaited.left.saturating_sub(1);
            if awaited.left == 0 && !awaited.met {
                let place = sources.spot(fault.span);
                let (path, line, column) = (place.path, place.line, place.column);
                let (kind, reason) = (fault.kind.name(), awaited.reason(fault));
                told.push(format!("the fault `{kind}` at {path}:{line}:{column} never happened: {reason}"));
            }
        }
        told
    }
}

/// The state of the injected faults; empty if the run was interrupted.
pub(crate) fn seen(job: &CaseJob<'_>, answered: Faults, served: impl Iterator<Item = Faults>) -> Vec<Faults> {
    if job.case.world.faults.is_empty() || job.run.stop.stopped() {
        return Vec::new();
    }
    [answered].into_iter().chain(served).collect()
}

impl Awaited {
    fn reason(&self, fault: &Fault) -> String {
        let tool = fault.tool.as_ref().map(|tool| tool.value.as_str());
        let whose = match tool {
            _ if fault.model => "the recorded model".to_owned(),
            None => "any tool".to_owned(),
            Some(tool) => format!("`{tool}`"),
        };
        match (self.most, fault.when) {
            (0, _) if fault.model => "no call to a recorded model was answered".into(),
            (0, _) if self.elsewhere => format!("the agent gets the answers of {whose} from elsewhere"),
            (0, _) => {
                let near = tool.and_then(|tool| did_you_mean(tool, self.called.iter().map(String::as_str)));
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                tool.map_or_else(|| "no tool was called".to_owned(), |_| format!("{whose} was never called{near}"))
            }
            (most, FaultTime::Call(call)) if most < call => {
                let times = if most == 1 { "once".to_owned() } else { format!("{most} times") };
                format!("it is for call {call} of {whose}, which was called {times} at most")
            }
            _ => "an earlier fault matches the same calls".into(),
        }
    }
}
