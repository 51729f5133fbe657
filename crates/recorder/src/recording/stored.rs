//! A recording on disk: `NAME.jsonl`, and `NAME.jsonl.files/` for large bodies.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use agentci_files::{is_temporary, write_whole};
use agentci_trace::Redactor;
use bytes::Bytes;

use super::content::is_file_name;
use super::{Recording, RecordingError};

/// The suffix of the folder with the files of a recording.
const FOLDER: &str = ".files";

/// Why a recording cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum RecordingLoadError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not a recording.
    #[error("{path}: {error}")]
    Recording {
        /// The file.
        path: String,
        /// What is wrong with it.
        error: RecordingError,
    },
}

/// Loads a recording with the files beside it.
pub fn load(path: &Path) -> Result<Recording, RecordingLoadError> {
    load_with_text(path).map(|(recording, _)| recording)
}

/// Loads a recording and the text that it was parsed from.
pub fn load_with_text(path: &Path) -> Result<(Recording, String), RecordingLoadError> {
    let wrong = |error| RecordingLoadError::Recording { path: path.display().to_string(), error };
    let Ok(text) = String::from_utf8(read(path)?) else {
        return Err(wrong(RecordingError { line: 1, message: "this is not text in UTF-8".into() }));
    };
    let folder = files_of(path);
    let mut file = |name: &str| read(&folder.join(name)).map(Bytes::from).map_err(|error| error.to_string());
    let recording = Recording::parse_with(&text, &mut file).map_err(wrong)?;
    Ok((recording, text))
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let found = fs_err::metadata(path)?;
    // A pipe or device may be endless.
    if !found.is_file() {
        return Err(io::Error::other(format!("`{}` is not a file", path.display())));
    }
    let length = found.len();
    if usize::try_from(length).map_or(true, |length| length > Recording::LARGEST) {
        let message =
            format!("{}: {length} bytes, larger than the limit of {} bytes", path.display(), Recording::LARGEST);
        return Err(io::Error::other(message));
    }
    fs_err::read(path)
}

/// Writes a recording without its secrets. If that fails at any point, the earlier file is still intact.
pub fn save(path: &Path, recording: &Recording, secrets: &Redactor) -> io::Result<()> {
    let written = recording.write(secrets).map_err(io::Error::other)?;
    if written.text.len() > Recording::LARGEST {
        let message = format!("the recording has {} bytes and is too large to be read again", written.text.len());
        return Err(io::Error::other(message));
    }
    let folder = files_of(path);
    for (name, content) in &written.files {
        write_whole(&folder.join(name), content)?;
    }
    write_whole(path, &written.text)?;
    tidy(&folder, &written.files.iter().map(|(name, _)| name.as_str()).collect());
    Ok(())
}

/// The folder with the files of a recording, beside the recording itself if the path is a symbolic link.
fn files_of(path: &Path) -> PathBuf {
    let mut name = path.canonicalize().unwrap_or_else(|_| path.to_owned()).into_os_string();
    name.push(FOLDER);
    name.into()
}

/// Removes files that an earlier recording needed, and those that a killed process left unfinished. Errors are ignored, since a file that stays does no harm.
fn tidy(folder: &Path, needed: &BTreeSet<&str>) {
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let unneeded = is_file_name(&name) && !needed.contains(&*name);
        if unneeded || is_temporary(&name) {
            let _ = fs_err::remove_file(entry.path());
        }
    }
    // A folder that is not empty stays.
    let _ = fs_err::remove_dir(folder);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EndKind, Exchange, ExchangeEnd, RecordedBody, RecordedRequest};

    fn recording(text: &str) -> Recording {
        let request =
            RecordedRequest { body: RecordedBody::Text(text.into()), path: "/".into(), ..RecordedRequest::default() };
        let end = ExchangeEnd { at_us: 1, how: EndKind::Closed };
        let exchange = Exchange { id: 1, request, response: None, end, chatter: false, after: None };
        Recording { exchanges: vec![exchange], ..Recording::default() }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs_err::read_dir(folder).unwrap().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[cfg(unix)]
    #[test]
    fn recording_behind_link_has_its_files_beside_the_target() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.jsonl"), folder.path().join("link.jsonl"));
        fs_err::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let large = recording(&"large ".repeat(200_000));
        save(&link, &large, &Redactor::default()).unwrap();
        assert_eq!(names(folder.path()), ["a.jsonl", "a.jsonl.files", "link.jsonl"]);
        assert_eq!((load(&link).unwrap(), load(&file).unwrap()), (large.clone(), large));
    }

    #[test]
    fn save_removes_what_a_killed_save_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let files = folder.path().join("a.jsonl.files");
        fs_err::create_dir(&files).unwrap();
        fs_err::write(files.join(".agentci-1-0.tmp"), "half").unwrap();
        save(&path, &recording("small"), &Redactor::default()).unwrap();
        assert_eq!(names(folder.path()), ["a.jsonl"]);
        fs_err::create_dir(&files).unwrap();
        fs_err::write(files.join("notes.txt"), "of the user").unwrap();
        save(&path, &recording("small"), &Redactor::default()).unwrap();
        assert_eq!(names(&files), ["notes.txt"]);
    }

    #[test]
    fn save_writes_and_removes_attached_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep").join("a.jsonl");
        let large = recording(&"large ".repeat(200_000));
        save(&path, &large, &Redactor::default()).unwrap();
        assert_eq!(names(path.parent().unwrap()), ["a.jsonl", "a.jsonl.files"]);
        assert_eq!(load(&path).unwrap(), large);
        let other = recording(&"other ".repeat(200_000));
        save(&path, &other, &Redactor::default()).unwrap();
        assert_eq!(names(&path.with_extension("jsonl.files")).len(), 1);
        assert_eq!(load(&path).unwrap(), other);
        save(&path, &recording("small"), &Redactor::default()).unwrap();
        assert_eq!(names(path.parent().unwrap()), ["a.jsonl"]);
    }

    #[test]
    fn save_keeps_unrelated_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let files = folder.path().join("a.jsonl.files");
        fs_err::create_dir(&files).unwrap();
        fs_err::write(files.join("notes.txt"), "mine").unwrap();
        save(&path, &recording("small"), &Redactor::default()).unwrap();
        assert_eq!(names(&files), ["notes.txt"]);
    }

    #[test]
    fn failed_save_keeps_the_previous_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        save(&path, &recording("former"), &Redactor::default()).unwrap();
        let mut left = recording("later");
        // The name of a variable is not redacted.
        left.header.keys.push("swordfish-value".into());
        let mut secrets = Redactor::default();
        secrets.learn_value("swordfish-value");
        let error = save(&path, &left, &secrets).unwrap_err().to_string();
        assert!(error.contains("a known secret is still in line 1") && !error.contains("swordfish"), "{error}");
        assert_eq!(load(&path).unwrap(), recording("former"));
        assert_eq!(names(folder.path()), ["a.jsonl"]);
    }

    #[test]
    fn errors_name_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        assert!(load(&path).unwrap_err().to_string().contains("a.jsonl"));
        fs_err::write(&path, "{}\n").unwrap();
        let error = load(&path).unwrap_err().to_string();
        assert!(error.contains("a.jsonl: line 1: `type` is missing"), "{error}");
        fs_err::write(&path, [0xff]).unwrap();
        assert!(load(&path).unwrap_err().to_string().contains("not text in UTF-8"));
    }
}
