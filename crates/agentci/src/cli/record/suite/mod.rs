//! `--suite`: generates a first suite from a recorded run. It passes as it is, and fails when the agent behaves
//! differently.

mod draft;
mod printed;

use std::path::Path;

use agentci::ledger;
use agentci_recorder::FinishedSession;

use crate::cli::record::{RecordArguments, program_name};
use crate::cli::recorded::{self, AgentEnd, without_secrets};
use crate::cli::{CliContext, CliError, CommandResult, ExitStatus, command_line};
use draft::SuiteDraft;
use printed::PrintedSuite;

/// The suite file.
const SUITE: &str = "agentci.yaml";

/// Refuses to overwrite an existing suite without `--force`.
pub(super) fn may_write(folder: &Path, force: bool) -> Result<(), CliError> {
    let path = folder.join(SUITE);
    if force || path.symlink_metadata().is_err() {
        return Ok(());
    }
    Err(CliError::new(
        format!("the suite `{}` already exists", path.display()),
        "choose another folder, `--suite DIR`, or overwrite it with `--force`",
    ))
}

/// Writes the first suite for a command that was recorded to `path`.
pub(super) fn write(
    arguments: &RecordArguments,
    path: &Path,
    folder: &Path,
    ended: &AgentEnd,
    finished: &FinishedSession,
    context: &CliContext,
) -> CommandResult {
    if ended.status() != ExitStatus::Success {
        let help = "a case whose agent does not exit with code 0 is an error; record a successful run";
        return Err(CliError::new("no suite was written: the command failed", help));
    }
    // Read as stored: it contains no secrets, and a replay answers the same.
    let recording = recorded::read(path)?;
    let text = |bytes: &[u8]| finished.secrets.text(&String::from_utf8_lossy(bytes)).into_owned();
    let Some(input) = &ended.captured.input else {
        let help = "the recording was written; pass a shorter input, or let the command read a file";
        return Err(CliError::new("no suite was written: the standard input of the command is too long", help));
    };
    let output = text(ended.captured.output.as_deref().unwrap_or_default());
    let suite = PrintedSuite {
        command: &without_secrets(&arguments.command, &finished.secrets),
        input: &text(input),
        prints: !output.trim().is_empty(),
        folder,
        recording: path,
        case: &program_name(&arguments.command),
        took: ended.took,
        drawn: &SuiteDraft::from(&recording, &output),
    };
    let suite_path = folder.join(SUITE);
    let _ = fs_err::create_dir_all(folder);
    ledger::write_whole(&suite_path, suite.text().as_bytes())
        .map_err(|error| CliError::new(error.to_string(), "choose a writable folder: `--suite DIR`"))?;
    let folder = command_line(&[folder.as_os_str()]);
    context.say(&format!("wrote {}\nnext: agentci run {folder}\n", suite_path.display()));
    Ok(ExitStatus::Success)
}
