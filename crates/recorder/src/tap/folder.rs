//! The shims of a session: scripts with the names of programs that start servers, in a folder that comes first on
//! `PATH`.

use std::ffi::{OsStr, OsString};
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use agentci_process::find_program;
use agentci_text::shell_quoted;
use fs_err as fs;

use super::configs;
use crate::Roots;

/// Programs that start MCP servers.
const STARTERS: &[&str] = &[
    "npx", "node", "npm", "pnpm", "yarn", "bun", "bunx", "deno", "uvx", "uv", "python", "python3", "pipx", "docker",
    "podman",
];
const SHIMS: &str = "bin";
const SOCKET: &str = "tap.sock";
const TAP: &str = "tap";

/// The folder of a session with its shims and socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Folder {
    root: PathBuf,
}

impl Folder {
    pub(crate) fn of(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The session that a `PATH` belongs to: it contains the folder with its shims.
    pub(super) fn on_path(path: &OsStr) -> Option<Self> {
        let shims = std::env::split_paths(path).filter(|folder| folder.file_name() == Some(OsStr::new(SHIMS)));
        shims.filter_map(|folder| Some(Self::of(folder.parent()?))).find(|folder| folder.socket().exists())
    }

    /// The folder with the shims.
    pub(crate) fn shims(&self) -> PathBuf {
        self.root.join(SHIMS)
    }

    /// The socket of the session.
    pub(crate) fn socket(&self) -> PathBuf {
        self.root.join(SOCKET)
    }

    pub(super) fn without_shims(&self, path: &OsStr) -> OsString {
        let shims = self.shims();
        let folders = std::env::split_paths(path).filter(|folder| *folder != shims);
        std::env::join_paths(folders).unwrap_or_else(|_| path.to_owned())
    }

    /// Writes the shims: one for each installed program, and `tap`, which the preloaded hooks start. `program` is
    /// `agentci`, and `path` the `PATH` of the agent without the recorder.
    pub(crate) fn write(&self, program: &Path, path: &OsStr, roots: &Roots) -> io::Result<()> {
        fs::create_dir_all(self.shims())?;
        let start = format!("#!/bin/sh\nexec {} tap --session {} --", quoted(program)?, quoted(&self.root)?);
        script(&self.root.join(TAP), &format!("{start} \"$@\"\n"))?;
        let configured = configs::commands(roots);
        for name in STARTERS.iter().copied().chain(configured.iter().map(String::as_str)) {
            if find_program(OsStr::new(name), path).is_some() {
                script(&self.shims().join(name), &format!("{start} {} \"$@\"\n", shell_quoted(name)))?;
            }
        }
        Ok(())
    }
}

fn script(path: &Path, text: &str) -> io::Result<()> {
    fs::write(path, text)?;
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

/// A path, quoted for a shell.
fn quoted(path: &Path) -> io::Result<String> {
    let unfit = || io::Error::new(io::ErrorKind::InvalidInput, format!("the path {} is not UTF-8", path.display()));
    Ok(shell_quoted(path.to_str().ok_or_else(unfit)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_active_session_through_path() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::of(root.path());
        let path = std::env::join_paths([Path::new("/usr/bin"), &folder.shims()]).unwrap();
        folder.write(Path::new("/opt/it's here/agentci"), OsStr::new("/bin:/usr/bin"), &Roots::default()).unwrap();
        assert_eq!(Folder::on_path(&path), None);
        let socket = std::os::unix::net::UnixListener::bind(folder.socket()).unwrap();
        assert_eq!(Folder::on_path(&path), Some(folder.clone()));
        assert_eq!(Folder::on_path(OsStr::new("/usr/bin")), None);
        drop(socket);
        let tap = fs::read_to_string(root.path().join("tap")).unwrap();
        assert!(tap.contains(r"exec '/opt/it'\''s here/agentci' tap --session "), "{tap}");
        assert!(folder.shims().join("python3").exists());
        assert!(!folder.shims().join("no-such-program").exists());
    }

    #[test]
    fn removes_shims_from_path() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::of(root.path());
        fs::create_dir(folder.shims()).unwrap();
        script(&folder.shims().join("sh"), "").unwrap();
        let path = std::env::join_paths([&folder.shims(), Path::new("/bin")]).unwrap();
        assert_eq!(folder.without_shims(&path), "/bin");
    }
}
