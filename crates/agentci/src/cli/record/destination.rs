//! The file of a recording, claimed before the command runs so that paid calls are not lost at the end.
//!
//! The claim is the file `NAME.jsonl.part`, which is removed when the command has ended. It is locked while the
//! command runs, so that two commands are not recorded to the same file. The lock ends with its process, so a killed
//! process does not block later ones.

use std::fs::TryLockError;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use agentci::trace::Redactor;
use agentci_recorder::{Recording, save};
use fs_err::{File, OpenOptions};

use super::arguments::RecordArguments;
use crate::cli::CliError;
use crate::cli::recorded::default_file;

/// How often to try a claim that another recorder has just released.
const TRIES: usize = 3;

/// The file that a recording is written to.
pub(super) fn destination(arguments: &RecordArguments) -> PathBuf {
    let named = || match &arguments.name {
        Some(name) => Path::new(super::FOLDER).join(format!("{name}.jsonl")),
        None => default_file(&arguments.command),
    };
    arguments.out.clone().unwrap_or_else(named)
}

/// A claimed file for a recording. Dropping it removes whatever was not used.
#[derive(Debug)]
pub(in crate::cli) struct Claim {
    part: PathBuf,
    file: File,
    /// Folders that were created for it, innermost first.
    made: Vec<PathBuf>,
}

impl Claim {
    /// Claims a file that is writable and not claimed by another process.
    pub(in crate::cli) fn take(path: &Path) -> Result<Self, CliError> {
        let shown = path.display();
        if path == Path::new("-") {
            let help = "a recording is a file that may have others next to it: set it with `-o FILE`";
            return Err(CliError::new("`-o -` is not a file: a recording cannot be printed", help));
        }
        if path.is_dir() {
            let help = format!("choose a file in it: `-o {}`", path.join("agent.jsonl").display());
            return Err(CliError::new(format!("`{shown}` is a folder, not a file for a recording"), help));
        }
        let refused = |error: io::Error| {
            let help = "nothing was run; `-o FILE` writes the recording elsewhere";
            CliError::new(format!("the recording `{shown}` could not be written: {error}"), help)
        };
        let made = folders(path).map_err(refused)?;
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        match locked(&part) {
            Ok(Some(file)) => {
                let mut claim = Self { part, file, made };
                claim.sign().map_err(refused)?;
                Ok(claim)
            }
            Ok(None) => Err(taken(path, &part)),
            Err(error) => {
                for folder in &made {
                    let _ = fs_err::remove_dir(folder);
                }
                Err(refused(error))
            }
        }
    }

    /// Writes our process ID for others, which also shows whether the disk has space.
    fn sign(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.write_all(format!("{}\n", std::process::id()).as_bytes())?;
        self.file.flush()
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Otherwise another process has claimed the file since.
        if is_at(&self.file, &self.part) {
            let _ = fs_err::remove_file(&self.part);
        }
        for folder in &self.made {
            let _ = fs_err::remove_dir(folder);
        }
    }
}

/// Writes a recording to a temporary folder, for when its own file cannot be written.
pub(super) fn keep_elsewhere(path: &Path, recording: &Recording, secrets: &Redactor) -> Option<PathBuf> {
    let folder = tempfile::Builder::new().prefix("agentci-recording-").tempdir().ok()?;
    let kept = folder.path().join(path.file_name()?);
    save(&kept, recording, secrets).ok()?;
    let _ = folder.keep();
    Some(kept)
}

/// Creates the parent folders of a file, and returns those that were missing.
fn folders(path: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) else { return Ok(Vec::new()) };
    let missing = parent.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let missing = missing.map(Path::to_owned).collect();
    fs_err::create_dir_all(parent)?;
    Ok(missing)
}

/// The file, locked by us; `None` if another process holds the lock.
fn locked(part: &Path) -> io::Result<Option<File>> {
    for _ in 0..TRIES {
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(part)?;
        match file.file().try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Another process may have removed it in the meantime.
            Ok(()) if !is_at(&file, part) => {}
            // Without lock support, the file is used unlocked.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(Some(file)),
        }
    }
    Ok(None)
}

fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(ours), Ok(there)) = (file.metadata(), fs_err::symlink_metadata(path)) else { return false };
    (ours.dev(), ours.ino()) == (there.dev(), there.ino())
}

fn taken(path: &Path, part: &Path) -> CliError {
    let mut owner = String::new();
    let read = File::open(part).and_then(|file| file.take(16).read_to_string(&mut owner));
    let owner = read.ok().and_then(|_| owner.trim().parse::<u32>().ok());
    let who = owner.map_or_else(String::new, |pid| format!(" (pid {pid})"));
    CliError::new(
        format!("another `agentci record`{who} is recording to `{}`", path.display()),
        "wait for it, or write elsewhere with `-o FILE`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_claim_removes_unused_files_and_folders() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/c.jsonl");
        drop(Claim::take(&path).unwrap());
        assert!(!folder.path().join("a").exists());
        let claim = Claim::take(&path).unwrap();
        save(&path, &Recording::default(), &Redactor::default()).unwrap();
        drop(claim);
        let names = fs_err::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(names.collect::<Vec<_>>(), ["c.jsonl"]);
    }

    #[test]
    fn refuses_second_claim_unless_the_first_is_stale() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.jsonl");
        fs_err::write(folder.path().join("c.jsonl.part"), "1\n").unwrap();
        let claim = Claim::take(&path).unwrap();
        let refused = Claim::take(&path).unwrap_err().message;
        assert!(refused.contains(&format!("(pid {})", std::process::id())), "{refused}");
        drop(claim);
        Claim::take(&path).unwrap();
    }
}
