//! Reads and writes recordings, and prints commands as they would be typed.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use agentci::trace::Redactor;
use agentci_recorder::{Recording, RecordingLoadError, SecretLeftError, load, save};

use crate::cli::record::{FOLDER, program_name};
use crate::cli::{CliError, quoted};

/// The longest multi-line word that is printed, in bytes.
const LONGEST_WORD: usize = 2000;

/// Reads a recording and the files of its large bodies.
pub(in crate::cli) fn read(path: &Path) -> Result<Recording, CliError> {
    load(path).map_err(|error| match error {
        RecordingLoadError::Io(error) => {
            let shown = path.display();
            let message = match error.kind() {
                io::ErrorKind::NotFound => format!("`{shown}` does not exist"),
                io::ErrorKind::Other | io::ErrorKind::InvalidInput => format!("the recording cannot be read: {error}"),
                kind => format!("the recording `{shown}` cannot be read: {kind}"),
            };
            let help = "create one with `agentci record -- CMD`; recordings of suites are replayed by `agentci run`";
            CliError::new(message, help)
        }
        RecordingLoadError::Recording { error: ref wrong, .. } if wrong.message.starts_with("version ") => {
            CliError::new(error.to_string(), "made by another version of agentci: update agentci, or record it again")
        }
        RecordingLoadError::Recording { .. } => CliError::new(
            format!("this is not a valid recording of a command: {error}"),
            "restore it from version control, or record it again",
        ),
    })
}

/// Writes a recording without its secrets. An existing file is replaced only when the new one is complete.
pub(in crate::cli) fn write(path: &Path, recording: &Recording, secrets: &Redactor) -> Result<(), CliError> {
    save(path, recording, secrets).map_err(|error| {
        let held_back = error.get_ref().and_then(|inner| inner.downcast_ref::<SecretLeftError>()).is_some();
        let help = if held_back {
            "nothing was written, so that no file contains the secret; record with another key"
        } else {
            "`agentci record -o FILE` writes it elsewhere"
        };
        CliError::new(format!("the recording `{}` was not written: {error}", path.display()), help)
    })
}

/// A command as it would be typed in a shell.
pub(in crate::cli) fn command_line<S: AsRef<OsStr>>(command: &[S]) -> String {
    let word = |word: &S| {
        let word = word.as_ref().to_string_lossy();
        quoted(&word).or_else(|| escaped(&word)).unwrap_or_else(|| "'..'".into())
    };
    command.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// A multi-line word on one line, in shell syntax: `$'a\nb'`; `None` if it is too long.
fn escaped(word: &str) -> Option<String> {
    if word.len() > LONGEST_WORD {
        return None;
    }
    let letter = |letter: char| match letter {
        '\'' | '\\' => format!("\\{letter}"),
        '\n' => "\\n".into(),
        '\t' => "\\t".into(),
        '\r' => "\\r".into(),
        _ if letter.is_ascii_control() => format!("\\x{:02x}", u32::from(letter)),
        _ => letter.into(),
    };
    let text = word.chars().map(letter).collect::<String>();
    let shown = agentci::report::one_line(&text) == text;
    shown.then(|| format!("$'{text}'"))
}

/// The default file that a command is recorded to.
pub(in crate::cli) fn default_file(command: &[OsString]) -> PathBuf {
    Path::new(FOLDER).join(format!("{}.jsonl", program_name(command)))
}

/// The line that records a command to a file with these flags.
pub(in crate::cli) fn record_again(flags: &[String], file: &Path, command: &[OsString]) -> String {
    let mut words: Vec<OsString> = ["agentci", "record"].map(OsString::from).into();
    words.extend(flags.iter().map(OsString::from));
    if file != default_file(command) {
        words.extend(["-o".into(), file.as_os_str().to_owned()]);
    }
    words.push("--".into());
    words.extend(command.iter().cloned());
    command_line(&words)
}

/// The size of a file, in a readable unit.
pub(in crate::cli) fn size(path: &Path) -> String {
    let bytes = fs_err::metadata(path).map_or(0, |found| found.len());
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes.div_ceil(1024)),
        _ => format!("{} MiB", bytes.div_ceil(1_048_576)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_command_line_is_quoted_and_names_its_output() {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let command = words(&["python3", "-c", "print('a')\nprint(2)"]);
        let update = ["--update".to_owned()];
        assert_eq!(
            record_again(&update, Path::new("x y.jsonl"), &command),
            r"agentci record --update -o 'x y.jsonl' -- python3 -c $'print(\'a\')\nprint(2)'"
        );
        let usual = record_again(&update, Path::new("recordings/agent.jsonl"), &words(&["./agent.py"]));
        assert_eq!(usual, "agentci record --update -- ./agent.py");
    }

    #[test]
    fn refuses_missing_or_non_regular_recording_files() {
        let folder = tempfile::tempdir().unwrap();
        for (path, said) in [
            (Path::new("/dev/zero"), "is not a file"),
            (folder.path(), "is not a file"),
            (&folder.path().join("no.jsonl"), "does not exist"),
        ] {
            let message = read(path).unwrap_err().message;
            assert!(message.contains(said) && !message.contains("metadata"), "{message}");
        }
    }
}
