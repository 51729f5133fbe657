//! Splits the cases across machines.

use std::collections::{HashMap, HashSet};

use agentci_plan::Suite;
use agentci_runner::RunShard;
use agentci_source::Sources;
use agentci_verdict::ShardOf;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::Shard;
use crate::{LoadedSuite, Suites};

/// The durations of cases in earlier runs, by suite and id.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Durations {
    known: HashMap<(String, String), u64>,
}

impl Durations {
    /// Adds the durations of a stored run from its summary.
    pub fn learn(&mut self, summary: &Value) {
        let suite = summary.pointer("/suite/name").and_then(Value::as_str).unwrap_or_default();
        for case in summary["cases"].as_array().into_iter().flatten() {
            if let (Some(id), Some(wall)) = (case["id"].as_str(), case["wall_ms"].as_u64()) {
                self.known.insert((suite.to_owned(), id.to_owned()), wall);
            }
        }
    }

    /// A duration for every case; a new case gets the median.
    fn of(&self, cases: &[(&str, &str)]) -> Vec<u64> {
        let known = |(suite, id): &(&str, &str)| self.known.get(&((*suite).to_owned(), (*id).to_owned())).copied();
        let mut all: Vec<u64> = cases.iter().filter_map(known).collect();
        all.sort_unstable();
        let middle = all.get(all.len().saturating_sub(1) / 2).copied().unwrap_or(1);
        cases.iter().map(|case| known(case).unwrap_or(middle).max(1)).collect()
    }
}

/// Keeps only the selected cases of one shard, and notes which shard they are. Without durations, cases are assigned
/// round-robin, so that shards have equal numbers of cases and adjacent cases are separated.
pub fn split(suites: &mut Suites, shard: Shard, durations: Option<&Durations>) {
    let mut cases: Vec<(&str, &str)> = Vec::new();
    for loaded in &suites.loaded {
        cases.extend(loaded.selected_cases().map(|case| (loaded.suite.name.as_str(), case.id())));
    }
    let mut taken_by = match durations {
        Some(durations) => balanced(&durations.of(&cases), shard.count),
        None => (0..shard.count).cycle().take(cases.len()).collect(),
    }
    .into_iter();
    for loaded in &mut suites.loaded {
        let Shard { index, count } = shard;
        let of = ShardOf {
            index,
            count,
            cases: loaded.selected.len(),
            digest: case_digest(loaded),
            suite_digest: suite_digest(&suites.sources, &loaded.suite),
        };
        let whole = std::mem::take(&mut loaded.selected);
        let own = whole.into_iter().enumerate().filter(|_| taken_by.next() == Some(index - 1));
        let (positions, taken) = own.unzip();
        loaded.selected = taken;
        loaded.part = Some(RunShard { of, positions });
    }
}

/// A digest of the selected cases.
fn case_digest(loaded: &LoadedSuite) -> String {
    let mut hash = Sha256::new();
    for case in loaded.selected_cases() {
        hash.update(case.id().as_bytes());
        hash.update([0]);
    }
    format!("{:x}", hash.finalize())
}

/// A digest of a suite: the text of the files that contain the suite and its cases. The paths do not count, since they
/// may differ between machines.
fn suite_digest(sources: &Sources, suite: &Suite) -> String {
    let mut seen = HashSet::new();
    let mut hash = Sha256::new();
    for span in std::iter::once(suite.span).chain(suite.cases.iter().map(|case| case.span)) {
        if seen.insert(span.file) {
            let text = sources.text(span.file);
            hash.update(text.len().to_be_bytes());
            hash.update(text.as_bytes());
        }
    }
    format!("{:x}", hash.finalize())
}

/// The shard for each duration: the longest first, each to the shard with the least load.
fn balanced(durations: &[u64], count: u32) -> Vec<u32> {
    let mut order: Vec<usize> = (0..durations.len()).collect();
    order.sort_by_key(|index| (std::cmp::Reverse(durations[*index]), *index));
    let mut loads = vec![(0_u64, 0_usize); count as usize];
    let mut taken_by = vec![0; durations.len()];
    for index in order {
        let least = (0..loads.len()).min_by_key(|shard| (loads[*shard], *shard)).expect("there is a shard");
        loads[least].0 += durations[index];
        loads[least].1 += 1;
        taken_by[index] = u32::try_from(least).expect("the number of shards is a `u32`");
    }
    taken_by
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_case_gets_a_shard_to_itself() {
        let taken_by = balanced(&[10, 100, 20, 30, 40], 2);
        assert_eq!(taken_by, [1, 0, 1, 1, 1]);
    }

    #[test]
    fn equal_cases_are_split_evenly() {
        let taken_by = balanced(&[1; 8], 4);
        let counts: Vec<usize> =
            (0..4).map(|shard| taken_by.iter().filter(|taken_by| **taken_by == shard).count()).collect();
        assert_eq!(counts, [2; 4]);
    }

    #[test]
    fn new_case_is_assumed_to_take_the_median_duration() {
        let mut durations = Durations::default();
        durations.learn(&serde_json::json!({
            "suite": { "name": "s" },
            "cases": [{ "id": "a", "wall_ms": 5 }, { "id": "b", "wall_ms": 50 }, { "id": "c", "wall_ms": 500 }],
        }));
        assert_eq!(durations.of(&[("s", "c"), ("s", "new"), ("s", "a"), ("s", "b"), ("t", "a")]), [500, 50, 5, 50, 50]);
    }
}
