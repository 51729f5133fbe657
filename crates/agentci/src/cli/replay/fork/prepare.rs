//! What must be so before the agent of a fork is run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci::DiskFiles;
use agentci::formats::load_model_script;
use agentci::plan::ModelScript;
use agentci::source::Sources;
use agentci::verdict::ExitStatus;
use agentci_recorder::{AnswerChange, Recording, Spoken, change};

use super::super::arguments::ReplayArguments;
use super::super::command::command_of;
use super::destination::destination;
use crate::cli::context::Context;
use crate::cli::record::Claim;
use crate::cli::recorded::{self, command_line, in_ci};
use crate::cli::usage_error::UsageError;

/// The word for the live world.
const LIVE: &str = "live";

/// A fork that can be run.
#[derive(Debug)]
pub(super) struct Prepared {
    /// With the answers that were changed.
    pub(super) recording: Recording,
    pub(super) command: Vec<OsString>,
    pub(super) changes: Vec<AnswerChange>,
    /// What models have to say in place of what is recorded.
    pub(super) spoken: Vec<Spoken>,
    /// The script after the fork; nothing for the live world.
    pub(super) script: Option<(PathBuf, Arc<ModelScript>)>,
    pub(super) out: PathBuf,
    /// Holds the place of the fork until it is written.
    pub(super) _claim: Claim,
}

impl Prepared {
    pub(super) fn new(arguments: &ReplayArguments, until: u64, context: &Context) -> Result<Self, ExitStatus> {
        let wrong = |error: UsageError| {
            error.tell(context);
            ExitStatus::Usage
        };
        let failed = |error: UsageError| error.tell(context);
        let flags = &arguments.fork;
        let changes = flags.set.iter().map(|text| AnswerChange::parse(text)).collect::<Result<Vec<_>, _>>();
        let unusable = |error: agentci_recorder::ChangeError| wrong(UsageError::new(error.message, error.help));
        let changes = changes.map_err(unusable)?;
        let then = flags.then.as_deref().unwrap_or(Path::new(LIVE));
        if then == Path::new(LIVE) && in_ci() {
            return Err(failed(UsageError::new(
                "`--then live` calls real models and tools, so it does not run while `CI` is set",
                "go on with a script: `--then SCRIPT.yaml`",
            )));
        }
        let script = if then == Path::new(LIVE) { None } else { Some((then.to_owned(), script(then, context)?)) };
        let mut recording = recorded::read(&arguments.file).map_err(failed)?;
        let command = command_of(arguments, &recording).map_err(failed)?;
        let count = recording.exchanges.len() as u64;
        if until > count {
            let file = command_line(&[arguments.file.as_os_str()]);
            let message = format!("`--until {until}` is beyond the recording: {file} has {count} calls");
            let help = format!("it is a number from 0 to {count}; `agentci recording show {file}` lists the calls");
            return Err(wrong(UsageError::new(message, help)));
        }
        let spoken = change(&mut recording, &changes, until).map_err(unusable)?;
        let out = destination(&arguments.file, flags.out.as_deref()).map_err(wrong)?;
        let claim = Claim::take(&out).map_err(failed)?;
        Ok(Self { recording, command, changes, spoken, script, out, _claim: claim })
    }
}

fn script(path: &Path, context: &Context) -> Result<Arc<ModelScript>, ExitStatus> {
    let mut sources = Sources::default();
    load_model_script(&DiskFiles, &mut sources, path).map(Arc::new).map_err(|problems| {
        context.show(&problems, &sources);
        ExitStatus::Failed
    })
}
