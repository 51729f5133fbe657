//! The run folders of all parts, and one run made of them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_ledger::{LedgerError, play};
use agentci_plan::Mode;
use agentci_verdict::{
    Body, GateReport, NotLoaded, Policy, Rows, RunEnd, RunEvent, RunStart, ShardOf, StabilitySummary, Status,
};

use super::auto::MOST_PARTS;

/// How deep run folders are looked for.
const DEPTH_LIMIT: usize = 12;
/// The most folders that are looked into.
const FOLDER_LIMIT: usize = 20_000;
/// How many missing parts are named.
const NAMED: usize = 20;

/// The run folders of all parts of one suite's run.
#[derive(Debug)]
pub struct Gathered {
    /// The suite.
    pub suite: String,
    /// The records of the parts, in their order.
    parts: Vec<Stored>,
}

/// The record of one part.
#[derive(Debug)]
struct Stored {
    path: PathBuf,
    start: RunStart,
    shard: ShardOf,
    end: RunEnd,
    ended_at: u64,
    gates: Option<Box<GateReport>>,
    cases: Vec<String>,
}

/// Why parts do not make a run.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// There is none.
    #[error("no run folder in `{0}`")]
    Nothing(PathBuf),
    /// A folder can not be searched.
    #[error("`{path}` can not be searched: {source}")]
    Search {
        /// The folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is too much to search.
    #[error("below `{path}` there are more than {most} folders")]
    Endless {
        /// The folder.
        path: PathBuf,
        /// How many are searched.
        most: usize,
    },
    /// A record can not be read.
    #[error("the run can not be read: {0}")]
    Unreadable(#[from] LedgerError),
    /// A record has lines that are none.
    #[error("`{path}` is damaged in line {line}")]
    Damaged {
        /// The record.
        path: PathBuf,
        /// The first such line.
        line: u64,
    },
    /// A run did not come to its end.
    #[error("the run in `{0}` did not come to its end")]
    Unfinished(PathBuf),
    /// A run is whole.
    #[error("the run in `{0}` is whole, not a part: it was made without `--shard`")]
    Whole(PathBuf),
    /// A run is one of more parts than there may be.
    #[error("the run in `{path}` is one of {count} parts, and there are from 1 to {MOST_PARTS}")]
    TooMany {
        /// The record.
        path: PathBuf,
        /// How many there are by it.
        count: u32,
    },
    /// Parts of different runs.
    #[error("`{first}` and `{second}` are no parts of one run of `{suite}`: {difference}")]
    Strangers {
        /// The suite.
        suite: String,
        /// One record.
        first: PathBuf,
        /// The other.
        second: PathBuf,
        /// How they differ.
        difference: String,
    },
    /// A part is there twice.
    #[error("part {index} of `{suite}` is there twice: `{first}` and `{second}`")]
    Doubled {
        /// The suite.
        suite: String,
        /// Which part.
        index: u32,
        /// One record.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// Parts are missing.
    #[error("of `{suite}` {there} of {cases} cases are there: of {count} parts there is no {parts}")]
    Missing {
        /// The suite.
        suite: String,
        /// How many cases there are.
        there: usize,
        /// How many there should be.
        cases: usize,
        /// The parts that are missing, in words.
        parts: String,
        /// Of how many.
        count: u32,
    },
    /// A case is in two parts.
    #[error("the case `{case}` of `{suite}` is in two parts; they were split by different durations")]
    Twice {
        /// The suite.
        suite: String,
        /// The case.
        case: String,
    },
}

/// Finds the runs at or below these folders and makes sure that, for each suite, all parts are there once.
pub fn gather(folders: &[PathBuf]) -> Result<Vec<Gathered>, MergeError> {
    let mut paths = BTreeSet::new();
    for folder in folders {
        let mut found = find(folder, FOLDER_LIMIT)?;
        if found.is_empty() {
            return Err(MergeError::Nothing(folder.clone()));
        }
        // A folder that is named twice, or with the one it lies in, is one part all the same.
        paths.append(&mut found);
    }
    let mut suites: BTreeMap<String, Vec<Stored>> = BTreeMap::new();
    for path in paths {
        let (suite, stored) = read(&path)?;
        suites.entry(suite).or_default().push(stored);
    }
    suites.into_iter().map(|(suite, parts)| Gathered::new(suite, parts)).collect()
}

/// The records at a folder and below it.
fn find(folder: &Path, most: usize) -> Result<BTreeSet<PathBuf>, MergeError> {
    let mut search = Search { most, searched: 0, found: BTreeSet::new() };
    search.look(folder, 0).map_err(|source| MergeError::Search { path: folder.to_path_buf(), source })?;
    if search.searched > most {
        return Err(MergeError::Endless { path: folder.to_path_buf(), most });
    }
    Ok(search.found)
}

struct Search {
    /// How many folders are looked into.
    most: usize,
    searched: usize,
    found: BTreeSet<PathBuf>,
}

impl Search {
    fn look(&mut self, path: &Path, depth: usize) -> io::Result<()> {
        self.searched += 1;
        let record = if path.is_dir() { path.join("run.jsonl") } else { path.to_path_buf() };
        if record.is_file() {
            self.found.insert(record.canonicalize()?);
            return Ok(());
        }
        if depth < DEPTH_LIMIT {
            for entry in fs_err::read_dir(path)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() && self.searched <= self.most {
                    self.look(&entry.path(), depth + 1)?;
                }
            }
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<(String, Stored), MergeError> {
    let (mut started, mut ended, mut gates, mut cases) = (None, None, None, Vec::new());
    let playback = play(path, |event| match event.body {
        Body::RunStart(start) => started = Some((event.suite.to_string(), start)),
        Body::CaseEnd(end) if event.attempt == Some(1) || end.runs <= 1 => {
            cases.extend(event.case_id.as_deref().map(str::to_owned));
        }
        Body::Gates(report) => gates = Some(report),
        Body::RunEnd(end) => ended = Some((end, event.timestamp)),
        _ => {}
    })?;
    let path = path.to_path_buf();
    if let Some(damage) = playback.damaged.first() {
        return Err(MergeError::Damaged { path, line: damage.line });
    }
    let (Some((suite, start)), Some((end, ended_at)), false) = (started, ended, playback.torn) else {
        return Err(MergeError::Unfinished(path));
    };
    if end.interrupted || end.not_run > 0 {
        return Err(MergeError::Unfinished(path));
    }
    let Some(shard) = start.shard.clone() else { return Err(MergeError::Whole(path)) };
    if !(1..=MOST_PARTS).contains(&shard.count) {
        return Err(MergeError::TooMany { path, count: shard.count });
    }
    Ok((suite, Stored { path, start: *start, shard, end, ended_at, gates, cases }))
}

impl Gathered {
    fn new(suite: String, mut parts: Vec<Stored>) -> Result<Self, MergeError> {
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
            let mut missing = (1..=count).filter(|index| !known.contains(index)).map(|index| index.to_string());
            let named: Vec<String> = missing.by_ref().take(NAMED).collect();
            let parts = match (named.is_empty(), missing.count()) {
                (true, _) => "none".to_owned(),
                (_, 0) => named.join(", "),
                (_, more) => format!("{} and {more} more", named.join(", ")),
            };
            return Err(MergeError::Missing { suite, there, cases, parts, count });
        }
        Ok(Self { suite, parts })
    }

    /// What the parts were held to, with the baseline that was named then; none was judged by itself.
    pub fn policy(&self, read_baseline: impl Fn(&Path) -> Result<agentci_verdict::Baseline, String>) -> Option<Policy> {
        let report = self.parts.iter().find_map(|part| part.gates.as_ref())?;
        Some(Policy {
            thresholds: report.thresholds,
            written: report.written.clone(),
            baseline: report.baseline_path.as_ref().map(|path| read_baseline(Path::new(path))),
            baseline_path: report.baseline_path.clone(),
        })
    }

    /// Plays the parts as one run. The result is the worst status of all cases, and at least a failure if a gate failed.
    pub fn play(
        &self,
        run_id: &str,
        policy: Option<&Policy>,
        mut on_event: impl FnMut(RunEvent),
    ) -> Result<Status, LedgerError> {
        let first = &self.parts[0];
        let suite: Arc<str> = self.suite.as_str().into();
        let of_run =
            |timestamp, body| RunEvent { suite: Arc::clone(&suite), case_id: None, attempt: None, timestamp, body };
        let mut start = RunStart { run_id: run_id.to_owned(), shard: None, ..first.start.clone() };
        let all = first.start.cases_total + first.start.cases_left_out;
        start.cases_total = first.shard.cases;
        start.cases_left_out = all.saturating_sub(first.shard.cases);
        let whole = start.cases_left_out == 0;
        let same_seed = self.parts.iter().all(|part| part.start.seed == first.start.seed);
        start.seed = start.seed.filter(|_| same_seed);
        start.not_loaded = self.not_loaded();
        start.cases_played = self.parts.iter().map(|part| part.start.cases_played).sum();
        start.cases_without_agent = self.parts.iter().map(|part| part.start.cases_without_agent).sum();
        start.require_agent = self.parts.iter().any(|part| part.start.require_agent);
        let require_agent = start.require_agent;
        let mut rows = Rows::default();
        // What could not be loaded has no case of its own.
        let worst_of_loading = if start.not_loaded.is_empty() { Status::Pass } else { Status::Error };
        let mut worst = worst_of_loading;
        let mut begun = Some(start);
        for part in &self.parts {
            play(&part.path, |event| match &event.body {
                Body::RunStart(_) => {
                    let merged = begun.take().map(|start| of_run(event.timestamp, Body::RunStart(Box::new(start))));
                    merged.into_iter().for_each(&mut on_event);
                }
                Body::Gates(_) | Body::RunEnd(_) => {}
                body => {
                    if let Body::CaseEnd(end) = body {
                        worst = worst.max(end.status);
                        rows.add(&event);
                    }
                    on_event(event);
                }
            })?;
        }
        let ended_at = self.parts.iter().map(|part| part.ended_at).max().unwrap_or_default();
        if let Some(policy) = policy {
            let mut report = policy.judge(&self.suite, &rows, whole);
            let loaded = worst_of_loading == Status::Pass;
            worst = report.decide(worst, loaded && first.start.mode != Mode::Record.name() && rows.all_run());
            on_event(of_run(ended_at, Body::Gates(Box::new(report))));
        }
        let wall_ms = self.parts.iter().map(|part| part.end.wall_ms).max().unwrap_or_default();
        let stability = StabilitySummary::of_several(&rows);
        on_event(of_run(ended_at, Body::RunEnd(RunEnd { wall_ms, stability, ..RunEnd::default() })));
        if require_agent && rows.iter().any(|row| row.lacks_agent().is_some()) {
            worst = worst.max(Status::Fail);
        }
        Ok(worst)
    }

    /// What the parts could not load; most of it is the same for all.
    pub fn not_loaded(&self) -> Vec<NotLoaded> {
        let mut all: Vec<NotLoaded> = Vec::new();
        for problem in self.parts.iter().flat_map(|part| &part.start.not_loaded) {
            if !all.contains(problem) {
                all.push(problem.clone());
            }
        }
        all
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there is none, which can not be.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

/// Why two records are no parts of one run.
fn difference(one: &Stored, other: &Stored) -> Option<String> {
    let (a, b) = (&one.start, &other.start);
    let differs = |what: &str, a: &str, b: &str| (a != b).then(|| format!("their {what} is `{a}` and `{b}`"));
    let known = |sha: &Option<String>| sha.clone().unwrap_or_default();
    let commits = a.git_sha.is_some() && b.git_sha.is_some();
    differs("number of parts", &one.shard.count.to_string(), &other.shard.count.to_string())
        .or_else(|| (one.shard.digest != other.shard.digest).then(|| "other cases were selected".into()))
        .or_else(|| {
            let (a, b) = (&one.shard.suite_digest, &other.shard.suite_digest);
            (a != b && !a.is_empty() && !b.is_empty()).then(|| "the suite was changed between them".into())
        })
        .or_else(|| differs("mode", &a.mode, &b.mode))
        .or_else(|| differs("format", &a.dialect, &b.dialect))
        .or_else(|| differs("commit", &known(&a.git_sha), &known(&b.git_sha)).filter(|_| commits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_for_runs_has_a_depth_limit() {
        let folder = tempfile::tempdir().unwrap();
        let nested = |levels: usize| folder.path().join(levels.to_string()).join(vec!["a"; levels - 1].join("/"));
        for levels in [DEPTH_LIMIT, DEPTH_LIMIT + 1] {
            std::fs::create_dir_all(nested(levels)).unwrap();
            std::fs::write(nested(levels).join("run.jsonl"), "").unwrap();
        }
        let found = find(folder.path(), FOLDER_LIMIT).unwrap();
        assert_eq!(found, BTreeSet::from([nested(DEPTH_LIMIT).join("run.jsonl").canonicalize().unwrap()]));
    }

    #[test]
    fn a_tree_of_too_many_folders_is_not_searched_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        assert_eq!(find(folder.path(), 4).unwrap(), BTreeSet::new());
        let error = find(folder.path(), 3).unwrap_err();
        assert!(error.to_string().ends_with("there are more than 3 folders"), "{error}");
    }
}
