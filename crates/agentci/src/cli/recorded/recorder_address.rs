//! Connects the agent to the recorder: through its environment on this machine, and through a mounted folder in a
//! container.

use std::io::Read as _;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use agentci_recorder::{RecorderSession, Roots, SessionError, SessionEvent, SessionMode, SessionOptions};
use clap::Args;
use tokio::sync::mpsc::UnboundedSender;

/// The file of environment variables for a container, in the mounted folder.
const ENVIRONMENT_FILE: &str = "agent.env";

/// How many bytes of a certificate file are read.
const LARGEST_BUNDLE: u64 = 4 << 20;

/// Flags for agents that are not on this machine.
#[derive(Debug, Args)]
#[command(next_help_heading = "Agents in containers")]
pub(in crate::cli) struct ReachFlags {
    /// Address the recorder listens on [default: `127.0.0.1`]
    #[arg(long, value_name = "ADDR")]
    bind: Option<IpAddr>,
    /// Hostname at which the agent reaches the recorder, such as `host.docker.internal` [default: the `--bind` address]
    #[arg(long, value_name = "HOST")]
    advertise: Option<String>,
    /// Directory to mount in the container; gets certificates, hooks, and environment variables in `agent.env`
    #[arg(long, value_name = "DIR")]
    world_dir: Option<PathBuf>,
    /// Mount point of `--world-dir` in the container
    #[arg(long, value_name = "PATH", default_value = "/agentci", requires = "world_dir")]
    mount_at: String,
}

/// Which hosts are recorded, and which others may be reached.
#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct RecordedHosts {
    pub(in crate::cli) pass: Vec<String>,
    pub(in crate::cli) only: Vec<String>,
    pub(in crate::cli) allow: Vec<String>,
}

impl ReachFlags {
    /// Starts a recorder, and writes the file of environment variables if `--world-dir` is set.
    pub(in crate::cli) async fn start(
        &self,
        mode: SessionMode,
        hosts: &RecordedHosts,
        observer: UnboundedSender<SessionEvent>,
    ) -> Result<RecorderSession, SessionError> {
        let created = |folder: &PathBuf| fs_err::create_dir_all(folder).and_then(|()| fs_err::canonicalize(folder));
        let folder = self.world_dir.as_ref().map(created).transpose().map_err(SessionError::Folder)?;
        let session = RecorderSession::start(SessionOptions {
            mode,
            bind: self.bind.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            advertise: self.advertise.clone(),
            roots: roots()?,
            pass: hosts.pass.clone(),
            only: hosts.only.clone(),
            allow: hosts.allow.clone(),
            environment: environment(),
            folder: folder.clone(),
            tap: std::env::current_exe().ok(),
            secrets: agentci::environment_secrets(),
            upstream_roots: own_authorities(),
            observer: Some(observer),
        })
        .await?;
        if let Some(folder) = folder {
            let variables = as_mounted(&session.environment(), &folder, &self.mount_at);
            fs_err::write(folder.join(ENVIRONMENT_FILE), variables).map_err(SessionError::Folder)?;
        }
        Ok(session)
    }
}

/// The environment variables that are valid UTF-8.
pub(in crate::cli) fn environment() -> Vec<(String, String)> {
    crate::environment::environment_variables().collect()
}

/// The folders of this machine that requests may mention.
fn roots() -> Result<Roots, SessionError> {
    Ok(Roots {
        cwd: std::env::current_dir().map_err(SessionError::WorkingDirectory)?,
        home: std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from),
        tmp: Some(std::env::temp_dir()),
    })
}

/// The user's own certificate authorities, which the variables for the agent override.
pub(in crate::cli) fn own_authorities() -> Option<Vec<u8>> {
    let names = [
        "SSL_CERT_FILE",
        "NODE_EXTRA_CA_CERTS",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "NPM_CONFIG_CAFILE",
        "npm_config_cafile",
    ];
    let mut files: Vec<PathBuf> =
        names.iter().filter_map(std::env::var_os).filter(|path| !path.is_empty()).map(PathBuf::from).collect();
    files.sort();
    files.dedup();
    let mut all = Vec::new();
    for file in files {
        let mut bytes = Vec::new();
        // The agent could not use an unreadable file either.
        let read = fs_err::File::open(&file).and_then(|file| file.take(LARGEST_BUNDLE).read_to_end(&mut bytes));
        if read.is_ok() {
            all.extend(bytes);
            all.push(b'\n');
        }
    }
    (!all.is_empty()).then_some(all)
}

/// The variables, one per line as `docker --env-file` reads them, with the paths in the container.
fn as_mounted(variables: &[(String, String)], folder: &Path, mounted: &str) -> String {
    let folder = folder.display().to_string();
    let lines = variables.iter().filter(|(_, value)| !value.contains('\n'));
    lines.fold(String::new(), |text, (name, value)| text + name + "=" + &value.replace(&folder, mounted) + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewrites_paths_to_the_container_mount_point() {
        let of = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let variables =
            [of("SSL_CERT_FILE", "/home/me/w/bundle.pem"), of("A", "--require=/home/me/w/x.cjs b"), of("B", "1\n2")];
        let file = as_mounted(&variables, Path::new("/home/me/w"), "/agentci");
        assert_eq!(file, "SSL_CERT_FILE=/agentci/bundle.pem\nA=--require=/agentci/x.cjs b\n");
    }
}
