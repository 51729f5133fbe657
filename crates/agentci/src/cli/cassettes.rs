//! What `agentci check` says about recordings: wrong ones, those no case uses, and entries no call can reach.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use agentci::plan::{Case, Cassette, Mode, Recording, ToolSource};
use agentci::source::{Diagnostic, Diagnostics, Files as _, Kind, Span};
use agentci::stubs::{Tape, TapeError};
use agentci::trace::Redactor;
use agentci::{DiskFiles, Suites};
use agentci_exchange::Recording as Conversation;
use agentci_recorder::Recording as World;
use serde_json::Value;

use super::stored::{self, RUNS};

/// The most of a cassette that is kept to show a wrong line.
const SHOWN_CASSETTE: u64 = 64 << 20;

/// The recordings that the cases of all suites name, each once.
pub(super) fn named(suites: &Suites) -> Vec<(Cassette, Vec<&Case>)> {
    let mut found: Vec<(Cassette, Vec<&Case>)> = Vec::new();
    for case in suites.loaded().iter().flat_map(|loaded| &loaded.suite.cases) {
        let ToolSource::Cassette(cassette) = &case.world.tools else { continue };
        match found.iter_mut().find(|(known, _)| known.path == cassette.path) {
            Some((_, cases)) => cases.push(case),
            None => found.push((cassette.clone(), vec![case])),
        }
    }
    found
}

/// What is wrong or of no use.
pub(crate) fn problems(suites: &mut Suites) -> Diagnostics {
    let mut told = Vec::new();
    let named = named(suites);
    for (cassette, cases) in &named {
        match Tape::load(&DiskFiles, &cassette.path, &Redactor::default()) {
            Err(error) => told.push(Told::Wrong(cassette.clone(), error)),
            Ok(tape) => told.extend(unreachable(&tape, cases)),
        }
    }
    told.extend(unplayable(suites));
    told.extend(not_asked_for(suites));
    let used: BTreeSet<PathBuf> = named.into_iter().map(|(cassette, _)| cassette.path).collect();
    told.extend(unused(&used).into_iter().map(Told::Unused));
    let mut problems = Diagnostics::default();
    for told in told {
        problems.push(told.diagnostic(suites));
    }
    problems
}

enum Told {
    Wrong(Cassette, TapeError),
    /// A recording of a conversation, and why it can not be played.
    Unplayable(Recording, String),
    /// A file, a line, and the tool that may not be called.
    Unreachable(PathBuf, usize, String),
    /// A file and a line that the newest run did not ask for.
    NotAskedFor(PathBuf, usize),
    Unused(PathBuf),
}

impl Told {
    fn diagnostic(self, suites: &mut Suites) -> Diagnostic {
        match self {
            Told::Wrong(cassette, error) => {
                let help = error.help();
                let wrong = match error {
                    TapeError::Unreadable { .. } => {
                        Diagnostic::error(cassette.span, error.to_string()).label("names this file")
                    }
                    TapeError::BadLine { path, line, column, reason } => {
                        let span = place(suites, &path, line, column);
                        Diagnostic::error(span, format!("this cassette entry is wrong: {reason}"))
                    }
                };
                wrong.help(help)
            }
            Told::Unplayable(recording, message) => Diagnostic::error(recording.span, message)
                .label("names this file")
                .help("record it with `agentci record`, or correct the path: it is relative to the suite's folder"),
            Told::Unreachable(path, line, tool) => Diagnostic::warning(
                place(suites, &path, line, 1),
                format!("this entry is never used: `{tool}` is not an allowed tool"),
            )
            .help("allow the tool, or remove the line"),
            Told::NotAskedFor(path, line) => {
                let message = "no call of the newest run asked for this entry";
                Diagnostic::warning(place(suites, &path, line, 1), message)
                    .help("remove the line, or record the case again")
            }
            Told::Unused(path) => {
                let message = format!("no case uses the cassette `{}`", path.display());
                Diagnostic::warning(place(suites, &path, 0, 0), message).help("remove it, or name it in a case")
            }
        }
    }
}

/// A place in a recording, which becomes one of the sources.
fn place(suites: &mut Suites, path: &Path, line: usize, column: usize) -> Span {
    let text = DiskFiles.read_text(path, SHOWN_CASSETTE).unwrap_or_default();
    let file = suites.sources_mut().add(path, text);
    let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Span { file, line: narrow(line), column: narrow(column), width: 1 }
}

/// Entries that the newest run of each suite did not ask for, as long as the recording is still the one it played.
fn not_asked_for(suites: &Suites) -> Vec<Told> {
    let mut told = Vec::new();
    for suite in suites.loaded().iter().map(|loaded| &loaded.suite) {
        let base = suite.output_dir.clone().unwrap_or_else(|| PathBuf::from(RUNS));
        let folder = base.join(agentci::ledger::safe_name(&suite.name));
        let newest = DiskFiles.list(&folder).unwrap_or_default().pop();
        let Some(summary) = newest.and_then(|run| stored::summary(&folder.join(run.name)).ok()) else { continue };
        let mut lines: BTreeMap<PathBuf, Option<BTreeSet<u64>>> = BTreeMap::new();
        for case in summary["cases"].as_array().into_iter().flatten() {
            let replay = &case["replay"];
            let (Some(path), Some(played)) = (replay["cassette_path"].as_str(), replay["cassette_sha256"].as_str())
            else {
                continue;
            };
            let path = PathBuf::from(path);
            let same = Tape::load(&DiskFiles, &path, &Redactor::default()).is_ok_and(|tape| tape.sha256() == played);
            // A case that did not pass may not have come to its later calls.
            let unused = replay["unused_lines"].as_array().filter(|_| same && case["status"] == "pass");
            let unused: BTreeSet<u64> = unused.into_iter().flatten().filter_map(Value::as_u64).collect();
            // What one case leaves another may ask for.
            let all = lines.entry(path).or_default();
            *all =
                Some(all.take().map_or_else(|| unused.clone(), |known| known.intersection(&unused).copied().collect()));
        }
        for (path, unused) in lines {
            let unused = unused.into_iter().flatten().filter_map(|line| usize::try_from(line).ok());
            told.extend(unused.map(|line| Told::NotAskedFor(path.clone(), line)));
        }
    }
    told
}

/// Recordings of conversations that would be played and can not be, each once.
fn unplayable(suites: &Suites) -> Vec<Told> {
    let mut seen: BTreeSet<&Path> = BTreeSet::new();
    let mut told = Vec::new();
    let played = suites.loaded().iter().map(|loaded| &loaded.suite).filter(|suite| suite.mode == Mode::Replay);
    for case in played.flat_map(|suite| &suite.cases) {
        let conversation = case.world.recording.as_ref().filter(|_| case.target.is_recorded());
        let Some(recording) = case.recorded_world().map(|world| world.recording).or(conversation) else { continue };
        if !seen.insert(&recording.path) {
            continue;
        }
        told.extend(wrong(case, recording).map(|message| Told::Unplayable(recording.clone(), message)));
    }
    told
}

/// Why the recording of a case can not be played, if it can not: one of the world around its agent, or of the conversation with it.
fn wrong(case: &Case, recording: &Recording) -> Option<String> {
    let shown = recording.path.display();
    let text = match DiskFiles.read_text(&recording.path, Conversation::LARGEST as u64) {
        Err(error) => return Some(format!("the recording `{shown}` can not be read: {error}")),
        Ok(text) => text,
    };
    let error = if case.recorded_world().is_some() && (World::is_world(&text) || !case.target.is_recorded()) {
        agentci_recorder::load(&recording.path).err().map(|error| error.to_string())
    } else {
        Conversation::parse(&text).err().map(|error| error.to_string())
    };
    error.map(|error| format!("`{shown}` is no recording: {error}"))
}

/// Entries whose tool none of the cases may call.
fn unreachable(tape: &Tape, cases: &[&Case]) -> Vec<Told> {
    let callable = |tool: &str| {
        cases
            .iter()
            .any(|case| case.world.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|name| name.value == tool)))
    };
    let entries = tape.entries().iter().filter(|entry| !callable(&entry.tool));
    entries.map(|entry| Told::Unreachable(tape.path().to_path_buf(), entry.line, entry.tool.clone())).collect()
}

/// Recordings that lie beside used ones and belong to no case.
fn unused(used: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let folders: BTreeSet<&Path> = used.iter().filter_map(|path| path.parent()).collect();
    let mut found = Vec::new();
    for folder in folders {
        for entry in DiskFiles.list(folder).unwrap_or_default() {
            let path = folder.join(&entry.name);
            if entry.kind == Kind::File
                && path.extension().is_some_and(|extension| extension == "jsonl")
                && !used.contains(&path)
            {
                found.push(path);
            }
        }
    }
    found
}
