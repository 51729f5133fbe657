//! Checks cassettes and recordings for `agentci check`: invalid files, files that no case uses, and entries that no
//! call can reach.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use agentci::plan::{Case, Cassette, Mode, RecordedNumbers, RecordingSetting, Suite, ToolSource, cases_by_files};
use agentci::source::{Diagnostic, Diagnostics, FileKind, Files as _, Sources, Span};
use agentci::stubs::{Tape, TapeEntry, TapeError};
use agentci::trace::Redactor;
use agentci::{DiskFiles, LoadedSuite, Suites};
use agentci_exchange::AgentRecording as Conversation;
use agentci_recorder::Recording as World;
use serde_json::Value;

use super::stored_run;

/// The largest cassette whose invalid lines are shown, in bytes.
const SHOWN_CASSETTE: u64 = 64 << 20;

/// The cassettes that the cases of all suites use, each once, with its cases.
pub(super) fn named(suites: &[LoadedSuite]) -> Vec<(Cassette, Vec<Cow<'_, Case>>)> {
    let mut found: Vec<(Cassette, Vec<Cow<'_, Case>>)> = Vec::new();
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    for case in suites.iter().flat_map(|loaded| cases_by_files(&loaded.suite.cases)) {
        let ToolSource::Cassette(cassette) = &case.world.tools else { continue };
        let cassette = cassette.clone();
        let place = *places.entry(cassette.path.clone()).or_insert_with(|| {
            found.push((cassette, Vec::new()));
            found.len() - 1
        });
        found[place].1.push(case);
    }
    found
}

/// Cassettes and recordings that are invalid or unused, and entries that are never used.
pub(crate) fn problems(suites: &mut Suites) -> Diagnostics {
    let Suites { sources, loaded, .. } = suites;
    let named = named(loaded);
    let mut problems = Vec::new();
    for (cassette, cases) in &named {
        match Tape::load(&DiskFiles, &cassette.path, &Redactor::default(), RecordedNumbers::ByValue) {
            Err(error) => problems.push(wrong_tape(cassette, error, sources)),
            Ok(tape) => problems.extend(unreachable(&tape, cases, sources)),
        }
    }
    problems.extend(unplayable(loaded));
    problems.extend(loaded.iter().flat_map(|loaded| not_asked_for(&loaded.suite, sources)));
    problems.extend(unused(&named.iter().map(|(cassette, _)| cassette.path.as_path()).collect(), sources));
    let mut all = Diagnostics::default();
    for problem in problems {
        all.push(problem);
    }
    all
}

fn wrong_tape(cassette: &Cassette, error: TapeError, sources: &mut Sources) -> Diagnostic {
    let help = error.help();
    let wrong = match error {
        TapeError::Unreadable { .. } => Diagnostic::error(cassette.span, error.to_string()).label("names this file"),
        TapeError::BadLine { path, line, column, reason } => {
            let span = place(sources, &path, line, column);
            Diagnostic::error(span, format!("invalid cassette entry: {reason}"))
        }
    };
    wrong.help(help)
}

/// A position in a recording, which is added to the sources.
fn place(sources: &mut Sources, path: &Path, line: usize, column: usize) -> Span {
    let text = DiskFiles.read_text(path, SHOWN_CASSETTE).unwrap_or_default();
    let file = sources.add(path, text);
    let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Span { file, line: narrow(line), column: narrow(column), width: 1 }
}

/// Entries that the newest run of a suite did not use, if the cassette has not changed since.
fn not_asked_for(suite: &Suite, sources: &mut Sources) -> Vec<Diagnostic> {
    let summary = stored_run::newest_summary(suite).unwrap_or_default();
    let mut lines: BTreeMap<PathBuf, BTreeSet<u64>> = BTreeMap::new();
    for case in summary["cases"].as_array().into_iter().flatten() {
        let replay = &case["replay"];
        let (Some(path), Some(played)) = (replay["cassette_path"].as_str(), replay["cassette_sha256"].as_str()) else {
            continue;
        };
        let path = PathBuf::from(path);
        let same = Tape::load(&DiskFiles, &path, &Redactor::default(), RecordedNumbers::ByValue)
            .is_ok_and(|tape| tape.sha256() == played);
        // A case that did not pass may not have reached its later calls.
        let unused = replay["unused_lines"].as_array().filter(|_| same && case["status"] == "pass");
        let unused: BTreeSet<u64> = unused.into_iter().flatten().filter_map(Value::as_u64).collect();
        // Another case may use what this one did not.
        lines.entry(path).and_modify(|known| known.retain(|line| unused.contains(line))).or_insert(unused);
    }
    let mut problems = Vec::new();
    for (path, line) in lines.iter().flat_map(|(path, lines)| lines.iter().map(move |line| (path, *line))) {
        let span = place(sources, path, usize::try_from(line).unwrap_or(usize::MAX), 1);
        let problem = Diagnostic::warning(span, "the newest run did not use this entry");
        problems.push(problem.help("remove the line, or record the case again"));
    }
    problems
}

/// Recordings that a run would replay but cannot, each once.
fn unplayable(suites: &[LoadedSuite]) -> Vec<Diagnostic> {
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    let mut problems = Vec::new();
    let played = suites.iter().map(|loaded| &loaded.suite).filter(|suite| suite.mode == Mode::Replay);
    for case in played.flat_map(|suite| cases_by_files(&suite.cases)) {
        let conversation = case.world.recording.as_ref().filter(|_| case.target.is_recorded());
        let Some(recording) = case.recorded_world().map(|world| world.recording).or(conversation) else { continue };
        if !seen.insert(recording.path.clone()) {
            continue;
        }
        problems.extend(wrong(&case, recording).map(|message| {
            Diagnostic::error(recording.span, message)
                .label("names this file")
                .help("record it with `agentci record`, or correct the path: it is relative to the suite's folder")
        }));
    }
    problems
}

/// Why the recording of a case cannot be replayed, if it cannot. It is a recording of the world around the agent, or of
/// the conversation with it.
fn wrong(case: &Case, recording: &RecordingSetting) -> Option<String> {
    let shown = recording.path.display();
    let text = match DiskFiles.read_text(&recording.path, Conversation::LARGEST as u64) {
        Err(error) => return Some(format!("the recording `{shown}` cannot be read: {error}")),
        Ok(text) => text,
    };
    let error = if case.recorded_world().is_some() && (World::is_world(&text) || !case.target.is_recorded()) {
        agentci_recorder::load(&recording.path).err().map(|error| error.to_string())
    } else {
        Conversation::parse(&text).err().map(|error| error.to_string())
    };
    error.map(|error| format!("`{shown}` is not a recording: {error}"))
}

/// Entries whose tool none of the cases may call.
fn unreachable(tape: &Tape, cases: &[Cow<'_, Case>], sources: &mut Sources) -> Vec<Diagnostic> {
    let may_call = |case: &Case, tool: &str| {
        case.world.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|name| name.value == tool))
    };
    let entries = tape.entries().iter().filter(|entry| !cases.iter().any(|case| may_call(case, &entry.tool)));
    let problem = |entry: &TapeEntry| {
        let message = format!("this entry is never used: `{}` is not an allowed tool", entry.tool);
        Diagnostic::warning(place(sources, tape.path(), entry.line, 1), message)
            .help("allow the tool, or remove the line")
    };
    entries.map(problem).collect()
}

/// Cassettes in the same folder as used ones that belong to no case.
fn unused(used: &BTreeSet<&Path>, sources: &mut Sources) -> Vec<Diagnostic> {
    let folders: BTreeSet<&Path> = used.iter().filter_map(|path| path.parent()).collect();
    let mut problems = Vec::new();
    for folder in folders {
        let files = DiskFiles.list(folder).unwrap_or_default().into_iter().filter(|entry| entry.kind == FileKind::File);
        for path in files.map(|entry| folder.join(entry.name)) {
            if path.extension().is_some_and(|extension| extension == "jsonl") && !used.contains(path.as_path()) {
                let message = format!("no case uses the cassette `{}`", path.display());
                let problem = Diagnostic::warning(place(sources, &path, 0, 0), message);
                problems.push(problem.help("remove it, or use it in a case"));
            }
        }
    }
    problems
}
