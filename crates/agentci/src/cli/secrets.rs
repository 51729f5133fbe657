//! Searches recordings for secrets, for `agentci check --secrets`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agentci::source::{Diagnostic, Diagnostics, FileError, FileKind, Files as _, Span};
use agentci::{DiskFiles, Suites};
use agentci_recorder::{Recording, SecretLeftError, load};
use serde_json::Value;

use super::cassettes::named;

/// The largest recording that is searched for secrets, in bytes: it is read as a whole.
const SEARCHED_CASSETTE: u64 = 64 << 20;
/// How many levels of folders are searched for recordings.
const DEPTH_LIMIT: usize = 32;
/// How many folders are searched for recordings at most; symbolic links can make a small tree endless.
const FOLDER_LIMIT: usize = 20_000;
/// How many lines with a secret are reported per recording.
const NAMED: usize = 20;

/// Whether a path is itself a recording of a command, and not a suite.
pub(crate) fn is_recording(path: &Path) -> bool {
    let is_lines = path.extension().is_some_and(|extension| extension == "jsonl");
    is_lines && DiskFiles.read_text(path, SEARCHED_CASSETTE).is_ok_and(|text| Recording::is_world(&text))
}

/// Finds lines of recordings that contain what looks like a secret, without showing it. Every recording below the paths
/// is searched, whether or not a case uses it, and whether or not it is valid. Also returns the number of recordings.
pub(crate) fn search(suites: &mut Suites, paths: &[PathBuf]) -> (usize, Diagnostics) {
    let mut files: BTreeSet<PathBuf> =
        named(suites.loaded()).into_iter().map(|(cassette, _)| cassette.path.clone()).collect();
    let mut problems = Diagnostics::default();
    for path in paths {
        if let Err(message) = files_below(path, &mut files) {
            problems.push(
                Diagnostic::error(nowhere_in(suites, path), message).help("pass the folders that contain recordings"),
            );
        }
    }
    let count = files.len();
    for path in files {
        match DiskFiles.read_text(&path, SEARCHED_CASSETTE) {
            Ok(text) => {
                // An invalid recording is searched by the general rules.
                let world = Recording::is_world(&text).then(|| load(&path).ok()).flatten();
                let lines = world.map_or_else(|| dirty_lines(&text), |world| dirty_lines_of_world(&world, &text));
                tell(suites, &path, &lines, &mut problems);
            }
            // A missing file that a case names has already been reported.
            Err(FileError::Missing) => {}
            Err(error) => {
                let message = format!("`{}` was not searched for secrets: {error}", path.display());
                problems.push(Diagnostic::error(nowhere_in(suites, &path), message).help("record the case again"));
            }
        }
    }
    (count, problems)
}

/// Adds every `.jsonl` file at or below a path. It is an error if there are too many folders to search them all.
pub(super) fn files_below(path: &Path, found: &mut BTreeSet<PathBuf>) -> Result<(), String> {
    if search_folders(path, FOLDER_LIMIT, found) > FOLDER_LIMIT {
        return Err(format!("`{}` contains more than {FOLDER_LIMIT} folders; not all were searched", path.display()));
    }
    Ok(())
}

/// Reports the lines of a recording that contain secrets. The lines themselves are not shown.
fn tell(suites: &mut Suites, path: &Path, lines: &[usize], problems: &mut Diagnostics) {
    if lines.is_empty() {
        return;
    }
    let span = nowhere_in(suites, path);
    let remedy = "record the case again, or replace it with `[REDACTED]`, and change the secret";
    for line in lines.iter().take(NAMED) {
        let message = format!("line {line} of `{}` contains a secret", path.display());
        problems.push(Diagnostic::error(span, message).help(remedy));
    }
    if let Some(more) = lines.len().checked_sub(NAMED).filter(|more| *more > 0) {
        let message = format!("{more} more lines of `{}` contain secrets", path.display());
        problems.push(Diagnostic::error(span, message).help(remedy));
    }
}

/// The span of a whole file, none of which is shown.
fn nowhere_in(suites: &mut Suites, path: &Path) -> Span {
    Span::whole(suites.sources_mut().add(path, String::new()))
}

/// The lines of a world recording that change when it is written again, which removes its secrets by the rules of the
/// recorder: a name such as `token` means less there, since models report tokens. `text` is the text of the recording.
pub(super) fn dirty_lines_of_world(recording: &Recording, text: &str) -> Vec<usize> {
    let written = match recording.write(&agentci::environment_secrets()) {
        Ok(written) => written,
        Err(SecretLeftError { line }) => return vec![line],
    };
    let mut file = |name: &str| {
        let found = written.files.iter().find(|(other, _)| other == name);
        found.map(|(_, content)| content.clone()).ok_or_else(|| "it is missing".to_owned())
    };
    if Recording::parse_with(&written.text, &mut file).is_ok_and(|clean| clean == *recording) {
        return Vec::new();
    }
    let value = |line: &str| serde_json::from_str::<Value>(line).ok();
    let lines = text.lines().filter(|line| !line.trim().is_empty()).zip(written.text.lines()).enumerate();
    let dirty: Vec<usize> =
        lines.filter(|(_, (line, clean))| value(line) != value(clean)).map(|(index, _)| index + 1).collect();
    // A secret in a file next to the recording has no line.
    if dirty.is_empty() { vec![1] } else { dirty }
}

/// The lines that change when secrets are removed. A value that is secret by its key on one line is secret on all
/// lines.
fn dirty_lines(text: &str) -> Vec<usize> {
    let parsed: Vec<(&str, Option<Value>)> =
        text.split('\n').map(|line| (line, serde_json::from_str(line).ok())).collect();
    let mut redactor = agentci::environment_secrets();
    for value in parsed.iter().filter_map(|(_, value)| value.as_ref()) {
        redactor.learn(value);
    }
    let dirty = |(line, value): &(&str, Option<Value>)| match value {
        None => redactor.text(line) != *line,
        Some(value) => {
            let mut clean = value.clone();
            redactor.value(&mut clean);
            clean != *value
        }
    };
    parsed.iter().enumerate().filter(|(_, line)| dirty(line)).map(|(index, _)| index + 1).collect()
}

/// Finds `.jsonl` files at or below a path. Returns the number of searched folders, which is `most + 1` if there are
/// too many.
fn search_folders(path: &Path, most: usize, found: &mut BTreeSet<PathBuf>) -> usize {
    let skipped = |name: &str| name.starts_with('.') || ["target", "node_modules"].contains(&name);
    let mut searched = 0;
    let mut waiting = vec![(path.to_path_buf(), 0)];
    while let Some((path, depth)) = waiting.pop().filter(|_| searched <= most) {
        match DiskFiles.kind(&path) {
            Some(FileKind::File) if path.extension().is_some_and(|extension| extension == "jsonl") => {
                found.insert(agentci::source::join(&path, ""));
            }
            Some(FileKind::Folder) if depth < DEPTH_LIMIT => {
                searched += 1;
                let names = DiskFiles.list(&path).unwrap_or_default().into_iter().map(|entry| entry.name);
                waiting.extend(names.filter(|name| !skipped(name)).map(|name| (path.join(name), depth + 1)));
            }
            _ => {}
        }
    }
    searched
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two links to the folder that contains them make its tree endless.
    #[test]
    fn recording_search_stops_at_folder_limit() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["one", "other"] {
            std::os::unix::fs::symlink(folder.path(), folder.path().join(name)).unwrap();
        }
        let mut found = BTreeSet::new();
        assert_eq!(search_folders(folder.path(), 100, &mut found), 101);
    }
}
