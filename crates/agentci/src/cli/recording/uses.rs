//! Who uses a recording: the cases of suites, and the calls that their newest runs asked for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agentci::source::Severity;
use agentci::trace::sha256;
use agentci::{Suites, real_path};
use serde_json::Value;

use crate::cli::stored_run;

/// Suites in sight, and their newest runs.
#[derive(Debug, Default)]
pub(super) struct SuitesInSight {
    /// Cases that are answered from a recording.
    cases: Vec<UsingCase>,
    /// Whether there is any suite.
    any: bool,
    /// Why not all suites could be read.
    wrong: Option<String>,
}

#[derive(Debug)]
struct UsingCase {
    /// The recording, all links followed.
    recording: PathBuf,
    /// What it says of the case in the newest run of its suite; nothing where there is no run or the run has no such case.
    result: Option<Value>,
    /// The suite, as a command names it.
    suite: String,
}

/// What is known of the use of a recording.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RecordingUse {
    /// The newest run asked for all calls but these.
    Known(Vec<u64>),
    /// No case of the suites names it.
    NoCase,
    /// It is not known: why, and what to do.
    NotKnown(String),
}

impl SuitesInSight {
    /// Reads the suites at these paths; without any, those in the folders of the recordings, or in the folders above them.
    pub(super) fn load(suites: &[PathBuf], recordings: &[PathBuf]) -> Self {
        if !suites.is_empty() {
            return Self::of(&Suites::load(suites.to_vec()));
        }
        let folder = |path: &PathBuf| {
            if path.is_dir() { path.clone() } else { above(path) }
        };
        let mut found = Self::default();
        for folder in recordings.iter().map(folder).collect::<BTreeSet<PathBuf>>() {
            let mut here = Self::of(&Suites::load([folder.clone()]));
            if !here.any && here.wrong.is_none() {
                here = Self::of(&Suites::load([above(&folder)]));
            }
            found.any |= here.any;
            found.wrong = found.wrong.or(here.wrong);
            found.cases.extend(here.cases);
        }
        found
    }

    fn of(suites: &Suites) -> Self {
        let mut errors = suites.problems().iter().filter(|problem| problem.severity == Severity::Error);
        let wrong = errors.find(|problem| !problem.message.starts_with("no suite found in "));
        let mut cases = Vec::new();
        for suite in suites.loaded().iter().map(|loaded| &loaded.suite) {
            let recorded: Vec<_> =
                suite.cases.iter().filter_map(|case| Some((case, case.recorded_world()?.recording))).collect();
            if recorded.is_empty() {
                continue;
            }
            let summary = stored_run::newest_summary(suite).unwrap_or_default();
            for (case, recording) in recorded {
                let mut results = summary["cases"].as_array().into_iter().flatten();
                let result = results.find(|result| result["id"] == case.id.as_str()).cloned();
                let suite = suite.path.display().to_string();
                cases.push(UsingCase { recording: real_path(&recording.path), result, suite });
            }
        }
        let wrong = wrong.map(|problem| problem.message.clone());
        Self { cases, any: !suites.loaded().is_empty(), wrong }
    }

    /// The recordings that cases name at or below a path.
    pub(super) fn named_below(&self, path: &Path) -> Vec<PathBuf> {
        let real = real_path(path);
        let below = self.cases.iter().map(|case| &case.recording).filter(|recording| recording.starts_with(&real));
        below.filter_map(|recording| Some(path.join(recording.strip_prefix(&real).ok()?))).collect()
    }

    /// What is known of the use of a recording with this text.
    pub(super) fn of_recording(&self, path: &Path, text: &str) -> RecordingUse {
        let real = real_path(path);
        let unread = |wrong| RecordingUse::NotKnown(format!("a suite cannot be read ({wrong}): see `agentci check`"));
        let mut cases = self.cases.iter().filter(|case| case.recording == real).peekable();
        if cases.peek().is_none() {
            return match &self.wrong {
                Some(wrong) => unread(wrong),
                None if self.any => RecordingUse::NoCase,
                None => RecordingUse::NotKnown("no suite is in sight: name suites with `--suite PATH`".into()),
            };
        }
        let digest = sha256(text.as_bytes());
        let mut unused: Option<BTreeSet<u64>> = None;
        for case in cases {
            let Some(left) = case.unused(&digest) else {
                return RecordingUse::NotKnown(format!(
                    "no run of this recording has passed: `agentci run {}`",
                    case.suite
                ));
            };
            // What one case leaves another may ask for.
            unused = Some(unused.map_or(left.clone(), |known| known.intersection(&left).copied().collect()));
        }
        match &self.wrong {
            Some(wrong) if unused.as_ref().is_some_and(|unused| !unused.is_empty()) => unread(wrong),
            _ => RecordingUse::Known(unused.into_iter().flatten().collect()),
        }
    }
}

impl UsingCase {
    /// The calls that the newest run of the case left. A case that did not pass may not have come to its later calls, and one that
    /// was run several times may have asked for them at another time.
    fn unused(&self, digest: &str) -> Option<BTreeSet<u64>> {
        let result = self.result.as_ref()?;
        let is_this = result["replay"]["cassette_sha256"] == digest && result["status"] == "pass";
        let matched = result.get("matched").filter(|_| is_this)?;
        let unused: BTreeSet<u64> =
            matched["unused"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        let once = result["runs"].as_array().is_none_or(|runs| runs.len() < 2);
        (unused.is_empty() || once).then_some(unused)
    }
}

fn above(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
        Some(parent) => parent.to_path_buf(),
        None => path.to_path_buf(),
    }
}
