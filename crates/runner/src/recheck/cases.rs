//! Which case of the suite each case of a stored run is.

use std::collections::HashMap;
use std::sync::Arc;

use agentci_plan::Cases;

/// A case of a stored run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCase {
    /// Its id.
    pub id: Arc<str>,
    /// Its position in the stored run.
    pub index: usize,
}

/// The cases that a stored run and a suite have in common. A case is the same if its id is; of several cases with one
/// id, the first is the first.
#[derive(Debug, Default)]
pub(super) struct MatchedCases {
    /// The position in the suite, by the position in the stored run.
    pub(super) positions: HashMap<usize, usize>,
    /// The ids of stored cases that the suite lacks.
    pub(super) removed: Vec<String>,
    /// The positions of cases in the suite that the run lacks.
    pub(super) added: Vec<usize>,
}

impl MatchedCases {
    pub(super) fn new(stored: &[StoredCase], cases: &Cases) -> Self {
        let mut sorted: Vec<&StoredCase> = stored.iter().collect();
        sorted.sort_by_key(|case| case.index);
        let mut matched = Self { added: (0..cases.len()).collect(), ..Self::default() };
        for case in sorted {
            match matched.added.iter().position(|position| cases[*position].id == *case.id) {
                Some(found) => {
                    matched.positions.insert(case.index, matched.added.remove(found));
                }
                None => matched.removed.push(case.id.to_string()),
            }
        }
        matched
    }

    /// The order of a suite's case among those of the stored run.
    pub(super) fn rank(&self, position: usize) -> usize {
        self.positions.values().filter(|other| **other < position).count()
    }
}
