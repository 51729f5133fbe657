//! Looks up programs on `PATH`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Looks up a program on a `PATH`; a name with a slash is returned as it is. Symbolic links are not resolved: Python
/// finds its packages by the path that it was started with.
pub fn find_program(name: &OsStr, path: &OsStr) -> Option<OsString> {
    if name.as_encoded_bytes().contains(&b'/') {
        return Some(name.to_owned());
    }
    let mut programs = std::env::split_paths(path).map(|folder| folder.join(name));
    programs.find(|program| is_program(program)).map(PathBuf::into_os_string)
}

/// Looks up the program of an agent. An enforced `PATH` contains shims for the programs that the agent starts; the
/// agent itself is looked up without them.
pub fn agent_program(name: OsString, own: &[(String, String)], enforced: &[(String, String)]) -> OsString {
    if !enforced.iter().any(|(name, _)| name == "PATH") {
        return name;
    }
    let own = own.iter().rev().find(|(name, _)| name == "PATH").map(|(_, path)| OsString::from(path));
    let path = own.or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    find_program(&name, &path).unwrap_or(name)
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_first_executable_in_path() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("sh");
        fs::write(&program, "").unwrap();
        let path = std::env::join_paths([folder.path(), Path::new("/bin")]).unwrap();
        let found = |name: &str| find_program(OsStr::new(name), &path);
        // A file that is not executable is skipped.
        assert_eq!(found("sh"), Some("/bin/sh".into()));
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(found("sh"), Some(program.into()));
        assert_eq!(found("./sh"), Some("./sh".into()));
        assert_eq!(found("no-such-program"), None);
    }
}
