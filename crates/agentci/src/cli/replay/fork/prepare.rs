//! What must be so before the agent of a fork is run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci::plan::ModelScript;
use agentci_recorder::{AnswerChange, ChangeError, Recording, SpokenCall, change};

use super::super::arguments::ReplayArguments;
use super::super::command::command_of;
use super::destination::destination;
use crate::cli::record::Claim;
use crate::cli::serve::model_script;
use crate::cli::{CliContext, CliError, command_line, in_ci, recorded};

/// The word for the live world.
const LIVE: &str = "live";

/// A fork that can be run.
#[derive(Debug)]
pub(super) struct PreparedFork {
    /// With the answers that were changed.
    pub(super) recording: Recording,
    pub(super) command: Vec<OsString>,
    pub(super) changes: Vec<AnswerChange>,
    /// What models have to say in place of what is recorded.
    pub(super) spoken: Vec<SpokenCall>,
    /// The script after the fork; nothing for the live world.
    pub(super) script: Option<(PathBuf, Arc<ModelScript>)>,
    pub(super) out: PathBuf,
    /// Holds the place of the fork until it is written.
    pub(super) _claim: Claim,
}

impl PreparedFork {
    pub(super) fn new(arguments: &ReplayArguments, until: u64, context: &CliContext) -> Result<Self, CliError> {
        let flags = &arguments.fork;
        let changes = flags.set.iter().map(|text| AnswerChange::parse(text)).collect::<Result<Vec<_>, _>>();
        let unusable = |error: ChangeError| CliError::new(error.message, error.help).usage();
        let changes = changes.map_err(unusable)?;
        let then = flags.then.as_deref().unwrap_or(Path::new(LIVE));
        if then == Path::new(LIVE) && in_ci() {
            return Err(CliError::new(
                "`--then live` calls real models and tools, so it does not run while `CI` is set",
                "go on with a script: `--then SCRIPT.yaml`",
            ));
        }
        let script =
            if then == Path::new(LIVE) { None } else { Some((then.to_owned(), model_script(then, context)?.into())) };
        let mut recording = recorded::read(&arguments.file)?;
        let command = command_of(arguments, &recording)?;
        let count = recording.exchanges.len() as u64;
        if until > count {
            let file = command_line(&[arguments.file.as_os_str()]);
            let message = format!("`--until {until}` is beyond the recording: {file} has {count} calls");
            let help = format!("it is a number from 0 to {count}; `agentci recording show {file}` lists the calls");
            return Err(CliError::new(message, help).usage());
        }
        let spoken = change(&mut recording, &changes, until).map_err(unusable)?;
        let out = destination(&arguments.file, flags.out.as_deref()).map_err(CliError::usage)?;
        let claim = Claim::take(&out)?;
        Ok(Self { recording, command, changes, spoken, script, out, _claim: claim })
    }
}
