//! Compares a stored run with the suite as it is now.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use agentci_dataset::RowCursor;
use agentci_ledger::play_while;
use agentci_plan::{Case, planned};
use agentci_runner::{CaseKey, FinishedCase, FinishedCases, PlayFinished, Settings, chosen_embedder};
use agentci_verdict::{Body, RunResumed};

use super::{Definitions, StoredProgress};
use crate::{LoadedSuite, Suites};

/// How many ids of each kind are kept for messages.
const NAMED: usize = 10;

/// How a stored run is continued.
#[derive(Debug, Clone)]
pub struct Resumption {
    /// The cases that are not run again.
    pub finished: Arc<FinishedCases>,
    /// The first finished cases that are run again because their definition changed.
    pub changed: Vec<String>,
    /// The first finished cases of the stored run that are not selected now.
    pub dropped: Vec<String>,
    /// The number of cases that are run.
    pub to_run: usize,
}

impl Suites {
    /// Compares a stored run with one suite, given by position, for a run with these settings. `name` is the name of the stored
    /// run in reports.
    pub fn resumption(&self, position: usize, stored: &StoredProgress, settings: &Settings, name: &str) -> Resumption {
        let loaded = &self.loaded()[position];
        let options = self.options(position, settings);
        let definitions = Definitions::new(&loaded.suite, options.mode, self.secrets());
        let same_embedder = chosen_embedder(&loaded.suite, &options) == stored.start.embedder;
        let mut kept = HashMap::new();
        let (mut changed, mut changed_count) = (Vec::new(), 0);
        let mut rows = RowCursor::new(options.files);
        for (place, at) in loaded.selected.iter().enumerate() {
            let planned = planned(&loaded.suite.cases, *at);
            let (Some(case), Some(ready)) = (planned, loaded.ready.cases.get(at.case as usize)) else { continue };
            let key = CaseKey::new(case.id());
            let Some(of_run) = stored.cases.get(&key).filter(|stored| stored.is_finished()) else { continue };
            let case = case.completed(&mut rows);
            let definition = definitions.of(&case, ready).filter(|_| is_run(&case));
            let definition = definition.and_then(|digits| u64::from_str_radix(&digits, 16).ok());
            if definition == Some(of_run.definition) && (same_embedder || !of_run.is_compared) {
                let place = position_of(loaded, place);
                kept.insert(key, FinishedCase { index: place, runs: of_run.runs });
            } else {
                changed_count += 1;
                if changed.len() < NAMED {
                    changed.push(case.id.to_string());
                }
            }
        }
        let all_finished = stored.cases.values().filter(|case| case.is_finished()).count();
        let dropped_count = all_finished.saturating_sub(kept.len() + changed_count);
        let dropped = if dropped_count > 0 { dropped(loaded, stored) } else { Vec::new() };
        let to_run = loaded.selected.len().saturating_sub(kept.len());
        let facts =
            RunResumed { run: name.to_owned(), kept: kept.len(), changed: changed_count, dropped: dropped_count };
        let finished = FinishedCases { facts, cases: kept, play: play(stored), trouble: Arc::new(OnceLock::new()) };
        Resumption { finished: Arc::new(finished), changed, dropped, to_run }
    }
}

/// Whether the case has a result of its own: skipped and invalid cases are quickly reported again.
fn is_run(case: &Case) -> bool {
    case.skip.is_none() && case.broken.is_none()
}

/// The position of a selected case among those of all shards.
fn position_of(loaded: &LoadedSuite, place: usize) -> u32 {
    let index = loaded.part.as_ref().and_then(|part| part.positions.get(place)).copied().unwrap_or(place);
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The first finished cases of the stored run that are not selected now.
fn dropped(loaded: &LoadedSuite, stored: &StoredProgress) -> Vec<String> {
    let selected: std::collections::HashSet<CaseKey> =
        loaded.selected_cases().map(|case| CaseKey::new(case.id())).collect();
    let mut found: Vec<String> = Vec::new();
    let _ = play_while(&stored.path, |_, event| {
        if let (Body::CaseEnd(_), Some(id)) = (&event.body, &event.case_id) {
            let key = CaseKey::new(id);
            let is_finished = stored.cases.get(&key).is_some_and(super::progress::StoredCaseProgress::is_finished);
            if is_finished && !selected.contains(&key) && !found.iter().any(|known| **known == **id) {
                found.push(id.to_string());
            }
        }
        found.len() < NAMED
    });
    found
}

fn play(stored: &StoredProgress) -> PlayFinished {
    let (path, lines) = (stored.path.clone(), stored.lines);
    Arc::new(move |take| {
        let mut read = 0;
        let playback = play_while(&path, |line, event| {
            read = line;
            take(event)
        });
        match playback.map_err(|error| error.to_string())?.damaged.first() {
            None if read <= lines => Ok(()),
            None => Err(format!("{} has grown", path.display())),
            Some(damage) => Err(format!("{}:{}: {}", path.display(), damage.line, damage.reason)),
        }
    })
}
