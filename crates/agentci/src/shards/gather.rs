//! Collects the run folders of all shards of a run.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use agentci_report::first_of;
use agentci_verdict::{NotLoaded, Policy};

use super::MergeError;
use super::search::{FOLDER_LIMIT, find};
use super::stored_part::{ShardJournal, difference, read};

/// How many missing shards are listed.
const NAMED: usize = 20;

/// The run folders of all shards of one suite's run.
#[derive(Debug)]
pub struct GatheredShards {
    /// The name of the suite.
    pub suite: String,
    /// The journals of the shards, in order.
    pub(super) parts: Vec<ShardJournal>,
}

/// Finds the runs at or below these folders, and checks that each suite has every shard exactly once.
pub fn gather(folders: &[PathBuf]) -> Result<Vec<GatheredShards>, MergeError> {
    let mut paths = BTreeSet::new();
    for folder in folders {
        let mut found = find(folder, FOLDER_LIMIT)?;
        if found.is_empty() {
            return Err(MergeError::Nothing(folder.clone()));
        }
        // A folder that is passed twice, or together with its parent, counts once.
        paths.append(&mut found);
    }
    let mut suites: BTreeMap<String, Vec<ShardJournal>> = BTreeMap::new();
    for path in paths {
        let (suite, stored) = read(&path)?;
        suites.entry(suite).or_default().push(stored);
    }
    suites.into_iter().map(|(suite, parts)| GatheredShards::new(suite, parts)).collect()
}

impl GatheredShards {
    fn new(suite: String, mut parts: Vec<ShardJournal>) -> Result<Self, MergeError> {
        parts.sort_by_key(|part| part.shard.index);
        let first = &parts[0];
        let (count, cases) = (first.shard.count, first.shard.cases);
        for pair in parts.windows(2) {
            let (one, other) = (&pair[0], &pair[1]);
            if let Some(difference) = difference(one, other) {
                let (first, second) = (one.path.clone(), other.path.clone());
                return Err(MergeError::Strangers { suite, first, second, difference });
            }
            if one.shard.index == other.shard.index {
                let (first, second) = (one.path.clone(), other.path.clone());
                return Err(MergeError::Doubled { suite, index: one.shard.index, first, second });
            }
        }
        let mut seen = HashSet::new();
        if let Some(case) = parts.iter().flat_map(|part| &part.cases).find(|case| !seen.insert(*case)) {
            return Err(MergeError::Twice { case: case.clone(), suite });
        }
        let there = seen.len();
        if there != cases {
            let known: BTreeSet<u32> = parts.iter().map(|part| part.shard.index).collect();
            let missing = (1..=count).filter(|index| !known.contains(index)).map(|index| index.to_string());
            let missing: Vec<String> = missing.collect();
            let parts = if missing.is_empty() { "none".to_owned() } else { first_of(&missing, NAMED) };
            return Err(MergeError::Missing { suite, there, cases, parts, count });
        }
        for part in &mut parts {
            part.cases = Vec::new();
        }
        Ok(Self { suite, parts })
    }

    /// The gates of the shards, with the baseline that they named; no shard was judged by itself.
    pub fn policy(&self, read_baseline: impl Fn(&Path) -> Result<agentci_verdict::Baseline, String>) -> Option<Policy> {
        let report = self.parts.iter().find_map(|part| part.gates.as_ref())?;
        Some(Policy {
            thresholds: report.thresholds,
            written: report.written.clone(),
            places: report.places.clone(),
            baseline: report.baseline_path.as_ref().map(|path| read_baseline(Path::new(path))),
            baseline_path: report.baseline_path.clone(),
        })
    }

    /// What the shards could not load, without duplicates.
    pub fn not_loaded(&self) -> Vec<NotLoaded> {
        let mut all: Vec<NotLoaded> = Vec::new();
        for problem in self.parts.iter().flat_map(|part| &part.start.not_loaded) {
            if !all.contains(problem) {
                all.push(problem.clone());
            }
        }
        all
    }

    /// The number of shards.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there are no shards, which is never the case.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}
