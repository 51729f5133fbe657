//! Checks recordings one by one, and collects findings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agentci::DiskFiles;
use agentci::source::Files as _;
use agentci_recorder::{Exchange, ExchangeLines, Recording, RecordingLoadError, bad_answers, load_with_text, places};

use super::finding::{HealthFinding, HealthSeverity};
use super::uses::{RecordingUse, SearchedSuites};
use crate::cli::secrets::{dirty_lines_of_world, files_below};
use crate::cli::{CliError, counted};

/// How many findings of one kind are shown per recording.
const MOST_TOLD: usize = 20;

/// Seconds per day.
pub(super) const DAY_S: u64 = 24 * 60 * 60;

/// The findings so far.
#[derive(Debug, Default)]
pub(super) struct RecordingCheck {
    older_than: Duration,
    in_sight: SearchedSuites,
    pub(super) done: BTreeSet<PathBuf>,
    pub(super) findings: Vec<HealthFinding>,
    /// Answers that asked for a retry, which succeeded.
    pub(super) retried: usize,
    /// Other `.jsonl` files in the folders.
    pub(super) others: usize,
    /// Recordings for which it is unknown whether they are used, by reason.
    unknown: BTreeMap<String, Vec<String>>,
}

impl RecordingCheck {
    /// Creates an empty set of findings. Recordings older than `older_than` are reported.
    pub(super) fn new(older_than: Duration, in_sight: SearchedSuites) -> Self {
        Self { older_than, in_sight, ..Self::default() }
    }

    pub(super) fn path(&mut self, path: &Path) -> Result<(), CliError> {
        if !path.is_dir() {
            if fs_err::symlink_metadata(path).is_err() {
                let help = "pass a recording, or a folder that contains recordings";
                return Err(CliError::new(format!("`{}` does not exist", path.display()), help));
            }
            self.file(path);
            return Ok(());
        }
        let mut files = BTreeSet::new();
        if let Err(message) = files_below(path, &mut files) {
            let help = "pass the folders that contain recordings";
            self.findings.push(HealthFinding::new(HealthSeverity::Error, "unsearched", path, message, help));
        }
        // A file that a case names must be a recording, whatever it contains.
        let named = self.in_sight.named_below(path).into_iter();
        let mut recordings: BTreeSet<PathBuf> = named.filter(|path| path.is_file()).collect();
        for file in files {
            let text = DiskFiles.read_text(&file, Recording::LARGEST as u64);
            match text {
                Ok(text) if Recording::is_world(&text) => drop(recordings.insert(file)),
                _ if recordings.contains(&file) => {}
                _ => self.others += 1,
            }
        }
        for file in &recordings {
            self.file(file);
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) {
        if !self.done.insert(agentci::real_path(path)) {
            return;
        }
        let unreadable = |error: &dyn Display, help: &str| {
            HealthFinding::new(HealthSeverity::Error, "unreadable", path, format!("cannot be read: {error}"), help)
        };
        let (recording, text) = match load_with_text(path) {
            Ok(loaded) => loaded,
            Err(RecordingLoadError::Recording { error, .. }) => {
                let finding = unreadable(&error.message, "restore it from version control, or record it again");
                return self.findings.push(HealthFinding { line: Some(error.line), ..finding });
            }
            Err(RecordingLoadError::Io(error)) => return self.findings.push(unreadable(&error, "pass a recording")),
        };
        let lines = places(&text);
        self.secrets(path, &recording, &text);
        self.age(path, &recording);
        self.answers(path, &recording, &lines);
        self.uses(path, &text, &recording, &lines);
    }

    fn secrets(&mut self, path: &Path, recording: &Recording, text: &str) {
        let lines = dirty_lines_of_world(recording, text);
        let help =
            "record it again, or remove it with `agentci recording clean --value-from-env NAME`, and change the secret";
        let about = HealthFinding::new(HealthSeverity::Error, "secret", path, "this line contains a secret", help);
        let found = lines.iter().map(|line| HealthFinding { line: Some(*line), ..about.clone() });
        self.tell_some(found.collect(), |more| {
            format!("{} secrets", counted(more, "more line contains", "more lines contain"))
        });
    }

    fn age(&mut self, path: &Path, recording: &Recording) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let age = now.saturating_sub(Duration::from_millis(recording.header.now_ms));
        if age > self.older_than {
            let days = usize::try_from(age.as_secs() / DAY_S).unwrap_or(usize::MAX);
            let message = format!("was first recorded {} ago", counted(days, "day", "days"));
            let help = format!(
                "`agentci recording drift {}` shows whether the live world still answers the same; record it \
                 again to renew it",
                path.display()
            );
            let finding = HealthFinding::new(HealthSeverity::Warning, "stale", path, message, help);
            self.findings.push(HealthFinding { line: Some(1), ..finding });
        }
    }

    fn answers(&mut self, path: &Path, recording: &Recording, lines: &[ExchangeLines]) {
        let bad = bad_answers(recording);
        self.retried += bad.retried;
        let help = "every replay repeats it; record it again unless the agent should see this";
        let found = bad.errors.iter().filter_map(|bad| {
            let place = at(lines, bad.id);
            let line = place.map(|place| if bad.by_end { place.end } else { place.response.unwrap_or(place.request) });
            let message = format!("{} {}", by_id(recording, bad.id)?.named(), bad.what);
            let about = HealthFinding::new(HealthSeverity::Warning, "error_answer", path, message, help);
            Some(HealthFinding { line, call: Some(bad.id), ..about })
        });
        self.tell_some(found.collect(), |more| {
            format!("{} with errors", counted(more, "more call was answered", "more calls were answered"))
        });
    }

    fn uses(&mut self, path: &Path, text: &str, recording: &Recording, lines: &[ExchangeLines]) {
        let shown = path.display().to_string();
        let unused = match self.in_sight.of_recording(path, text) {
            RecordingUse::Known(unused) => unused,
            RecordingUse::NotKnown(why) => return self.unknown.entry(why).or_default().push(shown),
            // The recording of a command may also be used by `agentci replay`, which stores nothing about it.
            RecordingUse::NoCase if !recording.header.command.is_empty() => {
                let why = "no case uses it, and uses by `agentci replay` are not stored: see `agentci replay FILE`";
                return self.unknown.entry(why.into()).or_default().push(shown);
            }
            RecordingUse::NoCase => {
                let help = "remove it, or pass the suites that use it with `--suite PATH`";
                let finding =
                    HealthFinding::new(HealthSeverity::Warning, "unused", path, "no case uses this recording", help);
                return self.findings.push(finding);
            }
        };
        let help = "`agentci record --update` removes calls that the agent no longer makes";
        let found = unused.iter().filter_map(|id| by_id(recording, *id)).map(|exchange| {
            let line = at(lines, exchange.id).map(|place| place.request);
            let message = format!("{} was not used by the newest run", exchange.named());
            let about = HealthFinding::new(HealthSeverity::Warning, "unused_call", path, message, help);
            HealthFinding { line, call: Some(exchange.id), ..about }
        });
        self.tell_some(found.collect(), |more| {
            format!("{} not used by the newest run", counted(more, "more call was", "more calls were"))
        });
    }

    /// Adds the first of several findings of one kind, and the number of the others.
    fn tell_some(&mut self, mut found: Vec<HealthFinding>, more: impl Fn(usize) -> String) {
        let left_out = found.len().saturating_sub(MOST_TOLD);
        found.truncate(MOST_TOLD);
        let last = found.last().filter(|_| left_out > 0).cloned();
        self.findings.append(&mut found);
        self.findings.extend(last.map(|last| HealthFinding {
            line: None,
            call: None,
            message: more(left_out),
            ..last
        }));
    }

    /// Adds a note on what could not be determined, for each reason once.
    pub(super) fn tell_unknown(&mut self) {
        for (why, files) in std::mem::take(&mut self.unknown) {
            let first = files.first().expect("every reason is that of a recording");
            let more = match files.len() {
                0 | 1 => String::new(),
                count => format!(" (also for {})", counted(count - 1, "more recording", "more recordings")),
            };
            let message = format!("cannot tell whether all its calls are still used{more}");
            let (note, path) = (HealthSeverity::Note, Path::new(first));
            self.findings.push(HealthFinding::new(note, "use_not_known", path, message, why));
        }
    }

    pub(super) fn count(&self, severity: HealthSeverity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

fn by_id(recording: &Recording, id: u64) -> Option<&Exchange> {
    recording.exchanges.iter().find(|exchange| exchange.id == id)
}

fn at(lines: &[ExchangeLines], id: u64) -> Option<&ExchangeLines> {
    usize::try_from(id).ok().and_then(|id| id.checked_sub(1)).and_then(|position| lines.get(position))
}
