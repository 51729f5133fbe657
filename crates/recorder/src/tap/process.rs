//! The tap: the program between a host and its server.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use agentci_process::find_program;

use super::folder::Folder;
use super::pump::Pump;
use super::tap_protocol::{Hello, TapTask};

/// The input of an outer tap, which makes inner taps step aside: `npx` starts `node`, and both have shims.
pub(super) const TAPPED: &str = "AGENTCI_TAPPED";
/// Timeout of the session's first answer.
const TASK_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a tap failed.
#[derive(Debug, thiserror::Error)]
pub enum TapError {
    /// The program does not exist.
    #[error("program `{0}` not found")]
    NotFound(String),
    /// The program could not be started.
    #[error("`{0}` could not be started: {1}")]
    NotStarted(String, io::Error),
    /// Standard streams or the runtime failed.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Runs between a host and the program of its server, for the session in this folder or the one on `PATH`. Without a
/// session, and if no host can be at the other end, this process becomes the program. Otherwise returns the exit code.
pub fn tap(session: Option<&Path>, command: &[OsString]) -> Result<u8, TapError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folder = session.map(Folder::of).or_else(|| Folder::on_path(&path));
    let path = folder.as_ref().map_or_else(|| path.clone(), |folder| folder.without_shims(&path));
    let (name, arguments) = command.split_first().ok_or_else(|| TapError::NotFound(String::new()))?;
    let missing = || TapError::NotFound(name.to_string_lossy().into_owned());
    let program = find_program(name, &path).ok_or_else(missing)?;
    let asked = folder.filter(|_| is_spoken_to()).and_then(|folder| ask(&folder, command).ok());
    let Some((task, stream)) = asked.filter(|(task, _)| *task != TapTask::Leave) else {
        return Err(not_started(&program, Command::new(&program).args(arguments).exec()));
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(Pump { program: &program, arguments, task }.run(stream));
    // Reading standard input cannot be cancelled, so the runtime does not wait for it.
    runtime.shutdown_background();
    result.map_err(|error| not_started(&program, error))
}

fn not_started(program: &OsStr, error: io::Error) -> TapError {
    let program = program.to_string_lossy().into_owned();
    if error.kind() == io::ErrorKind::NotFound {
        TapError::NotFound(program)
    } else {
        TapError::NotStarted(program, error)
    }
}

/// Whether a host may be at the other end: input and output are both pipes, and no other tap reads them.
fn is_spoken_to() -> bool {
    let (input, output) = (io::stdin(), io::stdout());
    let Some((input, _)) = pipe(input.as_fd()).zip(pipe(output.as_fd())) else { return false };
    std::env::var(TAPPED).ok() != Some(input.to_string())
}

/// The inode of a pipe or socket; `None` for anything else.
pub(super) fn pipe(stream: BorrowedFd<'_>) -> Option<u64> {
    let found = File::from(stream.try_clone_to_owned().ok()?).metadata().ok()?;
    (found.file_type().is_fifo() || found.file_type().is_socket()).then(|| found.ino())
}

/// Asks the session for a task. Fails after a timeout.
fn ask(folder: &Folder, command: &[OsString]) -> io::Result<(TapTask, UnixStream)> {
    let stream = UnixStream::connect(folder.socket())?;
    stream.set_read_timeout(Some(TASK_TIMEOUT))?;
    stream.set_write_timeout(Some(TASK_TIMEOUT))?;
    let text = |text: &OsStr| text.to_string_lossy().into_owned();
    let hello = Hello {
        command: command.iter().map(|word| text(word)).collect(),
        environment: std::env::vars_os().map(|(name, value)| (text(&name), text(&value))).collect(),
        pid: std::process::id(),
        input: pipe(io::stdin().as_fd()),
    };
    let mut line = serde_json::to_vec(&hello)?;
    line.push(b'\n');
    (&stream).write_all(&line)?;
    let mut answer = String::new();
    // The session sends nothing else until we have sent something.
    BufReader::new(&stream).read_line(&mut answer)?;
    let task = serde_json::from_str(&answer)?;
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    Ok((task, stream))
}
