//! Which case of the suite each case of a stored run is.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use agentci_plan::{CasePosition, Cases, planned};

/// A case of a stored run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCase {
    pub id: Arc<str>,
    /// Its position in the stored run.
    pub index: usize,
}

/// The cases that a stored run and a suite have in common. A case is the same if its id is; of several cases with one
/// id, the first is the first.
///
/// A position in the suite is the place of the case in the list of all positions.
#[derive(Debug, Default)]
pub(super) struct MatchedCases {
    /// The position in the suite, by the position in the stored run.
    pub(super) positions: HashMap<usize, usize>,
    /// The ids of stored cases that the suite lacks.
    pub(super) removed: Vec<String>,
    /// The positions of cases in the suite that the run lacks.
    pub(super) added: Vec<usize>,
    /// The positions in the suite that have a stored case, sorted.
    found: Vec<usize>,
}

impl MatchedCases {
    pub(super) fn new(stored: &[StoredCase], cases: &Cases, all: &[CasePosition]) -> Self {
        let mut sorted: Vec<&StoredCase> = stored.iter().collect();
        sorted.sort_by_key(|case| case.index);
        let mut left: HashMap<&str, VecDeque<usize>> = HashMap::new();
        for (place, position) in all.iter().enumerate() {
            if let Some(case) = planned(cases, *position) {
                left.entry(case.id()).or_default().push_back(place);
            }
        }
        let mut matched = Self::default();
        for case in sorted {
            match left.get_mut(&*case.id).and_then(VecDeque::pop_front) {
                Some(found) => {
                    matched.positions.insert(case.index, found);
                }
                None => matched.removed.push(case.id.to_string()),
            }
        }
        let mut added: Vec<usize> = left.into_values().flatten().collect();
        added.sort_unstable();
        let mut found: Vec<usize> = matched.positions.values().copied().collect();
        found.sort_unstable();
        Self { added, found, ..matched }
    }

    /// The order of a suite's case among those of the stored run.
    pub(super) fn rank(&self, position: usize) -> usize {
        self.found.partition_point(|other| *other < position)
    }
}
