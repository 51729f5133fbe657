//! Determines the use of a recording: which cases refer to it, and which calls their newest runs made.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agentci::plan::cases_by_files;
use agentci::source::Severity;
use agentci::trace::sha256;
use agentci::{Suites, real_path};
use serde_json::Value;

use crate::cli::stored_run;

/// The suites that may use recordings, and their newest runs.
#[derive(Debug, Default)]
pub(super) struct SearchedSuites {
    /// Cases that are answered from a recording.
    cases: Vec<UsingCase>,
    /// Whether there are any suites.
    any: bool,
    /// Why not all suites could be read.
    wrong: Option<String>,
}

#[derive(Debug)]
struct UsingCase {
    /// The recording, with symbolic links resolved.
    recording: PathBuf,
    /// The result of the case in the newest run of its suite; `None` without a run, or without the case in it.
    result: Option<Value>,
    /// The path of the suite, for a command line.
    suite: String,
}

/// What is known about the use of a recording.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RecordingUse {
    /// The newest run used all calls except these.
    Known(Vec<u64>),
    /// No case of the suites refers to it.
    NoCase,
    /// The use is unknown, with the reason and the remedy.
    NotKnown(String),
}

impl SearchedSuites {
    /// Loads the suites at these paths. Default: those in the folders of the recordings, or in their parent folders.
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
            let recorded = cases_by_files(&suite.cases).filter_map(|case| {
                let recording = case.recorded_world()?.recording.clone();
                Some((case, recording))
            });
            let recorded: Vec<_> = recorded.collect();
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

    /// The recordings at or below a path that cases refer to.
    pub(super) fn named_below(&self, path: &Path) -> Vec<PathBuf> {
        let real = real_path(path);
        let below = self.cases.iter().map(|case| &case.recording).filter(|recording| recording.starts_with(&real));
        below.filter_map(|recording| Some(path.join(recording.strip_prefix(&real).ok()?))).collect()
    }

    /// What is known about the use of a recording with this text.
    pub(super) fn of_recording(&self, path: &Path, text: &str) -> RecordingUse {
        let real = real_path(path);
        let unread = |wrong| RecordingUse::NotKnown(format!("a suite cannot be read ({wrong}): see `agentci check`"));
        let mut cases = self.cases.iter().filter(|case| case.recording == real).peekable();
        if cases.peek().is_none() {
            return match &self.wrong {
                Some(wrong) => unread(wrong),
                None if self.any => RecordingUse::NoCase,
                None => RecordingUse::NotKnown("no suites found: pass suites with `--suite PATH`".into()),
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
            // Another case may use what this one did not.
            unused = Some(unused.map_or(left.clone(), |known| known.intersection(&left).copied().collect()));
        }
        match &self.wrong {
            Some(wrong) if unused.as_ref().is_some_and(|unused| !unused.is_empty()) => unread(wrong),
            _ => RecordingUse::Known(unused.into_iter().flatten().collect()),
        }
    }
}

impl UsingCase {
    /// The calls that the newest run of the case did not use; `None` if that is unknown. A case that did not pass may
    /// not have reached its later calls, and a case with several runs may have used them in another run.
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
