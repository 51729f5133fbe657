//! Writes the folder with certificates and hooks, and lists the variables that point into it.

use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use fs_err as fs;
use tempfile::TempDir;

use super::certificates::{Certificates, bundle, extra};
use super::stale;
use super::variables::{
    AUTHORITY, BUNDLE, NO_CERTIFICATES, NODE_CERTIFICATES, NODE_HOOK, OuterEnvironment, PYTHON, check_fit, joined,
    variables,
};
use crate::Roots;
use crate::tap::Folder;

const NODE_HOOK_TEXT: &str = include_str!("assets/hook.cjs");
const PYTHON_HOOK: &str = include_str!("assets/python/sitecustomize.py");
const PYTHON_TUNNEL: &str = include_str!("assets/python/_agentci_tunnel.py");

/// The environment that routes an agent to the proxy. A temporary folder is removed on drop.
#[derive(Debug)]
pub(crate) struct Environment {
    variables: Vec<(String, String)>,
    root: PathBuf,
    taps: Option<Folder>,
    _temporary: Option<Temporary>,
}

/// A folder that is removed on drop, and the lock that marks it as in use until then.
type Temporary = (TempDir, File);

impl Environment {
    /// Writes certificates and hooks.
    ///
    /// `ca_pem` is the certificate of the session's authority, never its key. `proxy` is `host:port` as the agent
    /// reaches it. `outside` is the environment that the agent would have without the recorder: its own certificates,
    /// `NODE_OPTIONS` and `PYTHONPATH` stay in effect. A `folder` is kept and readable for everyone, because the user
    /// in a container is often a different one. Default: a temporary folder that only this user can read.
    pub(crate) fn prepare(
        ca_pem: &str,
        proxy: &str,
        outside: &[(String, String)],
        folder: Option<&Path>,
    ) -> io::Result<Self> {
        let (root, temporary) = root(folder)?;
        let outside = OuterEnvironment::new(outside);
        check_fit(&root)?;
        let own = Certificates::of(ca_pem);
        write(&root.join(AUTHORITY), &own.text)?;
        write(&root.join(BUNDLE), &bundle(&own, &outside))?;
        write(&root.join(NODE_CERTIFICATES), &extra(&own, &outside).text)?;
        write(&root.join(NODE_HOOK), NODE_HOOK_TEXT)?;
        let python = root.join(PYTHON);
        folder_at(&python)?;
        write(&python.join("sitecustomize.py"), PYTHON_HOOK)?;
        write(&python.join("_agentci_tunnel.py"), PYTHON_TUNNEL)?;
        folder_at(&root.join(NO_CERTIFICATES))?;
        Ok(Self { variables: variables(proxy, &root, &outside), root, taps: None, _temporary: temporary })
    }

    /// Adds the shims that make an MCP host start its servers through `tap`.
    pub(crate) fn add_shims(&mut self, tap: &Path, path: &OsStr, roots: &Roots) -> io::Result<()> {
        let folder = Folder::of(&self.root);
        folder.write(tap, path, roots)?;
        let value = joined(&folder.shims(), path.to_str().filter(|path| !path.is_empty()));
        self.variables.push(("PATH".to_owned(), value));
        self.taps = Some(folder);
        Ok(())
    }

    /// The socket of the session for taps. `None` if MCP servers are not recorded.
    pub(crate) fn tap_socket(&self) -> Option<PathBuf> {
        self.taps.as_ref().map(Folder::socket)
    }

    /// The variables to set. Each replaces a variable of the agent, and includes the user's own value if that still
    /// matters.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        self.variables.clone()
    }
}

/// The folder and what removes it. The path is absolute because the agent may have another working directory.
fn root(folder: Option<&Path>) -> io::Result<(PathBuf, Option<Temporary>)> {
    if let Some(folder) = folder {
        fs::create_dir_all(folder)?;
        return Ok((fs::canonicalize(folder)?, None));
    }
    stale::sweep_once();
    let folder = tempfile::Builder::new().prefix(stale::PREFIX).permissions(Permissions::from_mode(0o700)).tempdir()?;
    let lock = stale::hold(folder.path())?;
    Ok((fs::canonicalize(folder.path())?, Some((folder, lock))))
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    fs::write(path, text)?;
    fs::set_permissions(path, Permissions::from_mode(0o644))
}

fn folder_at(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o755))
}
