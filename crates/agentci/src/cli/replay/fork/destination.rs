//! The file of a fork, which never overwrites a recording.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::cli::{CliError, command_line};

/// The file of a fork. The default file is overwritten by a later fork; an existing file from `--out` is refused.
pub(super) fn destination(recording: &Path, out: Option<&Path>) -> Result<PathBuf, CliError> {
    let Some(out) = out else { return Ok(beside(recording)) };
    if fs_err::symlink_metadata(out).is_ok() && !out.is_dir() {
        let other = command_line(&[beside(out).as_os_str()]);
        let message = format!("`{}` already exists, and a fork does not overwrite it", out.display());
        return Err(CliError::new(message, format!("choose another name, such as `-o {other}`, or remove it")));
    }
    Ok(out.to_owned())
}

/// `recordings/agent.jsonl` becomes `recordings/agent.fork.jsonl`.
fn beside(recording: &Path) -> PathBuf {
    let is_jsonl = recording.extension().is_some_and(|ending| ending == "jsonl");
    let name = if is_jsonl { recording.file_stem() } else { recording.file_name() };
    let mut name: OsString = name.unwrap_or_default().to_owned();
    name.push(".fork.jsonl");
    recording.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fork_defaults_beside_recording_and_refuses_existing_file() {
        assert_eq!(beside(Path::new("r/agent.jsonl")), Path::new("r/agent.fork.jsonl"));
        assert_eq!(beside(Path::new("agent.v2.json")), Path::new("agent.v2.json.fork.jsonl"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.jsonl");
        assert_eq!(destination(Path::new("x"), Some(&file)).unwrap(), file);
        fs_err::write(&file, "").unwrap();
        let refused = destination(Path::new("x"), Some(&file)).unwrap_err();
        assert!(
            refused.message.contains("already exists") && refused.help.as_ref().unwrap().contains("a.fork.jsonl"),
            "{refused:?}"
        );
    }
}
