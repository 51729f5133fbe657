//! One folder per run: `<base>/<suite>/<YYYYMMDD-HHMMSS>[-n]/`.

use std::io;
use std::path::{Component, Path, PathBuf};

use agentci_verdict::stamp;

use crate::{LedgerError, name::safe_name, write_pieces};

/// The maximum number of runs of one suite that can start in the same second.
const NAMES_A_SECOND: u32 = 10_000;

#[derive(Debug, Clone)]
pub struct RunFolder {
    path: PathBuf,
    id: String,
}

impl RunFolder {
    /// Creates the folder for a run of `suite` that starts at `unix_ms`. It is always a new folder: if another run, in
    /// this or another process, starts in the same second, a number is appended to the name.
    pub fn create(base: &Path, suite: &str, unix_ms: u64) -> Result<Self, LedgerError> {
        Self::create_one_of(NAMES_A_SECOND, base, suite, unix_ms)
    }

    fn create_one_of(names: u32, base: &Path, suite: &str, unix_ms: u64) -> Result<Self, LedgerError> {
        let parent = base.join(safe_name(suite));
        fs_err::create_dir_all(&parent)?;
        let second = stamp(unix_ms);
        for number in 1..=names {
            let id = if number == 1 { second.clone() } else { format!("{second}-{number}") };
            let path = parent.join(&id);
            match fs_err::create_dir(&path) {
                Ok(()) => return Ok(Self { path, id }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(LedgerError::NoFreeName(parent.join(second)))
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the folder, which is the id of the run.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Writes a file of the run atomically.
    pub fn write_whole(&self, name: &str, bytes: &[u8]) -> Result<(), LedgerError> {
        self.write_pieces(name, &mut |file| file.write_all(bytes))
    }

    /// The same for content that is written piece by piece.
    pub fn write_pieces(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>,
    ) -> Result<(), LedgerError> {
        let inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        if name.is_empty() || !inside {
            return Err(LedgerError::Outside(name.to_owned()));
        }
        Ok(write_pieces(&self.path.join(name), write)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: u64 = 1_763_176_000_123;

    #[test]
    fn two_runs_never_share_a_folder() {
        let base = tempfile::tempdir().unwrap();
        let ids: Vec<String> =
            (0..3).map(|_| RunFolder::create(base.path(), "demo", MOMENT).unwrap().id().to_owned()).collect();
        assert_eq!(ids, ["20251115-030640", "20251115-030640-2", "20251115-030640-3"]);
    }

    #[test]
    fn fails_when_all_names_of_a_second_are_taken() {
        let base = tempfile::tempdir().unwrap();
        let create = || RunFolder::create_one_of(3, base.path(), "demo", MOMENT);
        assert!([create(), create(), create()].iter().all(Result::is_ok));
        assert!(matches!(create(), Err(LedgerError::NoFreeName(_))));
    }

    #[test]
    fn run_folder_stays_inside_its_base() {
        let base = tempfile::tempdir().unwrap();
        for suite in ["../../x", "/etc", "..", "", "a/b"] {
            let folder = RunFolder::create(base.path(), suite, MOMENT).unwrap();
            assert_eq!(folder.path().parent().unwrap().parent().unwrap(), base.path());
        }
    }

    #[test]
    fn refuses_file_outside_the_run_folder() {
        let base = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(base.path(), "demo", MOMENT).unwrap();
        for name in ["", "../x", "/x", "a/../../x", "."] {
            assert!(matches!(folder.write_whole(name, b""), Err(LedgerError::Outside(_))), "{name:?}");
        }
        folder.write_whole("summary.json", b"{}").unwrap();
        assert_eq!(std::fs::read(folder.path().join("summary.json")).unwrap(), b"{}");
    }

    #[test]
    fn reports_path_that_cannot_be_created() {
        let base = tempfile::tempdir().unwrap();
        let file = base.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = RunFolder::create(&file, "demo", MOMENT).unwrap_err();
        assert!(error.to_string().contains("file/demo"), "{error}");
    }
}
